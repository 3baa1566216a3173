"""The starts of one fit of the workflow, of which one is kept."""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from nbmf.inference.estimator import Factorization
from nbmf.inference.starts import Starts
from nbmf.inference.table_model import TableModel


class Start(NamedTuple):
    """A fit from one start: the fitted estimator or model, its trace, and what it took."""

    estimator: Factorization | TableModel
    trace: dict[str, list]
    seconds: float
    cpu_seconds: float


def best_start(fits: Iterable[Start], log: Callable) -> tuple[Start, dict[str, Any]]:
    """Return the start that is kept, with the seconds of all, and what the report says about several."""
    all_starts = list(fits)
    if len(all_starts) == 1:
        return all_starts[0], {}
    starts = Starts.of([start.estimator.objective_ for start in all_starts])
    log(f"{len(all_starts)} starts, objectives {starts.spread:.6g} nats apart: start {starts.kept} is kept")
    seconds, cpu_seconds = sum(start.seconds for start in all_starts), sum(start.cpu_seconds for start in all_starts)
    objectives = [finite(objective) for objective in starts.objectives]
    about = {"objectives": objectives, "kept": starts.kept, "spread": finite(starts.spread)}
    return all_starts[starts.kept]._replace(seconds=seconds, cpu_seconds=cpu_seconds), {"starts": about}


def finite(number: float | None) -> float | None:
    """Return a number as JSON can hold it: None if it is not finite, or not known."""
    return number if number is not None and math.isfinite(number) else None
