"""The comparison with the published run: what counts as the same."""

import pandas as pd
import pytest

from nbmf.workflow.verification import compare_with_reference


def run(*perplexities, **changes):
    key = {"dataset": "animals", "method": "bica", "K": 2, "seed": 0, "settings": "{}"} | changes
    rows = [{**key, "mask": mask, "perplexity": value} for mask, value in enumerate(perplexities)]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("ours", "result"),
    [
        ((0.5, 0.6, 0.7), "identical"),
        ((0.5, 0.6, 0.7 + 1e-9), "rounding"),
        ((0.5, 0.6, 0.7 * 1.00099), "rounding"),
        ((0.55, 0.6, 0.8), "same median"),
        ((0.5, 0.6 * 1.0199, 0.7), "same median"),
        ((0.5, 0.6 * 1.0201, 0.7), "differs"),
    ],
)
def test_results_by_hand(ours, result):
    table = compare_with_reference(run(*ours), run(0.5, 0.6, 0.7))
    assert table["result"].tolist() == [result]
    assert table["fits"].tolist() == [3]


def test_only_fits_of_both_runs_with_the_same_settings_count():
    reference = pd.concat([run(0.5, 0.6, 0.7), run(0.4, K=3)])
    assert compare_with_reference(run(0.5, 0.6), reference)["fits"].tolist() == [2]
    assert compare_with_reference(run(0.5, settings="{1}"), reference).empty
    both = compare_with_reference(pd.concat([run(0.5), run(0.4, K=3)]), reference)
    assert both["K"].tolist() == [2, 3]
