from pathlib import Path

from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf_studies.pipeline import compile_kernels

    compile_kernels.main(snakemake.threads)
    Path(snakemake.output[0]).write_text("compiled\n", encoding="utf-8")
