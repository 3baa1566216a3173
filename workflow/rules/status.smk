# How it stands with the fits, at any time: `make status`. And what is left of a run that failed.


from nbmf_studies.pipeline import dataset_jobs, failures, fit_jobs, status


rule status:
    """Which fits exist, failed or are missing: of the studies of the configuration, and of others that were begun."""
    log:
        f"{RESULTS}/logs/status.log",
    localrule: True
    conda:
        "../../envs/figures.yaml"
    params:  # of a cluster, jobs take the place of cores
        fits=lambda _: as_text(status.files_of(status.fits_to_show(RUNS, config["run"]["studies"], SHARED), SHARED)),
        threads=lambda _: as_text(
            {name: fit_jobs.threads(method, config["run"]["threads"]) for name, method in config["methods"].items()}
        ),
        entries=as_text(dataset_jobs.entry_counts(config["datasets"])),
        cores=lambda _: workflow.resource_settings.cores or workflow.resource_settings.nodes,
    message:
        "the fits of this configuration"
    script:
        "../scripts/status.py"


onerror:
    failures.explain(
        RUNS.values(),
        ASKED or config["run"]["studies"],
        STARTED,
        ROOT / "workflow/scripts/partial.py",
    )


onsuccess:
    failures.forget(RUNS.values())
    failures.say_where(RUNS.values(), ASKED)
