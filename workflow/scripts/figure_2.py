from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.figures import figure_2, style
    from nbmf.matrix import BinaryMatrix

    matrices = map(BinaryMatrix.load, snakemake.input.matrices)
    figure = figure_2.draw(dict(zip(snakemake.params.titles, matrices, strict=True)))
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
