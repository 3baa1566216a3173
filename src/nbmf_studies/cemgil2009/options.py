"""What the configuration may say about the figures: the schemas of their options."""

from nbmf_studies.cemgil2009.reading_names import STARTS
from nbmf_studies.cemgil2009.simulation import Truth
from nbmf_studies.framework.options import COUNT, COUNTS, NAMES, POSITIVE, closed, several

FROM_ZERO = {"type": "integer", "minimum": 0}
TRUTH = closed(**{name: COUNT if name in ("rows", "columns", "K") else POSITIVE for name in Truth._fields})
OF_FIGURE_3 = closed(truth=TRUTH, orders=COUNTS, starts=COUNT, chib=closed(matrices=FROM_ZERO, runs=COUNT))
OF_FIGURE_4 = closed(datasets=NAMES, orders=COUNTS, starts=COUNT)
OF_FIGURE_5 = closed(dataset={"type": "string"}, image=FROM_ZERO)
OF_FIGURE_6 = closed(dataset={"type": "string"}, run=FROM_ZERO, order=COUNT)
OF_FIGURE_7 = closed(datasets=NAMES, orders=COUNTS, runs=COUNT, images=COUNT)

# Of the second reading
OF_FIGURE_3_SCALE = closed(
    truth=TRUTH,
    mean_b=POSITIVE,
    seeds=several(FROM_ZERO),
    orders=COUNTS,
    starts=COUNT,
    chib=closed(matrices=FROM_ZERO, orders=COUNTS, runs=COUNT),
    annealed=closed(matrices=FROM_ZERO, orders=COUNTS),
)
OF_FIGURE_4_STOPPED = {
    "type": "object",
    "additionalProperties": closed(**{"from": several({"enum": list(STARTS)})}, orders=COUNTS, starts=COUNT),
}
OF_FIGURE_7_TIES = closed(dataset={"type": "string"}, orders=COUNTS, first_run=FROM_ZERO, runs=COUNT, starts=COUNT)
