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
# The lock of an allocation that ran out of time is taken away, and that of no other run.
marker=.snakemake/allocation
if [[ -f $marker ]] && ! squeue --noheader --jobs "$(<"$marker")" 2>/dev/null | grep -q .; then
    .venv/bin/snakemake --unlock --quiet all
fi
mkdir -p .snakemake
echo "$SLURM_JOB_ID" > "$marker"
status=0
.venv/bin/snakemake --cores "$SLURM_CPUS_PER_TASK" "$@" || status=$?
rm "$marker" # it ended by itself, and its lock with it
exit "$status"
