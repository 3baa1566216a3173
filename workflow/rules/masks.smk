# Held-out entries, or rows.

from nbmf_studies.pipeline import mask_jobs


rule mask:
    """Held-out entries, or rows, of a matrix."""
    input:
        matrix=MATRIX,
        sources=of_dataset(lambda entry: package_sources("nbmf.data.masks", "nbmf.seeds", *mask_jobs.modules(entry))),
    output:
        MASK,
    log:
        SHARED.mask_record("log", "{dataset}", "{mask}"),
    benchmark:
        SHARED.mask_record("tsv", "{dataset}", "{mask}")
    conda:
        "../../envs/fit.yaml"
    resources:
        mem_mb=per_attempt(500),
        runtime=per_attempt(10),
    params:
        test_probability=config["run"]["test_probability"],
        held_out=of_dataset(lambda entry: entry.get("held_out", "entries")),
        folds=of_dataset(lambda entry: entry.get("folds", 0)),
        options=of_dataset(lambda entry: as_text(mask_jobs.options(entry))),
        seed_key=lambda wildcards: as_text(
            mask_jobs.stream(wildcards.dataset, int(wildcards.mask), dataset_of(wildcards))
        ),
    message:
        "draw mask {wildcards.mask} of {wildcards.dataset}"
    script:
        "../scripts/mask.py"
