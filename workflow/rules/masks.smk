# Held-out entries.


rule mask:
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
        held_out=lambda wildcards: dataset_entry(wildcards).get("held_out", "entries"),
    message:
        "draw mask {wildcards.mask} of {wildcards.dataset}"
    script:
        "../scripts/mask.py"
