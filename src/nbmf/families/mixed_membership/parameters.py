"""The parameters of this family alone."""

import numpy as np

from nbmf.inference.parameters import RULES as SHARED
from nbmf.inference.parameters import Rule, at_least, is_number, one_of

ROWS, COLUMNS = "rows", "columns"  # of V, which are data points with memberships
MIXTURE, FULL, FAST = "mnb", "mmnb", "fast-mmnb"  # models of a table

AT_LEAST_ZERO = Rule(lambda value: is_number(value) and 0 <= value < np.inf, "a number of at least 0")

RULES = SHARED | {
    "orientation": one_of(ROWS, COLUMNS),
    "smoothing": AT_LEAST_ZERO,
    "inner_max": at_least(1),
    "inner_tol": AT_LEAST_ZERO,
}
