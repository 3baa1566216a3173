"""What early stopping of the variational methods saves, and what it costs.

    .venv/bin/python benchmarks/early_stopping.py

Prints the numbers of docs/models.md as a table. Each method is run once for the paper's 500 iterations with
the workflow's first mask held out, and looked at every tenth: from the changes of E[V] follows
where each mean_change_tol would have stopped, and the held-out perplexity is that of this iteration.
"""

from collections.abc import Iterable

import numpy as np

import nbmf
from common import SEED, Table, environment, first_mask, load, number, say
from nbmf.data.masks import training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.stopping import MeanChangeBelow, has_converged
from nbmf.numerics.blas import one_blas_thread

DATASETS = ("animals", "parliament", "paleo", "lastfm")
LOOK_EVERY = MeanChangeBelow.every  # iterations
TOLERANCES = (1e-2, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
METHODS = {
    "beta-dir-vb": lambda max_iter: nbmf.BetaDirVB(100, max_iter=max_iter, random_state=SEED),
    "c-bica": lambda max_iter: nbmf.CollapsedBinaryICA(5, max_iter=max_iter, random_state=SEED),
    "bica": lambda max_iter: nbmf.BinaryICA(5, max_iter=max_iter, random_state=SEED),
    "dir-beta-vb": lambda max_iter: nbmf.DirBetaVB(100, max_iter=max_iter, random_state=SEED),
}


class Course:
    """A monitor: held-out perplexity and change of E[V] at every look.

    perplexities : list, after LOOK_EVERY, 2 LOOK_EVERY, ... iterations, nats per entry
    changes : list, the mean absolute change from each look to the next
    """

    def __init__(self, codes: np.ndarray, mask: np.ndarray):
        self._codes, self._mask, self._before = codes, mask, None
        self.perplexities, self.changes = [], []

    def resume(self, state) -> int:
        return 0

    def next_after(self, iteration: int) -> int:
        return (iteration // LOOK_EVERY + 1) * LOOK_EVERY

    def __call__(self, iteration: int, total: int, state) -> None:
        now = state.expectation()
        if self._before is not None:
            self.changes.append(float(np.abs(now - self._before).mean()))
        self.perplexities.append(nbmf.perplexity(self._codes, now, self._mask))
        self._before = now

    def stop(self, tolerance: float) -> int | None:
        """Return the look at which `mean_change_tol` stops, from 0; None if it does not."""
        looks = range(1, len(self.perplexities))
        return next((look for look in looks if has_converged(self.changes[:look], tolerance)), None)


def early_stopping_table(
    matrices: dict[str, tuple[BinaryMatrix, np.ndarray]],
    methods: Iterable[str],
    max_iter: int,
    tolerances: Iterable[float],
) -> Table:
    """Compare tolerances on some matrices with their held-out masks."""
    table = Table(
        "Early stopping",
        f"Held-out perplexity after {max_iter} iterations; then for each mean_change_tol the iterations after "
        "which it stops (– if it does not) and how much higher the perplexity is there.",
        ["dataset", "method", "perplexity", *(f"{tolerance:g}" for tolerance in tolerances)],
    )
    for dataset, (matrix, mask) in matrices.items():
        for method in methods:
            say(f"early stopping: {dataset}, {method}")
            course = Course(matrix.codes, mask)
            METHODS[method](max_iter).fit(training_codes(matrix, mask), monitor=course)
            last = course.perplexities[-1]
            cells = []
            for tolerance in tolerances:
                look = course.stop(tolerance)
                cells.append(
                    "–" if look is None else (f"{(look + 1) * LOOK_EVERY}: {course.perplexities[look] - last:+.4f}")
                )
            table.rows.append([dataset, method, number(last, 4), *cells])
    return table


def run() -> list[Table]:
    """Do this part as `make benchmark` would."""
    matrices = {name: load(name) for name in DATASETS}
    with_masks = {name: (matrix, first_mask(name, matrix)) for name, matrix in matrices.items()}
    return [early_stopping_table(with_masks, METHODS, 500, TOLERANCES)]


if __name__ == "__main__":
    say(environment())
    with one_blas_thread():
        print("\n".join(table.markdown() for table in run()))
