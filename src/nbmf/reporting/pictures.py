"""The pictures of a result: their files, captions, and what draws them.

Matplotlib is loaded by the first that is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import nbmf
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.data.named import NamedMatrix
from nbmf.evaluation.result import Comparison
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.plotting.inputs import Oriented
from nbmf.posterior.scale import Scale, scale_of
from nbmf.posterior.scale_axes import has_scale
from nbmf.posterior.scale_tables import shape_of_scale
from nbmf.reporting.scale_words import scale_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nbmf.families.mixed_membership.feature_model import FeatureModel
    from nbmf.posterior.chains import Chains

DICTIONARY, RECONSTRUCTION, TRACES, SCALE, GROUPS = FIT_FILES = (
    "dictionary.png",
    "reconstruction.png",
    "chains.png",
    "scale.png",
    "groups.png",
)
MEMBERSHIPS, PROFILE, TOPICS = TABLE_FILES = "memberships.png", "profile.png", "topics.png"
PATHS = "paths.png"
SCORES, AGAINST_K = COMPARISON_FILES = "comparison.png", "against_K.png"


GROUPS_CAPTION = "W and H: what rows and columns are to each component. Its colour is the same in all pictures."
AXES_CAPTION = (
    "W and H: where rows and columns are on each axis, red at one end and blue at the other, {}. "
    "Where a row and a column have one colour on an axis, {} is more probable; where they have both, less."
)
AXES_NOTE = " These are the model's own axes, before those of the scale are made of them."


class Picture(NamedTuple):
    """The name of its file, its caption, and the function that draws it."""

    file: str
    caption: str
    draw: Callable[[], Figure]


def picture_of_paths(
    fit: Factorization | Chains, names: Sequence[str] | None = None, groups: Sequence[str] | None = None
) -> Picture:
    """Return the picture of rows that move, by the first component; chains with draws have bands."""
    others = "other rows are grey" if groups is None else "colours are those of groups"
    caption = (
        "Where rows were from period to period, on the first component. Bands are 90 % credible intervals, dots join "
        f"the sides of a pause, and {others}."
    )
    return Picture(PATHS, caption, lambda: nbmf.plot.paths(fit, names=names, groups=groups).figure)


def pictures_of_fit(
    model: Factorization,
    matrix: NamedMatrix | None,
    *,
    column_groups: Sequence[str] | None = None,
    chains: Chains | None = None,
    scale: Scale | None = None,
    lines: int | None = None,
    components: int | None = None,
) -> list[Picture]:
    """Return the pictures of a fit: its scale, if it has one, and the dictionary; without the matrix that alone.

    scale : Scale, with what draws say; by default that of the model alone
    lines, components : int, how many rows and columns and how many components the dictionary shows; by default as
        many as `nbmf.plot` says
    """
    shown = {"column_groups": column_groups, "components": components} | ({} if lines is None else {"lines": lines})
    has_axes, high = model.has_axes, () if scale is None else scale.high_rows
    has_groups = column_groups is not None or (matrix is not None and matrix.row_groups is not None)
    is_complete = matrix is not None and matrix.dense is None  # it has all its entries
    order = "sorted along the first" + " within their groups" * has_groups
    axes_caption = AXES_CAPTION.format(order, _likelier_value(model, matrix)) + (
        AXES_NOTE if is_complete and has_scale(model) else ""
    )
    pictures = [
        Picture(
            DICTIONARY,
            axes_caption if has_axes else GROUPS_CAPTION,
            lambda: nbmf.plot.dictionary(Oriented(model, high), matrix, **shown)[0].figure,
        )
    ]
    if is_complete:
        sorted_by = "sorted alike"
        if has_scale(model):
            scale = scale or scale_of(model, matrix)
            sorted_by = _order_of_reconstruction(scale, has_groups)
            pictures.insert(0, _scale_picture(scale))
        strips = (
            "positions on the first axis" if has_axes else "the components that rows and columns are most typical of"
        )
        outside = ", and outside of these their groups." if has_groups else "."
        drawn, which = (model, "") if chains is None or not chains.sampled else (chains, " of the best chain")
        caption = f"V and E[V]{which}: the data and what is predicted, {sorted_by}. Strips are {strips}{outside}"
        if which:
            caption += " The mean over chains is in expectation.csv."
        pictures.append(
            Picture(
                RECONSTRUCTION,
                caption,
                lambda: nbmf.plot.reconstruction(Oriented(drawn, high), matrix, column_groups=column_groups)[0].figure,
            )
        )
    if chains is not None and chains.sampled:
        caption = "Chains: what they recorded after burn-in. Red has not converged."
        pictures.append(Picture(TRACES, caption, lambda: nbmf.plot.chains(chains)[0].figure))
    return pictures


def _order_of_reconstruction(scale: Scale, has_groups: bool) -> str:
    """Return how rows and columns of V and E[V] are sorted, see `nbmf.plot.reconstruction`."""
    shape = shape_of_scale(scale)
    if shape.along is None:
        return "sorted alike"
    where = "around the ring" if shape.ring else "along the arch"
    within = " within their groups" * has_groups
    return f"rows sorted {where}{within}, columns by the mean place of what is predicted in them"


def _likelier_value(model: Factorization, matrix: NamedMatrix | None) -> str:
    """Return what is more probable where a row and a column are at the same end of an axis."""
    if isinstance(matrix, CategoryMatrix):
        return "a high category"
    if isinstance(matrix, CountMatrix):
        return "a large count"
    return "a one" if model.likelihood is BERNOULLI else "a large value"


def picture_of_other_view(
    model: Factorization, matrix: NamedMatrix, scale: Scale | None, *, column_groups: Sequence[str] | None = None
) -> Picture:
    """Return the picture of a fit that is shown next to another: its scale, or groups."""
    if scale is not None:
        return _scale_picture(scale)
    return pictures_of_fit(model, matrix, column_groups=column_groups)[0]._replace(file=GROUPS)


def _scale_picture(scale: Scale) -> Picture:
    """Return the picture of rows along one axis, or on a map of two."""
    words = scale_words(scale)
    caption = (
        "Scale: where rows lie on the axes along which they differ most, and which columns distinguish the ends: by "
        f"{words.at_ends}, or by arrows towards the rows that {words.towards}"
    )

    def draw() -> Figure:
        from nbmf.plotting.scale import draw as draw_scale  # loads Matplotlib

        return draw_scale(scale)[0].figure

    return Picture(SCALE, caption, draw)


def pictures_of_table(
    model: FeatureModel, table: FeatureTable | None, *, lines: int | None = None, components: int | None = None
) -> list[Picture]:
    """Return the pictures of the components of a table, or of topics; without the table memberships.

    lines, components : int, how many columns and categories, or words, and how many components are shown; by default
        as many as `nbmf.plot` says. Of memberships all are.
    """
    has_words, pictures = WORD in model.kinds_, []
    shown = {"components": components}
    if lines is not None:
        shown["words" if has_words else "lines"] = lines
    if table is not None and has_words:
        caption = "Topics: their most probable words; a tick is the probability in all documents"
        pictures.append(Picture(TOPICS, caption, lambda: nbmf.plot.topics(model, table, **shown)[0].figure))
    elif table is not None:
        caption = (
            "Profiles: means, probabilities and rates; colours are differences from all rows in standard deviations"
        )
        pictures.append(Picture(PROFILE, caption, lambda: nbmf.plot.profile(model, table, **shown).figure))
    groups = None if table is None else table.row_groups
    caption = f"Memberships: a line per {'document' if has_words else 'row'}, divided into its shares"
    return [*pictures, Picture(MEMBERSHIPS, caption, lambda: nbmf.plot.memberships(model, groups=groups).figure)]


def pictures_of_comparison(comparison: Comparison) -> list[Picture]:
    """Return the pictures of a comparison; scores against K only where a method has several."""
    caption = "Held-out losses: box plots over masks of every K, or of many methods a dot per mask at the best K"
    pictures = [Picture(SCORES, caption, comparison.figure)]
    if any(len(entry["K"]) > 1 for entry in comparison.methods.values()):
        caption = "Means over masks against K: a dot is a mask"
        pictures.append(Picture(AGAINST_K, caption, lambda: nbmf.plot.score_against_K(comparison).figure))
    return pictures
