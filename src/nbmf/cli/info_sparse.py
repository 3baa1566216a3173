"""nbmf info of a matrix whose zeros are not kept: how many ones, and what takes it."""

from collections.abc import Iterator

import numpy as np

from nbmf.catalogue import CANDIDATES, methods_for
from nbmf.cli.info_axes import AXES, describe_extremes, describe_fit_time, describe_unusual, next_lines
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.reporting.text import wrap


def report(matrix: SparseBinaryMatrix, again: str) -> Iterator[str]:
    """Yield the lines of the report; `again` is FILE with its options."""
    ones = {axis: matrix.ones_along(axis) for axis, _ in AXES}
    for axis, kind in AXES:
        few, many = describe_extremes(matrix, ones[axis], axis)
        half, most = np.quantile(ones[axis], (0.5, 0.9), method="inverted_cdf")
        yield f"{kind} with the fewest ones: {few}; with the most: {many}"
        yield f"half of the {kind} have at most {half} ones, 90 % at most {most}"
    for axis, _ in AXES:
        yield from describe_unusual(matrix, {"without a one": ones[axis] == 0}, axis)
    methods = CANDIDATES[type(matrix).__name__]
    yield from describe_fit_time(matrix, f"{matrix.nnz} entries are kept")
    yield ""
    yield wrap(
        f"methods that take so large a matrix: {', '.join(methods_for(type(matrix)))}; their time "
        "and memory grow with the ones, and with rows and columns, not with all entries"
    )
    yield from next_lines(f"nbmf fit {again}", f"nbmf fit {again} --method {methods[0]}")
