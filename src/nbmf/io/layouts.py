"""What a file may be, besides a matrix: the layouts that `nbmf.read` and the command line know."""

# What the columns of a list are; of those without a name in the options the first ones are taken.
ROLES = {"long": ("row", "column", "value"), "presence": ("row", "column")}
BASKET = "basket"  # whose lines are lists of items, and no columns
LAYOUTS = (*ROLES, BASKET)
ABSENT = {"zeros": 0, "missing": -1}  # what pairs without a record are, as codes
