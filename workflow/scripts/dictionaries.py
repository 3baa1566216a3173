import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.data.matrix import BinaryMatrix
    from nbmf.files import read_arrays
    from nbmf.plots import dictionaries, style
    from nbmf.tables import best_fit

    matrix = BinaryMatrix.load(snakemake.input.matrix)
    diagnostics = pd.read_csv(snakemake.input.diagnostics[0])
    own = diagnostics[diagnostics["dataset"] == snakemake.params.dataset]
    is_settled = dict(zip(own["method"], own["settled"], strict=True))
    shown = []
    for fit in json.loads(snakemake.params.fits):
        stem, report = best_fit(fit["stems"])
        print(f"{fit['label']}: {stem}, D = {report['loss']:.1f}")
        note = "" if is_settled.get(fit["method"], True) else "chains not settled"
        W = read_arrays(f"{stem}.npz", "factors")["W"]
        shown.append(dictionaries.Dictionary(fit["label"], W, note))
    order = dictionaries.meaningful_row_order(shown[0].W, matrix.row_names, matrix.row_groups)
    figure = dictionaries.draw(
        shown, matrix.row_names, matrix.row_groups, snakemake.params.columns, order
    )
    style.save(figure, snakemake.output.pdf, snakemake.output.png, dpi=300)
