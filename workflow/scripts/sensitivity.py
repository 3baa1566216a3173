import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.plots import style
    from nbmf.studies.lumbreras2020 import sensitivity

    scores = pd.read_csv(snakemake.input.scores[0])
    colours = style.colours_of(snakemake.params.all_methods)
    figure = sensitivity.draw(scores, json.loads(snakemake.params.labels), colours)
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
