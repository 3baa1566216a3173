"""What nbmf compare says first: the table of scores."""

import numpy as np
import pytest

import nbmf
from nbmf.evaluation.verdict import choose
from nbmf.reporting import text
from nbmf.reporting.comparison_report import comparison_report, score_table


def rows_of(found):
    """Return the cells of each row by what is scored."""
    table = score_table(found)
    return {row[0]: dict(zip(table.head[1:], row[1:], strict=True)) for row in table.rows}


def test_the_table_names_the_unit_of_what_is_not_comparable():
    V = np.random.default_rng(0).integers(0, 2, (10, 8))
    found = nbmf.compare(V, ["lda", "bica"], 2, masks=1, log=lambda line: None)
    notes = {label: cells[""] for label, cells in rows_of(found).items()}
    assert notes["LDA"] == "per token: not comparable"
    assert not [label for label, note in notes.items() if label != "LDA" and "comparable" in note]


def test_the_table_has_the_brier_score_of_what_predicts_probabilities_of_a_one():
    V = np.random.default_rng(0).integers(0, 2, (10, 8))
    found = nbmf.compare(V, ["lda", "bica"], 2, masks=2, log=lambda line: None)
    brier = {label: cells["Brier"] for label, cells in rows_of(found).items()}
    means = found.scores.groupby("method")["brier"].mean()
    assert brier["LDA"] == ""
    assert brier["bICA"] == f"{means['bica']:.4f}"
    assert brier["row means"] == f"{means['row-proportions']:.4f}"
    title, _, head, *lines = text.render(comparison_report(found, next_command=lambda *_: "")).splitlines()
    assert title == f"Held-out log loss of {found.name} over 2 masks: nats per entry, smaller is better"
    end = head.index("Brier") + len("Brier")  # columns of numbers are aligned
    assert [line[end - 6 : end].strip() for line in lines[: len(brier)]] == [*brier.values()]


@pytest.mark.parametrize(("methods", "is_said"), [(["bica"], True), (["bica", "logistic-vb"], False)])
def test_a_structure_test_of_a_method_that_is_not_compared_says_so(methods, is_said):
    V = np.random.default_rng(0).integers(0, 2, (20, 8))
    structure = choose(V, [nbmf.LogisticFactorVB(2, effects="none", ard=False, max_iter=5, random_state=0)])
    found = nbmf.compare(
        V, {name: {"settings": {"max_iter": 5}} for name in methods}, 2, masks=1, log=lambda line: None
    )
    report = comparison_report(found, next_command=lambda *given: f"unchecked: {given[2]}", structure=structure)
    said = " ".join(text.render(report).split())
    assert said.endswith("although they may predict no better than baselines: unchecked: True")
    assert "(this method: logistic VB, K = 2, which nbmf fit takes if none is named" in said
    assert ("and which is not among those below" in said) == is_said
