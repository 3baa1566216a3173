from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.plots import progress as figure_11
    from nbmf.plots import style

    colours = style.colours_of(snakemake.params.all_methods)
    series = [(method, K, label, colours[method]) for method, K, label in snakemake.params.series]
    traces = pd.read_csv(snakemake.input.traces)
    figure = figure_11.draw(traces, series, snakemake.params.datasets)
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
