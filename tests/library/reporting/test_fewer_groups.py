"""Groups of which there may be fewer: where the report says how to see those whose number held-out entries choose."""

from test_fit_report import VERDICT, WORDING, result, summary

from nbmf.evaluation.structure_result import LossDifference
from nbmf.reporting import fewer_groups as module
from nbmf.reporting.fewer_groups import fewer_groups

FINITE, CLASSES = "Beta-Dir VB, finite, K chosen", "MNB, rows, K chosen"


def fit(*others, active=4, **fields):
    """Return a fit of some active components, next to methods whose losses are larger by so much."""
    differences = tuple(LossDifference(title, 0.4 + mean, mean, 0.02) for title, mean in others)
    return result(components={"active": active}, verdict=VERDICT._replace(others=differences), **fields)


def test_groups_that_predict_no_worse_are_named_with_a_command_of_a_folder_of_its_own():
    """Of three blocks of an undirected network seven components were shown, and how to see the three was not said."""
    (step,) = fewer_groups(fit((CLASSES, -0.007), (FINITE, -0.006)), WORDING)
    assert step.words.startswith(f"{CLASSES} predicts no worse, and shows groups too: held-out entries choose how many")
    assert "fewer than these 4" in step.words
    assert step.command == "nbmf fit tiny.csv --method mnb-rows --out tiny-mnb-rows.nbmf"
    (step,) = fewer_groups(fit(("logistic VB, K = 8", -0.01), (FINITE, 0.0), (CLASSES, 0.001)), WORDING)
    assert "--method beta-dir-vb-finite" in step.command


def test_nothing_is_said_where_others_predict_worse_or_there_cannot_be_fewer():
    for shown in (
        fit((CLASSES, 0.007)),
        fit(("logistic VB, K = 8", -0.01)),
        fit((CLASSES, -0.007), active=2),
        fit((CLASSES, -0.007), component_search="K = 4 was taken"),
        result(components={"active": 4}),
    ):
        assert list(fewer_groups(shown, WORDING)) == []


def test_the_report_says_it_below_the_components(monkeypatch):
    monkeypatch.setattr(module, "FEWEST", 1)
    said = summary(fit((CLASSES, -0.007), active=2))
    assert said.index("component 2") < said.index(f"{CLASSES} predicts no worse")
