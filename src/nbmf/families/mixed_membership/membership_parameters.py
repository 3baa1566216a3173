"""The parameters of this family alone."""

from nbmf.families.mixed_membership.dirichlet import LARGEST, SMALLEST
from nbmf.inference.parameters import AT_LEAST_ZERO, Rule, at_least, is_number, one_of
from nbmf.inference.parameters import RULES as SHARED
from nbmf.inference.products import COLUMNS, ROWS

MIXTURE, FULL, FAST = "mnb", "mmnb", "fast-mmnb"  # models of a table
RANDOM_ROWS, OF_MIXTURE = "rows", "mixture"  # that components start from
ALWAYS, LATE, NEVER = "always", "late", "never"  # that rows start an E-step where their last one ended

OLD_NAMES = {"tol": "relative_change_tol"}

RULES = SHARED | {
    "orientation": one_of(ROWS, COLUMNS),
    "smoothing": AT_LEAST_ZERO,
    "inner_max": at_least(1),
    "inner_tol": AT_LEAST_ZERO,
    "first_alpha": Rule(
        lambda value: value is None or (is_number(value) and SMALLEST <= value <= LARGEST),
        f"None, or a number from {SMALLEST:g} to {LARGEST:g}",
    ),
    "alpha_held": at_least(0),
    "start_from": one_of(RANDOM_ROWS, OF_MIXTURE),
    "warm": Rule(lambda value: value is None or value in (ALWAYS, LATE, NEVER), f"None, {ALWAYS}, {LATE} or {NEVER}"),
}
