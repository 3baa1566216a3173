# How it stands with the fits, at any time: `make status`. And what is left of a run that failed.


def entries_of_datasets():
    """The number of entries of each dataset whose size the configuration knows."""
    counts = {name: entry.get("counts") for name, entry in config["datasets"].items()}
    return {name: c["rows"] * c["columns"] for name, c in counts.items() if c}


def masked_fit_files():
    """The results and logs of all fits to masked matrices."""
    return [
        status.FitFiles(
            key._asdict(),
            FIT.format(**key._asdict()),
            FIT_LOG.format(**key._asdict()),
        )
        for key in FITS
    ]


def complete_fit_files():
    """The results and logs of all fits to whole matrices."""
    return [
        status.FitFiles(
            key._asdict(),
            COMPLETE_FIT.format(**key._asdict()) + ".json",
            COMPLETE_FIT_LOG.format(**key._asdict()),
        )
        for key in COMPLETE_FITS
    ]


rule status:
    localrule: True
    message:
        "the fits of this configuration"
    run:
        states = status.states_of(masked_fit_files() + complete_fit_files())
        print(status.summary(states, entries_of_datasets(), workflow.cores))


def explain_failure():
    """Say which fits failed and why, and show what there is, with gaps, in a folder of its own."""
    masked = status.after_the_end(status.states_of(masked_fit_files()))
    complete = status.after_the_end(status.states_of(complete_fit_files()))
    failures = status.failures(masked + complete)
    if failures:
        print(f"\n{len(failures)} of {len(masked + complete)} fits failed.")
        print("\n".join(failures))
    if any(state.state == "failed" for state in masked) and any(
        state.state == "done" for state in masked
    ):
        from nbmf.figures import style
        from nbmf.partial import write_partial

        datasets, colours = config["run"]["datasets"], style.colours_of(
            config["methods"]
        )
        write_partial(PARTIAL, masked, figure_10_methods(), datasets, colours)
        print(f"Scores and Figure 10 with gaps for fits without a result: {PARTIAL}/")
    if failures:
        print(
            "Run the same command again when the cause is gone: finished fits are kept."
        )


def forget_failure():
    """Remove what an earlier failure left, once every fit is there."""
    if all(state.state == "done" for state in status.states_of(masked_fit_files())):
        shutil.rmtree(PARTIAL, ignore_errors=True)


onerror:
    explain_failure()


onsuccess:
    forget_failure()
