"""Pictures of fits and of comparisons; each function returns the axis, or the axes, that it has drawn into.

Every function takes `ax`, an axis of Matplotlib, or as many as it documents, and draws into it; without
them it makes a figure of its own, with a colour bar or a legend (`plt.gcf()` is that figure). Text and
lines are in the style of this package; your own style is left as it was. Components are numbered from 1, the
heaviest first, and they and groups have the same colours in all pictures of a fit.
"""

from nbmf.plotting.chains import chains
from nbmf.plotting.co_clustering import co_clustering
from nbmf.plotting.factors import dictionary, reconstruction
from nbmf.plotting.feature_tables import memberships, profile, topics
from nbmf.plotting.held_out_scores import score_against_K
from nbmf.plotting.paths import paths
from nbmf.plotting.positions import positions
from nbmf.plotting.scale import scale

__all__ = [
    "chains",
    "co_clustering",
    "dictionary",
    "memberships",
    "paths",
    "positions",
    "profile",
    "reconstruction",
    "scale",
    "score_against_K",
    "topics",
]
