"""Figure 10 with every family, its baselines, a ranking per dataset, and calibration."""

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Study

FIGURE_10 = common.figure_of_compared("figure_10", "Figure 10 of all methods", make="nbmf.plotting.dots:draw")

STUDY = Study(
    "all_methods",
    "All methods",
    "no paper: every method of this package on the datasets of the main one",
    figures=(FIGURE_10, common.SCORE_AND_TIME, common.CALIBRATION_FIGURE),
    tables=(common.SCORES, common.SUMMARY, *(*common.RANKING_TABLES, *common.CALIBRATION_TABLES)),
    front=("figure_10", "ranking"),
)
