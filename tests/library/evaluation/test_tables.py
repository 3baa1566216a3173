"""The tidy tables: one row per fit, one per point of a trace, and summaries by hand."""

import json

import pandas as pd
import pytest

from nbmf.errors import DataError
from nbmf.evaluation.score_table import (
    CALIBRATION,
    FACTS,
    FURTHER,
    TRACE,
    best_fit,
    gather_calibration,
    gather_scores,
    gather_traces,
    summarise,
    summarise_unmasked,
)

FIT = {
    "n_test": 10,
    "perplexity": 0.5,
    "loss": 5.0,
    "unit": "nats per held-out entry",
    "saturated": 0,
    "seconds": 1.5,
    "n_iter": 20,
    "converged": None,
    "active_components": 3,
    "W_min": 0.0,
    "W_max": 0.75,
    "status": "ok",
    "settings": {"max_iter": 20, "alpha": 1},
    "further_scores": {
        "brier": 0.125,
        "calibration": {"entries": [6, 0, 4], "sum_p": [1.5, 0.0, 3.5], "ones": [0, 0, 3]},
    },
    "trace": {"iteration": [1, 2], "perplexity": [0.7, 0.5], "objective": [None, None], "active_components": [2, 3]},
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
    assert list(table.columns[5:]) == [*FACTS, *FURTHER]
    assert set(FACTS) == FIT.keys() - {"trace", "further_scores"}
    assert table["method"].tolist() == ["lda", "bica"]
    assert table["perplexity"].tolist() == [5.5, 0.5]
    assert table["status"].tolist() == ["ok", "not converged"]
    assert table["mask"].tolist() == [1, 0]


def test_settings_are_text_with_sorted_keys(tmp_path):
    """As text they stay in one cell, and the same settings in another order are the same text."""
    other = FIT | {"settings": {"alpha": 1, "max_iter": 20}}
    fits = [(key(0), write(tmp_path, "a", FIT)), (key(1), write(tmp_path, "b", other))]
    assert gather_scores(fits)["settings"].tolist() == ['{"alpha": 1, "max_iter": 20}'] * 2


DAMAGED = pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "JSONDecodeError"),
        (json.dumps(FIT)[:-40], "JSONDecodeError"),
        ("{}", "KeyError"),
        ("[]", "TypeError"),
        ("null", "TypeError"),
    ],
    ids=["empty", "truncated", "no facts", "a list", "null"],
)


@DAMAGED
@pytest.mark.parametrize("gather", [gather_scores, gather_traces, gather_calibration])
def test_a_damaged_fit_is_named(tmp_path, gather, content, words):
    good, damaged = write(tmp_path, "good", FIT), write(tmp_path, "damaged", content)
    with pytest.raises(DataError, match=rf"not a whole report of a fit \(.*{words}") as caught:
        gather([(key(0), good), (key(1), damaged)])
    assert str(caught.value).startswith(str(damaged))
    assert str(caught.value).endswith("; remove it and run again")


@pytest.mark.parametrize(
    ("gather", "fact"),
    [
        *((gather_scores, fact) for fact in [*FACTS, "further_scores"]),
        (gather_traces, "trace"),
        (gather_calibration, "further_scores"),
    ],
)
def test_a_fit_without_one_fact_is_named(tmp_path, gather, fact):
    damaged = write(tmp_path, "damaged", {name: FIT[name] for name in FIT if name != fact})
    with pytest.raises(DataError, match=rf"damaged\.json: not a whole report of a fit \(.*'{fact}'"):
        gather([(key(), damaged)])


@pytest.mark.parametrize("gather", [gather_scores, gather_traces, gather_calibration])
def test_bytes_that_are_no_text_are_named(tmp_path, gather):
    path = tmp_path / "damaged.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"damaged\.json: not a whole report of a fit"):
        gather([(key(), path)])


# --- Traces ----------------------------------------------------------------------------------


