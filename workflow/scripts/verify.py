import sys

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from nbmf.errors import NbmfError
    from nbmf.files import atomic_path
    from nbmf.workflow.verification import compare_with_reference

    scores, reference = map(pd.read_csv, (snakemake.input.scores, snakemake.input.reference))
    table = compare_with_reference(scores, reference)
    if table.empty:
        raise NbmfError(
            "no fit of this run is in the published one: other datasets, methods, K, masks, seeds "
            "or settings"
        )
    counts = table["result"].value_counts().to_string()
    summary = f"{table['fits'].sum()} of {len(scores)} fits compared\n{counts}"
    print(table.to_string(index=False), summary, sep="\n")
    print(summary, file=sys.__stdout__)
    different = table[table["result"] == "differs"]
    if not different.empty:
        raise NbmfError(f"scores differ from the published ones:\n{different.to_string()}")
    with atomic_path(snakemake.output[0]) as temporary:
        table.to_csv(temporary, index=False)
