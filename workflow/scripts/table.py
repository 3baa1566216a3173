from workflow_job import logged

SHOWN = 60  # rows, in the log

with logged(snakemake.log[0]):
    from nbmf.evaluation.score_table import write_table
    from nbmf_studies.pipeline.run_target import run_target

    table = run_target(snakemake.params.request, snakemake.input)
    write_table(snakemake.output[0], table, snakemake.params.float_format)
    print(table.to_string(max_rows=SHOWN))
