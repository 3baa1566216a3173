from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf.plotting import style
    from nbmf_studies.pipeline.run_target import run_target

    style.use_no_screen()
    figure = style.in_style(run_target)(snakemake.params.request, snakemake.input)
    style.save(figure, snakemake.output.pdf, snakemake.output.png, dpi=snakemake.params.dpi)
