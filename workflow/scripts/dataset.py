import json

from workflow_job import logged

with logged(snakemake.log[0]):
    from nbmf.io.reading import read
    from nbmf_studies.recipes.building import build
    from nbmf_studies.recipes.check import check_counts, check_published

    name, entry = snakemake.wildcards.dataset, json.loads(snakemake.params.entry)
    files = list(snakemake.input.files)
    if "file" in entry:
        matrix = read(*files, **entry.get("read", {}), transpose=entry["transpose"])
    else:
        files = dict(zip(entry["files"], files, strict=True))
        matrix = build(entry["recipe"], files, entry["options"])
        matrix = matrix.T if entry["transpose"] else matrix
    print(f"{name}: {matrix.counts()}")
    if "counts" in entry:
        check_counts(matrix, entry["counts"], name)
        print("the counts are those of the configuration")
    if "published" in entry:
        compared = check_published(matrix, snakemake.input.published, name)
        print(f"equal to the authors' published matrix in all {compared} cells")
    matrix.save(snakemake.output[0])
