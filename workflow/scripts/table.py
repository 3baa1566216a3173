from nbmf.pipeline.jobs import logged

SHOWN = 60  # rows, in the log

with logged(snakemake.log[0]):
    from nbmf.pipeline.making import make
    from nbmf.tables import write_table

    table = make(snakemake.params.request, snakemake.input)
    write_table(snakemake.output[0], table, snakemake.params.float_format)
    print(table.to_string(max_rows=SHOWN))
