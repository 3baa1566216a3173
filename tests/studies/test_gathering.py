"""Reports of fits as tables, and what fewer of their starts would have found."""

import json

import numpy as np
import pandas as pd
import pytest

from nbmf_studies.framework.gathering import best_of_starts, reports

OBJECTIVES = {("a", 2): [-5.0, -3.0, -4.0], ("a", 3): [-1.0, -2.0, np.nan], ("b", 2): [-7.0]}
TABLE = pd.DataFrame(
    [
        {"dataset": name, "K": K, "start": start, "objective": value, "score": 10 * K + start}
        for (name, K), values in OBJECTIVES.items()
        for start, value in reversed(list(enumerate(values)))
    ]
)


def test_of_each_group_the_start_with_the_largest_objective_is_kept():
    best = best_of_starts(TABLE, ["dataset", "K"])
    assert best.columns.tolist() == [*TABLE.columns, "starts", "spread"]
    assert best[["dataset", "K"]].apply(tuple, axis=1).tolist() == list(OBJECTIVES)
    assert best["start"].tolist() == [1, 0, 0]
    assert best["score"].tolist() == [21, 30, 20]
    assert best["starts"].tolist() == [3, 3, 1]
    np.testing.assert_array_equal(best["spread"], [2.0, np.nan, 0.0])


@pytest.mark.parametrize(("count", "kept", "spread"), [(1, 0, 0.0), (2, 1, 2.0), (9, 1, 2.0)])
def test_fewer_starts_are_the_first_of_them_whatever_the_order_of_rows(count, kept, spread):
    best = best_of_starts(TABLE, ["dataset", "K"], count).iloc[0]
    assert (best["start"], best["spread"], best["starts"]) == (kept, spread, min(count, 3))


def test_groups_may_lack_a_name():
    nameless = TABLE["dataset"].where(TABLE["dataset"] != "a")
    best = best_of_starts(TABLE.assign(dataset=nameless), ["dataset", "K"])
    assert best["score"].tolist() == [21, 30, 20]


def test_the_objective_may_have_another_name():
    table = TABLE.rename(columns={"objective": "bound"})
    assert best_of_starts(table, ["dataset", "K"], objective="bound")["start"].tolist() == [1, 0, 0]


def test_reports_come_with_their_columns(tmp_path):
    path = tmp_path / "fit.json"
    path.write_text(json.dumps({"seconds": 2.0}), encoding="utf-8")
    assert list(reports([({"K": 2}, str(path))])) == [({"K": 2}, {"seconds": 2.0})]
