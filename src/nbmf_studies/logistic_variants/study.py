"""What the study shows: what is compared on masks, and chains of the Indian buffet process."""

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Study

FIGURE_10 = common.figure_of_compared("figure_10", "Figure 10 of logistic factor models")

STUDY = Study(
    "logistic_variants",
    "Variants of logistic factor models",
    "no paper: precisions that are learned, effects, more factors, and a number that is found",
    figures=(FIGURE_10, common.SCORE_AND_TIME, common.traces_of_samplers),
    tables=(common.SCORES, common.SUMMARY, *(*common.RANKING_TABLES, *common.UNMASKED_TABLES)),
    front=("figure_10", "ranking"),
)
