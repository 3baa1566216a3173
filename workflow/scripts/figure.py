from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.plots import style
    from nbmf.workflow.making import make

    figure = make(snakemake.params.request, snakemake.input)
    style.save(figure, snakemake.output.pdf, snakemake.output.png, dpi=snakemake.params.dpi)
