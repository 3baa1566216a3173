"""The parameters of this family alone."""

from nbmf.inference.parameters import AT_LEAST_ZERO, at_least, one_of
from nbmf.inference.parameters import RULES as SHARED

ROWS, COLUMNS = "rows", "columns"  # of V, which are data points with memberships
MIXTURE, FULL, FAST = "mnb", "mmnb", "fast-mmnb"  # models of a table

OLD_NAMES = {"tol": "relative_change_tol"}

RULES = SHARED | {
    "orientation": one_of(ROWS, COLUMNS),
    "smoothing": AT_LEAST_ZERO,
    "inner_max": at_least(1),
    "inner_tol": AT_LEAST_ZERO,
}
