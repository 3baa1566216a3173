"""The tables of a scale, for files: a line for each row, and one for each column."""

import numpy as np
import pandas as pd

from nbmf.posterior.scale import Scale
from nbmf.posterior.scale_shape import Shape, shape_of

SAME = 1e-3  # of the range of positions, a difference of locations that is none
ALIKE = 1.1  # ratio of the largest discrimination to the smallest, up to which columns follow an axis alike


def shape_of_scale(scale: Scale) -> Shape:
    """Return how rows lie on the axes that are reported."""
    return shape_of(scale.positions[:, : scale.kept], scale.row_means)


def rows_table(scale: Scale) -> pd.DataFrame:
    """Return a row for each row of V: its position on each axis, with the ends of the interval, and along an arch."""
    columns = {"row": scale.row_names} | ({} if scale.row_groups is None else {"group": scale.row_groups})
    for a, name in enumerate(scale.names):
        columns |= {name: scale.positions[:, a], f"{name} lower": scale.lower[:, a], f"{name} upper": scale.upper[:, a]}
    if (along := shape_of_scale(scale).along) is not None:
        columns["along the arch"] = along
    return pd.DataFrame(columns)


def positions_in(table: pd.DataFrame) -> np.ndarray:
    """Return the positions and the ends of their intervals in a table of `rows_table`, float array (F, A, 3)."""
    axes = [name for name in table if {f"{name} lower", f"{name} upper"} <= set(table)]
    columns = [f"{name}{end}" for name in axes for end in ("", " lower", " upper")]
    return table[columns].to_numpy(float).reshape(len(table), len(axes), 3)


def has_location(scale: Scale) -> bool:
    """Return whether columns have a location: on one axis, and not the same in all columns.

    With other axes a one is as probable as a zero at many places. Without effects of columns a model puts it at the
    same place of all.
    """
    known = scale.location[~np.isnan(scale.location)]
    differ = known.size == 1 or (known.size > 1 and np.ptp(known) > SAME * np.ptp(scale.positions))
    return bool(scale.kept == 1 and not scale.has_counts and differ)


def columns_are_alike(scale: Scale) -> bool:
    """Return whether columns follow a single axis equally sharply, so that they differ in their location alone."""
    slopes = scale.discrimination[:, 0]
    return has_location(scale) and bool(slopes.max() <= ALIKE * slopes.min())


def columns_to_list(scale: Scale, most: int) -> np.ndarray:
    """Return places of up to `most` columns for a table.

    They are the most informative ones of each axis or, of columns that are alike, some at regular steps from the lowest
    location to the highest.
    """
    if columns_are_alike(scale):
        order = np.argsort(scale.difficulty, kind="stable")
        return order[np.unique(np.linspace(0, len(order) - 1, most).round().astype(int))]
    sizes = np.abs(scale.discrimination[:, : scale.kept])
    axis_of = sizes.argmax(axis=1)
    chosen = []
    for a in range(scale.kept):
        order = np.argsort(-sizes[:, a], kind="stable")
        chosen.append(order[axis_of[order] == a][: most // scale.kept])
    return np.concatenate(chosen)


def columns_table(scale: Scale) -> pd.DataFrame:
    """Return a row for each column of V: difficulty, of each axis discrimination and ends, and perhaps the location.

    Of counts there are levels and slopes. Difficulties and discriminations have the ends of their intervals where there
    are draws of a sampler.
    """
    columns = {"column": scale.column_names}
    columns |= {"level": scale.levels} if scale.has_counts else {"difficulty": scale.difficulty}
    columns |= _ends("difficulty", scale.difficulty_ends)
    if has_location(scale):
        columns["location on axis 1"] = scale.location
    if scale.categories:
        thresholds = zip(scale.categories[:-1], scale.thresholds.T, strict=True)
        columns |= {f"threshold above {name}": each for name, each in thresholds}
    slope, what = ("slope", "count") if scale.has_counts else ("discrimination", "ones")
    what = "mean category" if scale.categories else what
    for a, name in enumerate(scale.names):
        columns[f"{slope} on {name}"] = scale.discrimination[:, a]
        if scale.discrimination_ends is not None and a < scale.kept:
            columns |= _ends(f"{slope} on {name}", scale.discrimination_ends[:, a])
        columns |= {
            f"{what} at the low end of {name}": scale.low[:, a] + scale.lowest,
            f"{what} at the high end of {name}": scale.high[:, a] + scale.lowest,
        }
    return pd.DataFrame(columns)


def _ends(name: str, ends: np.ndarray | None) -> dict[str, np.ndarray]:
    """Return the columns for the lower and upper ends (N, 2) of an interval; none if there is none."""
    return {} if ends is None else {f"{name} lower": ends[:, 0], f"{name} upper": ends[:, 1]}
