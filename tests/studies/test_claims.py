"""The claims: every rule on made-up runs in which it holds, and in which it does not."""

import pandas as pd
import pytest
from made_up_run import METHODS, made_up

from nbmf_studies.framework.verdicts import judge
from nbmf_studies.lumbreras2020 import claims
from nbmf_studies.lumbreras2020.claims import CLAIMS, Results, arrival, paper_numbers


def test_one_mask_says_nothing_of_how_much_a_method_varies():
    run = made_up()
    one = Results(run.scores[run.scores["mask"] == 0], run.traces)
    names = [part.where for part in CLAIMS[2].decide(one)]
    assert "varies less" in [part.where for part in CLAIMS[2].decide(run)]
    assert "varies less" not in names
    assert "no improvement in general" in names


def without(run, method, grid):
    """Return a run in which a method has no fits of some K."""
    scores = run.scores
    return Results(scores[~((scores["method"] == method) & scores["K"].isin(grid))], run.traces)


def test_collapsed_and_uncollapsed_fits_are_compared_at_the_K_that_both_have():
    grid = METHODS["bica"]
    better = made_up({(dataset, "c-bica", grid[0]): 0.4 for dataset in claims.PAPER_DATASETS})
    one = [part for part in CLAIMS[2].decide(without(better, "bica", grid[1:])) if part.where.startswith("no ")]
    assert one[0].evidence.startswith("c-bICA is better in 100% of the pairs")
    assert not one[0].holds
    apart = without(without(better, "bica", grid[1:]), "c-bica", grid[:1])
    assert list(CLAIMS[2].decide(apart)) == []


def verdicts(run):
    return judge(CLAIMS, run)[0]["verdict"].tolist()


def test_the_tables_are_what_is_judged():
    run = made_up()
    found, parts = judge(CLAIMS, run)
    pd.testing.assert_frame_equal(claims.claims(*run), found)
    pd.testing.assert_frame_equal(claims.claims_parts(*run), parts)


def test_a_run_in_which_all_claims_hold():
    found, parts = judge(CLAIMS, made_up())
    assert found["verdict"].tolist() == ["reproduced"] * len(CLAIMS), parts.to_string()
    assert found["number"].tolist() == [1, 2, 3, 4, 5, 6]
    assert (parts.groupby("number").size() == [5, 1, 4, 14, 6, 15]).all()
    assert not parts["evidence"].str.contains("nan").any()


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (1, {("lastfm", "beta-dir-vb", 100): 0.5}),  # as good as bICA with its best K
        (1, {("unvotes", "beta-dir-vb", 100): 0.516}),
        (3, {("lastfm", "c-bica", 4): 0.519, ("lastfm", "c-bica", 5): 0.499}),
        (4, {("lastfm", "logpca", 2): 0.49}),
        (4, {("lastfm", "logpca", 2): 0.43}),  # by more than marginally
        (4, {("unvotes", "logpca", 4): 0.475}),  # with every K
        (4, {("animals", "logpca", 2): 0.55}),
        (4, {("animals", "logpca", 4): 1.04, ("paleo", "logpca", 4): 0.58}),  # nowhere drastically
        (5, {("lastfm", "beta-dir-vb", 100): 0.7}),
    ],
)
def test_one_part_that_fails_makes_it_partly(number, changes):
    assert verdicts(made_up(changes))[number - 1] == "partly"


def test_the_margins_are_those_of_the_rules():
    assert verdicts(made_up({("unvotes", "beta-dir-vb", 100): 0.5 * 1.0299}))[0] == "reproduced"
    assert verdicts(made_up({("lastfm", "beta-dir-vb", 100): 0.4999}))[0] == "reproduced"
    assert verdicts(made_up({("lastfm", "c-bica", K): 0.521 for K in (4, 5)}))[2] == "reproduced"
    assert verdicts(made_up({("lastfm", "logpca", 2): 0.4321}))[3] == "reproduced"
    far = {("lastfm", "logpca", 4): 0.71, ("animals", "logpca", 4): 0.7, ("paleo", "logpca", 4): 0.58}
    assert verdicts(made_up(far))[3] == "reproduced"  # on any dataset
    on_paleo = {("paleo", "dir-dir-gs", 100): 0.48 * 0.9701}
    assert verdicts(made_up(on_paleo))[1] == "not reproduced"
    assert verdicts(made_up({("paleo", "dir-dir-gs", 100): 0.48 * 0.9699}))[1] == "reproduced"


