"""The tidy table: one row per fit, and a summary by hand."""

import json

import pandas as pd
import pytest

from nbmf.errors import DataError
from nbmf.tables import gather_scores, summarise

FIT = {
    "n_test": 10,
    "perplexity": 0.5,
    "unit": "nats per held-out entry",
    "saturated": 0,
    "seconds": 1.5,
    "n_iter": 20,
    "converged": None,
    "active_components": 3,
    "status": "ok",
    "trace": {"iteration": [1, 2]},
}


def key(mask=0, **changes):
    return {"dataset": "animals", "method": "bica", "K": 2, "mask": mask, "seed": 0, **changes}


def write(folder, name, content):
    path = folder / f"{name}.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_one_row_per_fit_in_the_given_order(tmp_path):
    fits = [
        (key(1, method="lda"), write(tmp_path, "b", FIT | {"perplexity": 5.5, "seconds": 2})),
        (key(0), write(tmp_path, "a", FIT | {"converged": False, "status": "not converged"})),
    ]
    table = gather_scores(fits)
    assert list(table.columns[:5]) == ["dataset", "method", "K", "mask", "seed"]
    assert set(table.columns[5:]) == FIT.keys() - {"trace"}
    assert table["method"].tolist() == ["lda", "bica"]
    assert table["perplexity"].tolist() == [5.5, 0.5]
    assert table["status"].tolist() == ["ok", "not converged"]
    assert table["mask"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "JSONDecodeError"),
        (json.dumps(FIT)[:-40], "JSONDecodeError"),
        ({name: value for name, value in FIT.items() if name != "saturated"}, "'saturated'"),
        ("{}", "KeyError"),
        ("[]", "TypeError"),
        ("null", "TypeError"),
    ],
    ids=["empty", "truncated", "a fact less", "no facts", "a list", "null"],
)
def test_a_damaged_fit_is_named(tmp_path, content, words):
    good, damaged = write(tmp_path, "good", FIT), write(tmp_path, "damaged", content)
    with pytest.raises(DataError, match=rf"not a complete fit \(.*{words}") as caught:
        gather_scores([(key(0), good), (key(1), damaged)])
    assert str(caught.value).startswith(str(damaged))


def test_bytes_that_are_no_text_are_named(tmp_path):
    path = tmp_path / "damaged.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"damaged\.json: not a complete fit"):
        gather_scores([(key(), path)])


def scores(*rows):
    return pd.DataFrame([{**key(mask), **FIT, **row} for mask, row in enumerate(rows)])


def test_quartiles_and_facts_by_hand():
    table = scores(
        *({"perplexity": p, "seconds": s} for p, s in [(5, 1), (1, 9), (4, 2), (2, 8)]),
        {"perplexity": 3, "seconds": 30, "saturated": 7, "status": "not converged"},
    )
    (row,) = summarise(table).to_dict("records")
    assert (row["lower_quartile"], row["median"], row["upper_quartile"]) == (2, 3, 4)
    assert row["fits"] == 5
    assert row["saturated"] == 7
    assert row["not_converged"] == 1
    assert row["seconds"] == 8
    assert row["active_components"] == 3
    assert row["unit"] == "nats per held-out entry"


def test_quartiles_between_values_are_interpolated():
    (row,) = summarise(scores({"perplexity": 1}, {"perplexity": 2})).to_dict("records")
    assert (row["lower_quartile"], row["median"], row["upper_quartile"]) == (1.25, 1.5, 1.75)


def test_one_row_per_dataset_method_and_K_in_the_order_of_the_scores():
    groups = [("paleo", "lda", 3), ("paleo", "lda", 2), ("paleo", "bica", 2), ("animals", "lda", 3)]
    table = scores(*(
        {"dataset": dataset, "method": method, "K": K, "perplexity": i}
        for i, (dataset, method, K) in enumerate(groups * 2)
    ))  # fmt: skip
    summary = summarise(table)
    assert list(summary[["dataset", "method", "K"]].itertuples(index=False, name=None)) == groups
    assert summary["fits"].tolist() == [2, 2, 2, 2]
    assert summary["median"].tolist() == [2, 3, 4, 5]
