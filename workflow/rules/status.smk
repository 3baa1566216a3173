# How it stands with the fits, at any time: `make status`. And what is left of a run that failed.


rule status:
    log:
        f"{RESULTS}/logs/status.log",
    localrule: True
    conda:
        "../../envs/figures.yaml"
    params:
        fits=as_text(fits_of_run()),
        entries=as_text(entries_of_datasets()),
        cores=lambda _: workflow.cores,  # a cluster run has none
    message:
        "the fits of this configuration"
    script:
        "../scripts/status.py"


onerror:
    explain_failure()


onsuccess:
    forget_failure()
