"""Groups whose number held-out entries choose, where those that the data decide by themselves may be parts of them."""

from collections.abc import Iterator

from nbmf import registry
from nbmf.catalogue import CANDIDATES, METHODS, usual_components
from nbmf.inference.declarations import View
from nbmf.inference.parameters import AUTO
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.model import NextStep
from nbmf.reporting.wording import Wording

FEWEST = 2  # components that a number is chosen from


def fewer_groups(result: ReportedFit, wording: Wording) -> Iterator[NextStep]:
    """Yield how to see groups of which there are perhaps fewer, where they are predicted to be no worse.

    The number of components that Beta-Dir with learned priors uses is no estimate of how many groups there are: of
    undirected networks with three blocks, 45 to 90 nodes, it used 7 to 10, where held-out entries chose 3.
    """
    is_open = result.verdict is not None and result.scale is None and result.component_search is None
    if not is_open or result.components.active <= FEWEST:
        return
    methods = {title: method for method, title in _titles(type(result.matrix).__name__)}
    no_worse = (other.what for other in result.verdict.others if other.what in methods and other.mean <= 0)
    if (title := next(no_worse, None)) is not None:
        words = (
            f"{title} predicts no worse, and shows groups too: held-out entries choose how many, perhaps fewer than "
            f"these {result.components.active}, which may be parts of groups:"
        )
        yield NextStep(words, wording.next_command("fit", method=methods[title], apart=methods[title]))


def _titles(kind: str) -> Iterator[tuple[str, str]]:
    """Yield those of the methods which `nbmf fit` tries that show groups and choose their number, with their titles."""
    for method in CANDIDATES.get(kind, ()):
        entry = METHODS[method]
        if usual_components(method) == AUTO:
            estimator = registry.make_estimator(entry["class"], AUTO, entry["settings"], 0)
            if estimator.view is View.GROUPS:
                yield method, estimator.title
