from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.data.matrix import BinaryMatrix
    from nbmf.plots import style
    from nbmf.studies.lumbreras2020 import figure_2

    matrices = map(BinaryMatrix.load, snakemake.input.matrices)
    figure = figure_2.draw(dict(zip(snakemake.params.titles, matrices, strict=True)))
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
