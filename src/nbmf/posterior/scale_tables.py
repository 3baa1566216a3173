"""The tables of a scale, for files: a line for each row, and one for each column."""

import pandas as pd

from nbmf.posterior.scale import Scale
from nbmf.posterior.scale_shape import Shape, shape_of


def shape_of_scale(scale: Scale) -> Shape:
    """Return how rows lie on the axes that are reported; of ordered categories it is not looked for."""
    return Shape() if scale.categories else shape_of(scale.positions[:, : scale.kept])


def rows_table(scale: Scale) -> pd.DataFrame:
    """Return a row for each row of V: its position on each axis, with the ends of the interval, and along an arch."""
    columns = {"row": scale.row_names} | ({} if scale.row_groups is None else {"group": scale.row_groups})
    for a, name in enumerate(scale.names):
        columns |= {name: scale.positions[:, a], f"{name} lower": scale.lower[:, a], f"{name} upper": scale.upper[:, a]}
    if (along := shape_of_scale(scale).along) is not None:
        columns["along the arch"] = along
    return pd.DataFrame(columns)


def columns_table(scale: Scale) -> pd.DataFrame:
    """Return a row for each column of V: difficulty, and of each axis discrimination and ends.

    The location is there if one axis is kept: with others a one is as probable as a zero at many places. Of counts
    there are levels and slopes.
    """
    columns = {"column": scale.column_names}
    columns |= {"level": scale.levels} if scale.of_counts else {"difficulty": scale.difficulty}
    if scale.kept == 1 and not scale.of_counts:
        columns["location on axis 1"] = scale.location
    if scale.categories:
        thresholds = zip(scale.categories[:-1], scale.thresholds.T, strict=True)
        columns |= {f"threshold above {name}": each for name, each in thresholds}
    slope, what = ("slope", "count") if scale.of_counts else ("discrimination", "ones")
    what = "mean category" if scale.categories else what
    for a, name in enumerate(scale.names):
        columns |= {
            f"{slope} on {name}": scale.discrimination[:, a],
            f"{what} at the low end of {name}": scale.low[:, a] + scale.lowest,
            f"{what} at the high end of {name}": scale.high[:, a] + scale.lowest,
        }
    return pd.DataFrame(columns)
