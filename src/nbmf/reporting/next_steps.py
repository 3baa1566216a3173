"""What to type next where components predict no better than baselines, so that none are shown."""

from collections.abc import Iterator

from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import Message, Setting
from nbmf.evaluation.margin_test import DRAWS, is_quick, seconds_of_draw
from nbmf.posterior.scale_axes import has_scale
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.model import Block, Lines, NextStep
from nbmf.reporting.wording import Wording

MOST_MINUTES = 60  # of an exact test that is worth mentioning
SCALE_METHOD = "logistic-gs-learned-effects"  # of which positions under a Rasch model are a part
POSITIONS = (
    "Row and column effects are a Rasch model, of how many ones rows and columns have. This writes and draws positions "
    "of rows, with intervals:"
)


def next_steps(result: ReportedFit, wording: Wording, method: str) -> Iterator[Block]:
    """Yield the next commands where components predict no better than baselines."""
    reason = "they do not predict significantly better than baselines"
    if result.verdict.fixed == 1.0:
        reason = "row and column effects determine every entry"
    unshown = f"No components are shown, because {reason}."
    shown = wording.next_command("fit", method=method, check=False)
    if result.matrix.dense is not None:  # nbmf fit compares what takes it
        yield NextStep(f"{unshown} This writes and draws the components nevertheless:", shown)
        return
    if (other := result.verdict.other_view) is not None:
        better = f"{other.what} predicts significantly better than baselines; it is shown by"
        yield NextStep(better, wording.next_command("fit", view=str(other.view), apart=str(other.view)))
    more = "These methods, and others," if result.verdict.others else "Other methods"
    yield NextStep(f"{unshown} {more} are compared by", wording.next_command("compare"))
    is_rasch = result.verdict.beyond == "effects"
    if is_rasch and has_scale(result.model):
        yield NextStep(POSITIONS, shown)
    elif result.model.n_components_ > 1:  # a single one is shown nowhere
        yield NextStep("and this writes and draws the components nevertheless:", shown)
    if is_rasch and not has_scale(result.model) and isinstance(result.matrix, BinaryMatrix):
        positions = wording.next_command("fit", another=True, method=SCALE_METHOD, check=False, apart="scale")
        yield NextStep(POSITIONS, positions)
    yield from _without_exact_test(result)
    if isinstance(result.matrix, CountMatrix) and 0 < result.matrix.counts()["zeros"] < result.matrix.n_observed:
        sizes = "Which counts are above 0 may have a structure that their sizes hide: "
        tested = " reads them as ones, the others as zeros, and tests that exactly"
        yield Lines([wording.render(Message(sizes, Setting("above", 0), tested))])


def _without_exact_test(result: ReportedFit) -> Iterator[Block]:
    """Yield that a matrix is too large for the exact test to be made with every fit, and how it is made."""
    matrix, verdict = result.matrix, result.verdict
    if not isinstance(matrix, BinaryMatrix) or verdict.exact is not None or verdict.fixed == 1.0:
        return
    minutes = DRAWS * seconds_of_draw(matrix.shape) / 60
    if not is_quick(matrix.shape, matrix.n_observed) and minutes <= MOST_MINUTES:
        yield Lines(
            [
                "The exact test, which may find structure that is too weak to predict by, was not made: for so large a "
                f"matrix it takes about {max(minutes, 1):.0f} min. In Python: nbmf.margin_test(V), with V what "
                "nbmf.read returns"
            ]
        )
