import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.plots import fit_against_K, style

    labels, shown_K = json.loads(snakemake.params.labels), json.loads(snakemake.params.shown_K)
    scores = pd.read_csv(snakemake.input.scores)
    chosen = scores[scores["method"].isin(list(labels))]
    colours = style.colours_of(snakemake.params.all_methods)
    figure = fit_against_K.draw(chosen, labels, colours, shown_K)
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
