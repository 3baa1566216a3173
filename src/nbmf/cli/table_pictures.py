"""The pictures of the components of a table, or of topics: of a new fit, and of one drawn again."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nbmf.families.mixed_membership.feature_model import FeatureModel

MEMBERSHIPS, PROFILE, TOPICS = FILES = ("memberships.png", "profile.png", "topics.png")
OF_PROFILES = "Profiles: means, probabilities and rates; colours are differences from all rows in standard deviations"
OF_TOPICS = "Topics: their most probable words; a tick is the probability in all documents"


class Picture(NamedTuple):
    """Its caption, and the function that draws it and returns an axis of its figure."""

    caption: str
    draw: Callable[[], "Axes"]


def pictures_of(
    model: "FeatureModel", table: FeatureTable | None, lines: int | None = None, components: int | None = None
) -> dict[str, Picture]:
    """Return the pictures of a fit by the names of their files; without the table memberships.

    lines, components : int, how many columns and categories, or words, and how many components are
        shown; by default as many as the functions of `nbmf.plot` say. Of memberships all are.
    """
    from nbmf import plot

    found = {}
    groups = None if table is None else table.row_groups
    row = "document" if WORD in model.kinds_ else "row"
    if table is not None and WORD in model.kinds_:
        shown = {"components": components} | ({} if lines is None else {"words": lines})
        found[TOPICS] = Picture(OF_TOPICS, lambda: plot.topics(model, table, **shown)[0])
    elif table is not None:
        shown = {"components": components} | ({} if lines is None else {"lines": lines})
        found[PROFILE] = Picture(OF_PROFILES, lambda: plot.profile(model, table, **shown))
    caption = f"Memberships: a line per {row}, divided into its shares"
    found[MEMBERSHIPS] = Picture(caption, lambda: plot.memberships(model, groups=groups))
    return found
