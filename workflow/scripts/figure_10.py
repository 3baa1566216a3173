import json

from nbmf.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.figures import figure_10, style

    scores = pd.read_csv(snakemake.input.scores)
    methods = json.loads(snakemake.params.methods)
    figure = figure_10.draw(scores, methods, snakemake.params.datasets)
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
