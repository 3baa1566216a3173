"""What the configuration may say of the figures: the schemas of their options."""

from nbmf_studies.cemgil2009.simulation import Truth
from nbmf_studies.framework.options import closed

COUNT = {"type": "integer", "minimum": 1}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}
TOLERANCE = {"type": "number", "minimum": 0}
ORDERS = {"type": "array", "minItems": 1, "uniqueItems": True, "items": COUNT}
NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}
TRUTH = closed(
    list(Truth._fields), **{name: COUNT if name in ("rows", "columns", "K") else POSITIVE for name in Truth._fields}
)
OF_FIGURE_3 = closed(
    ["truth", "orders", "bound", "chib", "annealing"],
    truth=TRUTH,
    orders=ORDERS,
    bound=closed(
        ["starts", "max_iter", "relative_gain_tol"], starts=COUNT, max_iter=COUNT, relative_gain_tol=TOLERANCE
    ),
    chib=closed(
        ["matrices", "runs", "sweeps"],
        matrices={"type": "integer", "minimum": 0},
        runs=COUNT,
        sweeps={"type": "object", "additionalProperties": COUNT},
    ),
    annealing=closed(["temperatures", "chains"], temperatures=COUNT, chains=COUNT),
)
OF_FIGURE_4 = closed(
    ["datasets", "orders", "starts", "settings"],
    datasets=NAMES,
    orders=ORDERS,
    starts=COUNT,
    settings={"type": "object"},
)
OF_FIGURE_5 = closed(["dataset", "image"], dataset={"type": "string"}, image={"type": "integer", "minimum": 0})
PATCH = {"type": "array", "minItems": 4, "maxItems": 4, "items": {"type": "integer", "minimum": 0, "maximum": 16}}
OF_FIGURE_6 = closed(
    ["dataset", "run", "order"], dataset={"type": "string"}, order=COUNT, run={"type": "integer", "minimum": 0}
)
OF_FIGURE_7 = closed(
    ["datasets", "orders", "iterations", "runs", "patches", "images", "per_person"],
    datasets=NAMES,
    orders=ORDERS,
    iterations=COUNT,
    runs=COUNT,
    images=COUNT,
    per_person=COUNT,
    patches={"type": "array", "minItems": 1, "items": PATCH},
)
