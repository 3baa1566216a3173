"""What the scheduler says and does at the end of a run in which jobs failed, and of one in which none did."""

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

from nbmf_studies.pipeline import status
from nbmf_studies.pipeline.attempts import INTERRUPTED
from nbmf_studies.pipeline.parameters import as_text
from nbmf_studies.pipeline.partial import partial_request
from nbmf_studies.pipeline.targets import StudyRun


def explain(runs: Iterable[StudyRun], asked: Collection[str], start: float, script: str | Path) -> None:
    """Say which fits failed and why, or were interrupted, and have what there is shown with gaps, study by study.

    Parameters
    ----------
    runs : iterable of StudyRun
    asked : collection of str
        The studies that this run makes: they come first. Others are reported where they have failed fits of their own.
    start : float
        When the run began, in seconds since 1970.
    script : path
        The Python script that takes what `partial_request` returns on its standard input.
    """
    printed: set[str] = set()
    any_failed = False
    for run in sorted(runs, key=lambda run: run.study.key not in asked):
        fits = status.files_of(run.fits(), run.paths)
        states = status.states_at_end(status.states_of(fits), start)
        on_request = status.files_of(run.fits_on_request(), run.paths)
        ended = ("failed", INTERRUPTED)
        tried = [s for s in status.states_at_end(status.states_of(on_request), start) if s.state in ended]
        failed, stopped = (lines_of([*states, *tried]) for lines_of in (status.failures, status.interruptions))
        lines = [*failed, *stopped]
        if run.study.key not in asked and printed.issuperset(lines):
            continue  # another study shares these fits; this one was not asked for
        if lines:
            print(f"\n{run.study.key}: {_counted(len(failed), len(stopped), len(states) + len(tried))}.")
            print("\n".join(line for line in lines if line not in printed))
            printed.update(lines)
            any_failed = any_failed or bool(failed)
        masked = {run.paths.report(key) for key in run.plan.masked_fits}
        request = partial_request(run, [state for state in states if state.fit.report in masked])
        if request:
            sys.stdout.flush()
            subprocess.run([sys.executable, script], input=as_text(request, keep_order=True), text=True, check=False)
    if printed:
        when = "when the cause is gone" if any_failed else "to go on"
        print(f"Run the same command again {when}: finished fits are kept.")


def _counted(failed: int, stopped: int, total: int) -> str:
    """Return how many of all fits failed and how many a person interrupted, which is no failure."""
    if not stopped:
        return f"{failed} of {total} fits failed"
    were = "was" if stopped == 1 else "were"
    if not failed:
        return f"{stopped} of {total} fits {were} {INTERRUPTED}"
    return f"{failed} of {total} fits failed, {stopped} {were} {INTERRUPTED}"


def say_where(runs: Iterable[StudyRun], asked: Collection[str]) -> None:
    """Say where the results of the studies lie that this run has made as a whole."""
    for run in runs:
        if run.study.key in asked:
            tables, figures = (
                os.path.dirname(path) for path in (run.paths.table("any"), run.paths.figure("any", "png"))
            )
            print(f"{run.study.key}: tables are in {tables}, figures in {figures}")


def forget(runs: Iterable[StudyRun]) -> None:
    """Remove what an earlier failure left of each study whose fits are all there."""
    for run in runs:
        fits = status.files_of(run.plan.masked_fits, run.paths)
        if os.path.isdir(run.paths.partial) and all(state.state == "done" for state in status.states_of(fits)):
            shutil.rmtree(run.paths.partial)
