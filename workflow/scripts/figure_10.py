import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.plots import boxes as figure_10
    from nbmf.plots import style

    unsettled = set()
    if snakemake.input.diagnostics:
        diagnostics = pd.read_csv(snakemake.input.diagnostics[0])
        flagged = diagnostics[~diagnostics["settled"].astype(bool)]  # no chain, no type
        unsettled = set(zip(flagged["dataset"], flagged["method"], strict=True))
    figure = figure_10.draw(
        pd.read_csv(snakemake.input.scores),
        json.loads(snakemake.params.methods),
        snakemake.params.datasets,
        style.colours_of(snakemake.params.all_methods),
        unsettled,
    )
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