def test_a_claim_none_of_whose_parts_holds_is_not_reproduced():
    assert verdicts(made_up(active=34))[5] == "not reproduced"
    assert verdicts(made_up(active=33))[5] == "reproduced"
    worse = {(d, "beta-dir-vb", 100): 0.7 for d in claims.PAPER_DATASETS}
    assert verdicts(made_up(worse))[0] == "not reproduced"


def test_what_was_not_run_is_not_measured():
    without_paleo = verdicts(made_up(datasets=("animals", "parliament")))
    assert without_paleo[1] == "not measured"
    assert "not measured" not in without_paleo[2:]
    without_bica = verdicts(made_up(methods=[name for name in METHODS if name != "bica"]))
    assert without_bica == ["not measured"] * 5 + ["reproduced"]
    assert set(verdicts(made_up(datasets=("beta_dir_1",)))) == {"not measured"}


def test_what_holds_on_the_datasets_that_were_run_holds_so_far():
    for made in (made_up(), made_up(active=34)):
        of_all = claims.claims(*made)["verdict"].tolist()
        some = claims.claims(*Results(made.scores[made.scores["dataset"] != "unvotes"], made.traces))[
            "verdict"
        ].tolist()
        assert some[1] == of_all[1] == "reproduced"  # the claim is about paleo
        assert some[5] == f"{of_all[5]} so far"
    one = claims.claims(*made_up({("lastfm", "logpca", 2): 0.43}, datasets=("animals", "lastfm")))
    assert one["verdict"].tolist()[3] == "partly"  # whatever the others show


@pytest.mark.parametrize("lacks", ["animals", "paleo"])  # the first, and another
def test_a_dataset_without_one_of_the_methods_is_not_among_those_that_were_run(lacks):
    made = made_up()
    fewer = [table[(table["dataset"] != lacks) | (table["method"] != "c-bica")] for table in (made.scores, made.traces)]
    found, parts = claims.claims(*fewer), claims.claims_parts(*fewer)
    assert not parts["where"].str.contains(lacks).any()
    assert not parts["evidence"].str.contains("nan").any()
    of_paleo = "not measured" if lacks == "paleo" else "reproduced"
    assert found["verdict"].tolist() == ["reproduced so far", of_paleo, *["reproduced so far"] * 4]


@pytest.mark.parametrize(
    ("values", "expected"), [([3.0, 2.0, 1.005, 1.0], 3), ([1.0, 1.0], 1), ([1.0, 1.5, 1.0, 1.0], 3), ([2.0, 1.0], 2)]
)
def test_arrival_by_hand(values, expected):
    assert arrival(pd.Series(values, index=range(1, len(values) + 1))) == expected


def test_paper_numbers_by_hand():
    key = {"dataset": "parliament", "method": "beta-dir-vb", "K": 100}
    scores = pd.DataFrame(
        [
            {**key, "seed": seed, "loss": loss, "active_components": 8, "W_min": 0, "W_max": 1}
            for seed, loss in enumerate([4700.0, 4729.4, 4800.0])
        ]
    )
    table = paper_numbers(scores).set_index("quantity")
    row = table.loc["D(V|V^)"]
    assert (row["paper"], row["seeds"], row["min"], row["median"]) == (4729, 3, 4700.0, 4729.4)
    assert row["inside"]
    assert not table.loc["active components", "inside"]  # 8 of ours, 9 of the paper
    assert paper_numbers(scores.assign(dataset="animals")).empty


def test_traces_that_were_not_recorded_leave_claim_5_open():
    methods = {**METHODS, "c-bica": [4]}
    run = made_up(methods=methods)
    keep = ~((run.traces["method"] == "c-bica") & (run.traces["K"] == 5))
    assert verdicts(Results(run.scores, run.traces[keep]))[4] == "not measured"
