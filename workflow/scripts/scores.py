import json

from nbmf.workflow.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.files import atomic_path
    from nbmf.tables import gather_scores, gather_traces

    keys = [json.loads(key) for key in snakemake.params.fit_keys]
    fits = list(zip(keys, snakemake.input.fits, strict=True))
    scores = gather_scores(fits)
    tables = {snakemake.output.traces: gather_traces(fits), snakemake.output.scores: scores}
    for path, table in tables.items():
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False)
    print(scores["status"].value_counts().to_string())
