# Held-out entries.


rule mask:
    input:
        matrix=MATRIX,
        sources=package_sources("nbmf.masks", "nbmf.seeds"),
    output:
        MASK,
    params:
        test_probability=config["run"]["test_probability"],
    log:
        f"{RESULTS}/logs/masks/{{dataset}}/mask{{mask}}.log",
    message:
        "draw mask {wildcards.mask} of {wildcards.dataset}"
    conda:
        "../../envs/fit.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    script:
        "../scripts/mask.py"
