"""The table of ties within and between groups of the nodes of a network."""

from collections.abc import Iterator

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import has_same_names
from nbmf.data.symmetry import is_symmetric
from nbmf.numerics.percent import percent
from nbmf.posterior.groups import main_components_of
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.model import Table


def tie_tables(result: ReportedFit, most: int) -> Iterator[Table]:
    """Yield the proportion of ties between nodes by their components, if the matrix is a network of ones and zeros.

    It has the first components, `most` at most, and the nodes that are most typical of them.
    """
    components, matrix = result.components, result.matrix
    if not isinstance(matrix, BinaryMatrix) or not has_same_names(matrix) or components.informative < 2:
        return
    if components.model.has_axes:  # a node is somewhere on every component
        return
    from nbmf.plotting import style  # loads Matplotlib

    main = main_components_of(components.model, np.arange(components.informative))
    number = min(components.informative, most)
    sizes = np.bincount(main, minlength=number)[:number]
    shares = proportions_between(matrix.codes, main, components.informative)[:number, :number]
    way = "between" if is_symmetric(matrix.codes, matrix.observed) else "from nodes, as rows, to"
    caption = f"ties: the proportion of ones {way} nodes by the component that each, as a row, is most typical of"
    names = [f"{name} ({size})" for name, size in zip(components.names(), sizes, strict=False)]
    cells = [["-" if np.isnan(share) else percent(share) for share in row] for row in shares]
    colours = [style.colour_of_component(k) for k in range(number)]
    yield Table(
        ["", *names],
        [[name, *row] for name, row in zip(names, cells, strict=True)],
        "<" + ">" * number,
        caption=[caption],
        note="in brackets how many nodes; a node's tie to itself is left out",
        head_colours=colours,
        row_colours=colours,
    )


def proportions_between(codes: np.ndarray, main: np.ndarray, number: int) -> np.ndarray:
    """Return the proportion of ones among observed entries but for the diagonal, float array (number, number).

    Parameters
    ----------
    codes : int8 array (F, F)
        1, 0 and -1 (missing).
    main : int array (F,)
        The group of each node, from 0 to `number` - 1.

    Returns
    -------
    float array
        NaN where no entry of rows of one group and columns of another is observed.
    """
    belongs, between = np.eye(number)[main], ~np.eye(len(codes), dtype=bool)
    ones, observed = (belongs.T @ (each & between) @ belongs for each in (codes == 1, codes >= 0))
    return np.divide(ones, observed, out=np.full((number, number), np.nan), where=observed > 0)
