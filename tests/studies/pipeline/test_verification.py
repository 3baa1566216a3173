"""The comparison of a run with another: what counts as the same, and each way it fails."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from checkout import Checkout

from nbmf.errors import DataError, NbmfError
from nbmf_studies.pipeline import paths, verification
from nbmf_studies.pipeline.verification import (
    compare_runs,
    counts,
    describe_uncompared,
    read_tables,
    require_identical,
    require_repeated,
    summarise_comparison,
    unmatched_keys,
)

ROOT = Path(__file__).parents[3]
REFERENCE = ROOT / "reference/lumbreras2020"
NUMBERS = ["perplexity", "loss", "active_components", "n_iter", "saturated", "W_min", "W_max"]
SETTINGS = '{"alpha": 1, "gamma": "1/K"}'


def table(*perplexities, **changes):
    """Return one row per perplexity, of masks 0, 1 and so on."""
    numbers = {
        **{"loss": 3.5, "active_components": 2.0, "n_iter": 10, "n_test": 7, "saturated": 0},
        **{"W_min": 1e-300, "W_max": 0.75},
    }
    key = {"dataset": "animals", "method": "bica", "K": 2, "seed": 0, "settings": SETTINGS}
    return pd.DataFrame(
        [{**key, **numbers, "mask": mask, "perplexity": value, **changes} for mask, value in enumerate(perplexities)]
    )


def run(*perplexities, **changes):
    """Return the tables of a run; its unmasked fit is one of two seeds."""
    unmasked = pd.concat([table(0.25, seed=seed) for seed in (0, 1)]).drop(columns="mask")
    return {"scores": table(*perplexities, **changes), "unmasked_scores": unmasked}


def masked(ours, theirs):
    """Return the summary of the table of fits with held-out entries."""
    summary = summarise_comparison(compare_runs(ours, theirs))
    return summary[summary["table"] == "scores"].reset_index(drop=True)


@pytest.mark.parametrize(
    ("ours", "result"),
    [
        ((0.5, 0.6, 0.7), "identical"),
        ((0.5, 0.6, 0.7 * (1 + 5e-13)), "identical"),
        ((0.5, 0.6, 0.7 * (1 + 5e-12)), "rounding"),
        ((0.5, 0.6, 0.7 * 1.00099), "rounding"),
        ((0.5, 0.6, 0.7 * 1.00102), "same median"),
        ((0.55, 0.6, 0.8), "same median"),
        ((0.5, 0.6 * 1.0199, 0.7), "same median"),
        ((0.5, 0.6 * 1.0201, 0.7), "differs"),
    ],
)
def test_results_by_hand(ours, result):
    found = masked(run(*ours), run(0.5, 0.6, 0.7))
    assert found["result"].tolist() == [result]
    assert found["fits"].tolist() == [3]


def test_medians_below_zero_differ_as_those_above_do():
    """Log densities of real numbers may be negative."""
    found = masked(run(-1.0, -2.0, -3.0), run(-5.0, -6.0, -7.0))
    assert found["result"].tolist() == ["differs"]
    assert found["medians"].tolist() == pytest.approx([4 / 6])


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("unlike", ["other", "missing", "infinite"])
def test_one_number_of_one_row_is_enough_to_be_no_repetition(name, unlike):
    theirs = run(0.5, 0.6, 0.7)
    for which in theirs:
        ours = run(0.5, 0.6, 0.7)
        column = ours[which][name].to_numpy(float, copy=True)
        other = column[1] * (1 + 3e-12) if column[1] else 3e-12
        column[1] = {"other": other, "missing": np.nan, "infinite": np.inf}[unlike]
        ours[which] = ours[which].assign(**{name: column})
        with pytest.raises(NbmfError, match=f"{which}, animals.*{name} differs by") as error:
            require_identical(compare_runs(ours, theirs))
        assert len(str(error.value).splitlines()) == 2
    require_identical(compare_runs(run(0.5, 0.6, 0.7), theirs))


def test_a_number_that_the_reference_does_not_have_is_passed_over_and_that_is_said():
    ours, theirs = run(0.5, 0.6, brier=0.1), run(0.5, 0.6)
    require_identical(compare_runs(ours, theirs))
    words = "brier is not compared, the reference has no such column"
    assert describe_uncompared(theirs) == [f"scores: {words}", f"unmasked_scores: {words}"]
    theirs["scores"] = theirs["scores"].assign(brier=0.1)
    assert describe_uncompared(theirs) == [f"unmasked_scores: {words}"]


@pytest.mark.parametrize("other", [0.1 * (1 + 3e-12), np.nan])
def test_a_later_number_is_compared_where_the_reference_has_it(other):
    ours, theirs = run(0.5, 0.6, brier=other), run(0.5, 0.6, brier=0.1)
    with pytest.raises(NbmfError, match=r"scores, animals.*brier differs by"):
        require_identical(compare_runs(ours, theirs))
    require_identical(compare_runs(theirs, theirs))
    none = run(0.5, 0.6, brier=np.nan)  # as of LDA
    require_identical(compare_runs(none, none))
    with pytest.raises(DataError, match="scores of this run: lacks the columns brier"):
        compare_runs(run(0.5, 0.6), theirs)


def test_numbers_that_neither_side_has_are_identical():
    both = run(0.5, 0.6, active_components=np.nan, loss=np.inf)
    require_identical(compare_runs(both, both))


@pytest.mark.parametrize("which", ["scores", "unmasked_scores"])
@pytest.mark.parametrize("lacking", ["ours", "theirs"])
def test_strict_refuses_a_row_without_a_partner_on_either_side(which, lacking):
    sides = {"ours": run(0.5, 0.6), "theirs": run(0.5, 0.6)}
    sides[lacking][which] = sides[lacking][which].iloc[1:]
    rows = compare_runs(**sides)
    where = "only in the reference" if lacking == "ours" else "only here"
    with pytest.raises(NbmfError, match=f"{which}, animals, bica, K 2, .*{where}"):
        require_identical(rows)
    alone = unmatched_keys(rows)
    assert alone[["side", "table"]].to_numpy().tolist() == [[where, which]]
    require_repeated(rows)  # what both have is the same


@pytest.mark.parametrize("which", ["scores", "unmasked_scores"])
def test_strict_refuses_a_table_that_is_not_there(which):
    for lacking in ("ours", "theirs"):
        sides = {"ours": run(0.5, 0.6), "theirs": run(0.5, 0.6)}
        del sides[lacking][which]
        with pytest.raises(NbmfError, match=f"0 of 2.*\n{which}, "):
            require_identical(compare_runs(**sides))


def test_strict_refuses_two_empty_runs():
    empty = {"scores": table(0.5).iloc[:0]}
    with pytest.raises(NbmfError, match="0 of 0 rows identical"):
        require_identical(compare_runs(empty, empty))
    with pytest.raises(NbmfError, match="no fit of this run"):
        require_repeated(compare_runs(empty, empty))


def test_a_row_without_numbers_and_without_a_partner_is_not_identical():
    failed = table(np.nan, **dict.fromkeys(NUMBERS[1:], np.nan), n_test=np.nan)
    assert counts(compare_runs({"scores": failed}, {"scores": failed})) == "1 of 1 rows identical"
    rows = compare_runs({"scores": failed}, {"scores": failed.iloc[:0]})
    assert counts(rows) == "0 of 1 rows identical"


def test_counts_are_of_all_rows_of_either_side():
    theirs = {**run(0.5, 0.6), "scores": pd.concat([table(0.5, 0.6), table(0.4, K=3)])}
    ours = {**run(0.5, 0.61), "scores": pd.concat([table(0.5, 0.61), table(0.4, K=4)])}
    rows = compare_runs(ours, theirs)
    assert counts(rows) == "1 of 4 and 2 of 2 rows identical"
    assert len(unmatched_keys(rows)) == 2


def test_groups_say_what_has_no_partner():
    theirs = run(0.5, 0.6, 0.7)
    theirs["scores"] = pd.concat([theirs["scores"], table(0.4, K=3)])
    found = masked(run(0.5, 0.6), theirs).set_index("K")
    assert found.loc[2, ["fits", "identical", "only_in_reference"]].tolist() == [2, 2, 1]
    assert found["result"].to_dict() == {2: "identical", 3: "no partner"}


@pytest.mark.parametrize(
    ("settings", "same"),
    [
        ('{"gamma":"1/K","alpha":1}', True),
        ('{"alpha": 1.0, "gamma": "1/K"}', True),
        ('{"alpha": 1.5, "gamma": "1/K"}', False),
        ('{"alpha": 1}', False),
    ],
)
def test_settings_are_compared_as_what_they_say_not_as_text(settings, same):
    found = masked(run(0.5, 0.6, settings=settings), run(0.5, 0.6))
    assert found["fits"].sum() == (2 if same else 0)
    assert found["only_here"].sum() == (0 if same else 2)


def test_a_mask_in_the_unmasked_table_names_no_row():
    ours = run(0.5)
    ours["unmasked_scores"] = ours["unmasked_scores"].assign(mask=np.nan)
    require_identical(compare_runs(ours, run(0.5)))


def test_runs_that_have_nothing_in_common_or_another_distribution_are_refused():
    with pytest.raises(NbmfError, match="no fit of this run"):
        require_repeated(compare_runs({"scores": table(0.5)}, {"scores": table(0.5, K=3)}))
    with pytest.raises(NbmfError, match=r"(?s)differ from the reference.*animals.*bica"):
        require_repeated(compare_runs(run(0.5, 0.6), run(0.5, 0.7)))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (table(0.5).drop(columns="W_max"), "scores of this run: lacks the columns W_max"),
        (table(0.5, settings="{1}"), "scores of this run: not a table of scores"),
        (table(0.5, settings=np.nan), "scores of this run: not a table of scores"),
        (table(0.5, loss="much"), "scores of this run: not a table of scores"),
        (pd.concat([table(0.5), table(0.6)]), "two rows of one fit .animals, bica, K 2, mask 0"),
    ],
)
def test_tables_that_are_none_are_named(broken, message):
    with pytest.raises(DataError, match=message):
        compare_runs({"scores": broken}, {"scores": table(0.5)})


def test_tables_that_are_there_are_read_and_no_table_is_an_error(tmp_path):
    tables = run(0.5, 0.6)
    tables["scores"].to_csv(tmp_path / "scores.csv", index=False)
    with pytest.raises(NbmfError, match="0 of 2"):
        require_identical(compare_runs(read_tables(tmp_path), tables))
    tables["unmasked_scores"].to_csv(tmp_path / "unmasked_scores.csv", index=False)
    require_identical(compare_runs(read_tables(tmp_path), tables))
    with pytest.raises(DataError, match=r"no table of scores \(scores.csv, "):
        read_tables(tmp_path / "nowhere")


def test_the_published_scores_repeat_themselves(tmp_path):
    published = read_tables(REFERENCE)
    rows = compare_runs(published, published)
    assert counts(rows) == "1150 of 1150 and 267 of 267 rows identical"
    require_identical(rows)
    text = (REFERENCE / "scores.csv").read_text()
    first = float(published["scores"]["perplexity"].iloc[0])
    changed = text.replace(repr(first), repr(first * (1 + 1e-11)), 1)
    (tmp_path / "scores.csv").write_text(changed)
    rows = compare_runs(read_tables(tmp_path), published)
    assert counts(rows) == "1149 of 1150 and 0 of 267 rows identical"
    assert verification.summarise_comparison(rows)["result"].tolist()[0] == "rounding"


@pytest.mark.workflow
def test_the_rule_says_how_many_rows_are_identical_and_fails_where_it_should(tmp_path):
    checkout = Checkout(tmp_path)
    tables, reference = tmp_path / "results/lumbreras2020/tables", tmp_path / "elsewhere"
    for folder in (tables, reference):
        folder.mkdir(parents=True)
        for name, scores in run(0.5, 0.6).items():
            scores.to_csv(folder / f"{name}.csv", index=False)

    def verify(accept):
        return checkout.snakemake(
            "verify",
            "--forcerun",
            "verification",
            "--allowed-rules",
            "verify",
            "verification",
            "--config",
            f"verify={{reference: elsewhere, accept: {accept}}}",
        )

    done = verify("identical")
    assert "lumbreras2020: 2 of 2 and 2 of 2 rows identical" in done.stdout, done.stdout
    assert "unmasked_scores: brier is not compared" in done.stdout
    assert done.returncode == 0
    assert pd.read_csv(tables / "verification.csv")["result"].tolist() == ["identical"] * 2

    run(0.5, 0.6 * (1 + 1e-9))["scores"].to_csv(tables / "scores.csv", index=False)
    assert verify("medians").returncode == 0
    strict = verify("identical")
    assert strict.returncode != 0
    assert "1 of 2 and 2 of 2 rows identical" in strict.stdout
    log = (tmp_path / "results/lumbreras2020/logs/tables/verification.log").read_text()
    assert "scores, animals, bica, K 2, mask 1, seed 0: perplexity differs by 1e-09" in log
    run(0.5, 0.9)["scores"].to_csv(tables / "scores.csv", index=False)
    assert verify("medians").returncode != 0
    assert verify("most").returncode != 0


def test_the_tables_that_are_compared_are_those_whose_absence_is_noticed_before_any_fit():
    assert tuple(verification.KEYS) == paths.SCORE_TABLES