def test_one_row_per_fit_and_recorded_iteration(tmp_path):
    longer = {
        "iteration": [1, 5, 9],
        "perplexity": [0.9, 0.8, 0.6],
        "objective": [-30.5, -20.0, -10.0],
        "active_components": [2, 2, 1],
    }
    fits = [(key(1, method="lda"), write(tmp_path, "b", FIT | {"trace": longer})), (key(0), write(tmp_path, "a", FIT))]
    traces = gather_traces(fits)
    assert list(traces.columns) == ["dataset", "method", "K", "mask", "seed", *TRACE]
    assert traces["method"].tolist() == ["lda"] * 3 + ["bica"] * 2
    assert traces["mask"].tolist() == [1, 1, 1, 0, 0]
    assert traces["iteration"].tolist() == [1, 5, 9, 1, 2]
    assert traces["perplexity"].tolist() == [0.9, 0.8, 0.6, 0.7, 0.5]
    assert traces["active_components"].tolist() == [2, 2, 1, 2, 3]
    assert traces["objective"].tolist()[:3] == [-30.5, -20.0, -10.0]
    assert traces["objective"].isna().tolist() == [False] * 3 + [True] * 2
    assert traces.index.tolist() == [0, 1, 2, 3, 4]


def test_traces_without_objective_are_numbers_in_the_file(tmp_path):
    """CVB0 has no objective: an empty cell, read back as NaN."""
    gather_traces([(key(), write(tmp_path, "a", FIT))]).to_csv(tmp_path / "t.csv", index=False)
    assert pd.read_csv(tmp_path / "t.csv")["objective"].isna().all()


@pytest.mark.parametrize(
    "trace",
    [None, [], 7, {"iteration": [1, 2]}, FIT["trace"] | {"perplexity": [0.5]}],
    ids=["null", "a list", "a number", "columns missing", "lengths differ"],
)
def test_a_damaged_trace_is_named(tmp_path, trace):
    good = write(tmp_path, "good", FIT)
    damaged = write(tmp_path, "damaged", FIT | {"trace": trace})
    with pytest.raises(DataError, match=r"damaged\.json: not a whole report of a fit"):
        gather_traces([(key(0), good), (key(1), damaged)])


# --- Further scores --------------------------------------------------------------------------


def test_a_further_score_is_a_column_and_missing_where_there_is_none(tmp_path):
    fits = [(key(0), write(tmp_path, "a", FIT)), (key(1), write(tmp_path, "b", FIT | {"further_scores": {}}))]
    table = gather_scores(fits)
    assert table["brier"][0] == 0.125
    table.to_csv(tmp_path / "scores.csv", index=False)
    assert pd.read_csv(tmp_path / "scores.csv")["brier"].isna().tolist() == [False, True]


def test_one_row_per_fit_and_bin_that_has_an_entry(tmp_path):
    other = {"entries": [0, 2, 8], "sum_p": [0.0, 1.0, 6.0], "ones": [0, 1, 8]}
    fits = [
        (key(1), write(tmp_path, "b", FIT | {"further_scores": {"calibration": other}})),
        (key(0, method="lda"), write(tmp_path, "none", FIT | {"further_scores": {}})),
        (key(0), write(tmp_path, "a", FIT)),
    ]
    table = gather_calibration(fits)
    columns = ["dataset", "method", "K", "mask", "seed", *CALIBRATION]
    assert list(table.columns) == columns
    assert CALIBRATION == ["bin", "entries", "mean_p", "share_of_ones"]
    assert table[["method", "mask", *CALIBRATION]].to_numpy().tolist() == [
        ["bica", 1, 1, 2, 0.5, 0.5],
        ["bica", 1, 2, 8, 0.75, 1.0],
        ["bica", 0, 0, 6, 0.25, 0.0],
        ["bica", 0, 2, 4, 0.875, 0.75],
    ]
    assert list(gather_calibration(fits[1:2]).columns) == columns


