# Held-out entries.

from nbmf.fit_key import mask_stream


rule mask:
    """Held-out entries of a matrix."""
    input:
        matrix=MATRIX,
        sources=package_sources("nbmf.data.masks", "nbmf.seeds"),
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
        seed_key=lambda wildcards: as_text(mask_stream(wildcards.dataset, int(wildcards.mask))),
    message:
        "draw mask {wildcards.mask} of {wildcards.dataset}"
    script:
        "../scripts/mask.py"
