"""What the study shows: what is compared on masks, and chains of the Indian buffet process."""

from nbmf.studies import common
from nbmf.studies.declaration import Figure, Study
from nbmf.studies.needs import TableOf

CAPTIONS = "logistic_variants/captions"

FIGURE_10 = Figure(
    "figure_10",
    "Figure 10 of logistic factor models",
    f"{CAPTIONS}/figure_10.rst",
    "nbmf.plots.boxes:draw",
    needs=lambda plan: {"scores": TableOf("scores"), "baselines": TableOf("baselines")},
    arguments=common.compared,
    with_gaps=True,
)

STUDY = Study(
    "logistic_variants",
    "Variants of logistic factor models",
    "no paper: precisions that are learned, effects, more factors, and a number that is found",
    figures=(FIGURE_10, common.SCORE_AND_TIME, common.traces_of_samplers),
    tables=(
        *(common.SCORES, common.SUMMARY),
        *(*common.RANKING_TABLES, *common.UNMASKED_TABLES),
    ),
    front=("figure_10", "ranking"),
)
