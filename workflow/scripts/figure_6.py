import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.data.matrix import BinaryMatrix
    from nbmf.files import read_arrays
    from nbmf.plots import style
    from nbmf.studies.lumbreras2020 import figure_6
    from nbmf.tables import best_fit

    panels = []
    for fit in json.loads(snakemake.params.fits):
        stem, report = best_fit(fit["stems"])
        expectation = read_arrays(f"{stem}.npz", "factors")["expectation"]
        print(f"{fit['label']}: {stem}, D = {report['loss']:.1f}")
        panels.append(
            figure_6.Panel(fit["label"], expectation, report["loss"], report["active_components"])
        )
    figure = figure_6.draw(BinaryMatrix.load(snakemake.input.matrix), panels)
    style.save(figure, snakemake.output.pdf, snakemake.output.png)
