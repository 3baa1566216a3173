"""What a run with failures still shows: the scores there are, with a gap for each that is not."""

import json
from collections.abc import Iterable
from pathlib import Path

from nbmf_studies.framework.declaration import Figure
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline import making, products
from nbmf_studies.pipeline.status import FitState


def write_partial(folder: str | Path, states: list[FitState], plan: Plan, figures: Iterable[Figure]) -> list[str]:
    """Write scores.csv of an unfinished run, and the figures that can do with it, into `folder`.

    Nothing is written unless some fits have failed and some are done.

    Parameters
    ----------
    folder : path
        Apart from the results of finished runs, so that nobody takes one for the other.
    states : list of FitState
        Of all masked fits of a study, after the end of the run.
    plan, figures
        Of the study; figures that are declared `with_gaps` are drawn.

    Returns
    -------
    list of str
        What was written, without suffixes.
    """
    if not {"failed", "done"} <= {state.state for state in states}:
        return []
    from nbmf.evaluation.score_table import gather_scores, with_gaps, write_table
    from nbmf.plotting import style  # what this loads, other runs never need

    done = [(state.fit.key, state.fit.result) for state in states if state.state == "done"]
    gaps = [
        (state.fit.key, f"failed: {state.reason}" if state.state == "failed" else "not run")
        for state in states
        if state.state != "done"
    ]
    scores = with_gaps(gather_scores(done), gaps)
    write_table(Path(folder) / "scores.csv", scores)
    style.without_a_screen()
    shown = [figure for figure in figures if figure.with_gaps]
    for figure in shown:
        job = json.loads(products.request(figure, plan))
        drawn = style.in_style(making.call)(job, {"scores": scores})
        files = [Path(folder) / f"{figure.name}.{suffix}" for suffix in ("pdf", "png")]
        style.save(drawn, *files, dpi=figure.dpi)
    return ["scores", *(figure.name for figure in shown)]
