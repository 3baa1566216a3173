from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.files import atomic_path
    from nbmf.tables import summarise

    table = summarise(pd.read_csv(snakemake.input.scores))
    with atomic_path(snakemake.output[0]) as path:
        table.to_csv(path, index=False, float_format="%.6g")
    print(table.to_string())
