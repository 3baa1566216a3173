"""Figure 10 with every family, its baselines, a ranking per dataset, and calibration."""

from nbmf.studies import common
from nbmf.studies.declaration import Figure, Study, Table
from nbmf.studies.needs import MaskedMatrices, TableOf

BASELINES = Table(
    "baselines",
    "Predictions without components",
    "all_methods/captions/baselines.rst",
    "nbmf.comparison.baselines:tabulate",
    needs=lambda plan: {"masked": MaskedMatrices(plan.masks_of(plan.datasets))},
    in_report=True,
    float_format="%.6g",
)
RANKING = Table(
    "ranking",
    "The methods, best first",
    "all_methods/captions/ranking.rst",
    "nbmf.studies.all_methods.ranking:rank",
    needs=lambda plan: {"scores": TableOf("scores"), "baselines": TableOf("baselines")},
    arguments=lambda plan: {"labels": plan.labels(plan.comparable(plan.methods))},
    in_report=True,
    float_format="%.6g",
)
FIGURE_10 = Figure(
    "figure_10",
    "Figure 10 of all methods",
    "all_methods/captions/figure_10.rst",
    "nbmf.plots.boxes:draw",
    needs=lambda plan: {"scores": TableOf("scores"), "baselines": TableOf("baselines")},
    arguments=common.compared,
    with_gaps=True,
)

STUDY = Study(
    "all_methods",
    "All methods",
    "no paper: every method of this package on the datasets of the main one",
    figures=(FIGURE_10, common.CALIBRATION_FIGURE),
    tables=(common.SCORES, common.SUMMARY, BASELINES, RANKING, *common.CALIBRATION_TABLES),
    front=("figure_10", "ranking"),
)
