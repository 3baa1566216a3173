"""What a run with failures still shows: the scores there are, with a gap for each that is not."""

from pathlib import Path

from nbmf.files import atomic_path
from nbmf.plots import boxes as figure_10
from nbmf.plots import style
from nbmf.tables import gather_scores, with_gaps
from nbmf.workflow.status import FitState


def write_partial(
    folder: str | Path,
    states: list[FitState],
    methods: dict[str, dict],
    datasets: list[str],
    colours: dict[str, str],
) -> None:
    """Write scores.csv and Figure 10 of an unfinished run into `folder`.

    Parameters
    ----------
    folder : path
        Apart from the results of finished runs, so that nobody takes one for the other.
    states : list of FitState
        Of all masked fits, after the end of the run; at least one of them done.
    methods, datasets, colours
        As for `figure_10.draw`.
    """
    done = [(state.fit.key, state.fit.result) for state in states if state.state == "done"]
    gaps = [
        (state.fit.key, f"failed: {state.reason}" if state.state == "failed" else "not run")
        for state in states
        if state.state != "done"
    ]
    scores = with_gaps(gather_scores(done), gaps)
    with atomic_path(Path(folder) / "scores.csv") as temporary:
        scores.to_csv(temporary, index=False)
    figure = figure_10.draw(scores, methods, datasets, colours)
    style.save(figure, Path(folder) / "figure_10.pdf", Path(folder) / "figure_10.png")
