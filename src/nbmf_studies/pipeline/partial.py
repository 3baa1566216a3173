"""What a run with failures still shows: the scores there are, with a gap for each that is not.

The scheduler says which (`partial_request`); a process of its own reads scores and draws (`write_partial`), so that the
scheduler loads neither tables nor pictures.
"""

from pathlib import Path
from typing import Any

from nbmf_studies.pipeline import run_target, targets
from nbmf_studies.pipeline.attempts import INTERRUPTED
from nbmf_studies.pipeline.status import FitState


def partial_request(run: targets.StudyRun, states: list[FitState]) -> dict[str, Any] | None:
    """Return the arguments of `write_partial`, as JSON can hold them; None unless some fits failed and some are done.

    Parameters
    ----------
    run : StudyRun
        Of its figures those are drawn that are declared `with_gaps`.
    states : list of FitState
        Of all masked fits of the study, after the end of the run.
    """
    if not {"failed", "done"} <= {state.state for state in states}:
        return None
    return {
        "folder": run.paths.partial,
        "done": [(state.fit.key, state.fit.report) for state in states if state.state == "done"],
        "gaps": [(state.fit.key, _why_missing(state)) for state in states if state.state != "done"],
        "figures": [
            {"name": figure.name, "dpi": figure.dpi, "request": targets.request(figure, run.plan)}
            for figure in run.targets.figures
            if figure.with_gaps
        ],
    }


def _why_missing(state: FitState) -> str:
    if state.state == "failed":
        return f"failed: {state.reason}"
    return INTERRUPTED if state.state == INTERRUPTED else "not run"


def write_partial(folder: str, done: list, gaps: list, figures: list[dict[str, Any]]) -> list[str]:
    """Write scores.csv of an unfinished run, and the figures that can do with it, into `folder`.

    Parameters
    ----------
    folder : path
        Apart from the results of finished runs, so that nobody takes one for the other.
    done : list of (dict, path)
        The keys of the fits that are done, and their reports.
    gaps : list of (dict, str)
        The keys of all others, and why they are missing.
    figures : list of dict
        Each with `name`, `dpi` and `request`.

    Returns
    -------
    list of str
        What was written, without suffixes.
    """
    from nbmf.evaluation.score_table import gather_scores, with_gaps, write_table
    from nbmf.plotting import style

    scores = with_gaps(gather_scores(done), gaps)
    write_table(Path(folder, "scores.csv"), scores)
    style.use_no_screen()
    for figure in figures:
        drawn = style.in_style(run_target.call)(figure["request"], {"scores": scores})
        style.save(drawn, *(Path(folder, f"{figure['name']}.{suffix}") for suffix in ("pdf", "png")), dpi=figure["dpi"])
    return ["scores", *(figure["name"] for figure in figures)]