@pytest.mark.parametrize(
    "further",
    [None, 7, {"calibration": {"entries": [1]}}, {"calibration": {"entries": [1, 2], "sum_p": [0.5], "ones": [1]}}],
    ids=["null", "a number", "lists missing", "lengths differ"],
)
def test_damaged_further_scores_are_named(tmp_path, further):
    damaged = write(tmp_path, "damaged", FIT | {"further_scores": further})
    with pytest.raises(DataError, match=r"damaged\.json: not a whole report of a fit"):
        gather_calibration([(key(), damaged)])


# --- Summaries -------------------------------------------------------------------------------


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
    table = scores(
        *(
            {"dataset": dataset, "method": method, "K": K, "perplexity": i}
            for i, (dataset, method, K) in enumerate(groups * 2)
        )
    )
    summary = summarise(table)
    assert list(summary[["dataset", "method", "K"]].itertuples(index=False, name=None)) == groups
    assert summary["fits"].tolist() == [2, 2, 2, 2]
    assert summary["median"].tolist() == [2, 3, 4, 5]


def unmasked(*rows):
    """Return scores of unmasked fits: seeds in place of masks."""
    return scores(*rows).drop(columns="mask").assign(seed=range(len(rows)))


def test_the_spread_over_seeds_by_hand():
    table = unmasked(
        {"loss": 30.0, "active_components": 9, "seconds": 1},
        {"loss": 10.0, "active_components": 4, "seconds": 50},
        {"loss": 20.0, "active_components": 5, "seconds": 3},
    )
    (row,) = summarise_unmasked(table).to_dict("records")
    assert (row["min_loss"], row["median_loss"], row["max_loss"]) == (10, 20, 30)
    assert (row["min_active"], row["median_active"], row["max_active"]) == (4, 5, 9)
    assert (row["seeds"], row["best_seed"], row["seconds"]) == (3, 1, 3)


def test_unmasked_fits_are_summarised_in_the_order_of_the_scores():
    groups = [("paleo", "lda", 3), ("paleo", "lda", 2), ("paleo", "bica", 2), ("animals", "lda", 3)]
    losses = [8, 7, 6, 5, 1, 2, 3, 9]  # of seed 0, then of seed 1
    table = unmasked(
        *(
            {"dataset": dataset, "method": method, "K": K, "loss": losses[i]}
            for i, (dataset, method, K) in enumerate(groups * 2)
        )
    ).assign(seed=[0] * 4 + [1] * 4)
    summary = summarise_unmasked(table)
    assert list(summary[["dataset", "method", "K"]].itertuples(index=False, name=None)) == groups
    assert summary["min_loss"].tolist() == [1, 2, 3, 5]
    assert summary["best_seed"].tolist() == [1, 1, 1, 0]


def test_of_equal_losses_the_first_seed_is_best():
    table = unmasked({"loss": 2.0}, {"loss": 1.0}, {"loss": 1.0})
    assert summarise_unmasked(table)["best_seed"].tolist() == [1]


# --- The best fit ----------------------------------------------------------------------------


def reports(folder, *losses):
    names = [f"K2-seed{seed}" for seed in range(len(losses))]
    for name, loss in zip(names, losses, strict=True):
        write(folder, name, FIT | {"loss": loss, "active_components": int(loss)})
    return [str(folder / f"{name}.json") for name in names]


def test_the_best_fit_has_the_smallest_loss_and_is_that_of_the_summary(tmp_path):
    paths = reports(tmp_path, 30.0, 10.0, 20.0)
    path, report = best_fit(paths)
    assert path == paths[1]
    assert report == {"loss": 10.0, "active_components": 10}
    assert best_fit(reports(tmp_path, 2.0, 1.0, 1.0))[0].endswith("seed1.json")


@DAMAGED
def test_a_damaged_fit_to_choose_from_is_named(tmp_path, content, words):
    paths = reports(tmp_path, 30.0, 10.0)
    damaged = write(tmp_path, "K2-seed0", content)
    with pytest.raises(DataError, match=rf"not a whole report of a fit \(.*{words}") as caught:
        best_fit(paths)
    assert str(caught.value).startswith(str(damaged))
