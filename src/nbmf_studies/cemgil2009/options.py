"""What the configuration may say of the figures: the schemas of their options."""

from nbmf_studies.cemgil2009.simulation import Truth
from nbmf_studies.framework.options import closed

COUNT = {"type": "integer", "minimum": 1}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}
ORDERS = {"type": "array", "minItems": 1, "uniqueItems": True, "items": COUNT}
NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}
TRUTH = closed(
    list(Truth._fields), **{name: COUNT if name in ("rows", "columns", "K") else POSITIVE for name in Truth._fields}
)
OF_FIGURE_3 = closed(
    ["truth", "orders", "starts", "chib"],
    truth=TRUTH,
    orders=ORDERS,
    starts=COUNT,
    chib=closed(["matrices", "runs"], matrices={"type": "integer", "minimum": 0}, runs=COUNT),
)
OF_FIGURE_4 = closed(["datasets", "orders", "starts"], datasets=NAMES, orders=ORDERS, starts=COUNT)
OF_FIGURE_5 = closed(["dataset", "image"], dataset={"type": "string"}, image={"type": "integer", "minimum": 0})
OF_FIGURE_6 = closed(
    ["dataset", "run", "order"], dataset={"type": "string"}, order=COUNT, run={"type": "integer", "minimum": 0}
)
OF_FIGURE_7 = closed(["datasets", "orders", "runs", "images"], datasets=NAMES, orders=ORDERS, runs=COUNT, images=COUNT)
