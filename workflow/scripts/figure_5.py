import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.data.matrix import BinaryMatrix
    from nbmf.plots import style
    from nbmf.studies.lumbreras2020 import figure_5

    labels = json.loads(snakemake.params.labels)
    matrices = dict(zip(labels, map(BinaryMatrix.load, snakemake.input.matrices), strict=True))
    abstentions = snakemake.input.abstentions
    figure = figure_5.draw(
        matrices, BinaryMatrix.load(abstentions) if abstentions else None, labels
    )
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
