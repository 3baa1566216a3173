from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.plots import style, traces

    method = snakemake.params.method
    recorded = pd.read_csv(snakemake.input.traces)
    figure = traces.draw(
        recorded[recorded["method"] == method],
        pd.read_csv(snakemake.input.diagnostics[0]),
        {method: snakemake.params.label},
        snakemake.params.burn_in,
    )
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
