import json

from nbmf.jobs import logged

with logged(snakemake.log[0]):
    from nbmf.files import atomic_path
    from nbmf.tables import gather_scores

    keys = map(json.loads, snakemake.params.fit_keys)
    scores = gather_scores(zip(keys, snakemake.input.fits, strict=True))
    with atomic_path(snakemake.output[0]) as path:
        scores.to_csv(path, index=False)
    print(scores["status"].value_counts().to_string())
