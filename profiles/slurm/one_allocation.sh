#!/bin/bash
# The whole workflow inside one allocation, with the local executor: the least overhead for thousands of fits of seconds.
#
#   sbatch --account=NAME --partition=NAME profiles/slurm/one_allocation.sh [arguments of snakemake]
#
# Submitted again after the time is up, it goes on where it stopped.
#SBATCH --job-name=nbmf
#SBATCH --dependency=singleton
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=32G
#SBATCH --time=04:00:00
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:?submit this script with sbatch, from the checkout}"
# The lock of an allocation that ran out of time, or that was requeued, is taken away, and that of no other run: a lock
# that is some minutes younger than the marker of the allocation is another's.
marker=.snakemake/allocation
if [[ -f $marker ]]; then
    before=$(<"$marker")
    is_running=$(squeue --noheader --states=running,suspended --jobs "$before" 2>/dev/null || true)
    younger=$(find .snakemake/locks -type f -newermt "@$(($(stat -c %Y "$marker") + 600))" 2>/dev/null || true)
    if [[ -z $younger ]] && [[ $before == "$SLURM_JOB_ID" || -z $is_running ]]; then
        .venv/bin/snakemake --unlock --quiet all
    fi
fi
mkdir -p .snakemake
echo "$SLURM_JOB_ID" > "$marker"
status=0
.venv/bin/snakemake --cores "$SLURM_CPUS_PER_TASK" "$@" || status=$?
[[ -n $(find .snakemake/locks -type f 2>/dev/null) ]] || rm "$marker" # it ended by itself, and its lock with it
exit "$status"
