import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.figures import figure_5, style
    from nbmf.matrix import BinaryMatrix

    labels = json.loads(snakemake.params.labels)
    matrices = dict(zip(labels, map(BinaryMatrix.load, snakemake.input.matrices), strict=True))
    abstentions = snakemake.input.abstentions
    figure = figure_5.draw(
        matrices, BinaryMatrix.load(abstentions) if abstentions else None, labels
    )
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
