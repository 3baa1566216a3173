"""The study votes_as_cast: its data from small raw files, its fits on drawn votes, its tables by hand, its figures."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from checkout import ROOT, shipped_configuration
from figure_checks import assert_tidy, legend_texts
from raw_data import write_r_table

import nbmf
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.replications import interval
from nbmf.fits import FitRequest, run_fit
from nbmf.posterior.store import DrawStore
from nbmf_studies.pipeline import configuration
from nbmf_studies.votes_as_cast import (
    answers,
    ballots,
    claims,
    dictionaries,
    forecasts,
    masks,
    measures,
    mood_answers,
    paths,
    periods,
    seats,
    senate,
    sessions,
)
from nbmf_studies.votes_as_cast import third_category as third
from nbmf_studies.votes_as_cast.experiments import KEY, THREE, TWO
from nbmf_studies.votes_as_cast.study import STUDY

HERE = f"nbmf_studies.{KEY}"
WHOLE = {"categories": 3, "first": 1946, "last": 1948}
SHORT = {"n_categories": 3, "burn_in": 4, "n_samples": 8}


# --- The data --------------------------------------------------------------------------------------

BALLOTS = [
    (7, "Chad", "no"),
    (7, "Aruba", "yes"),
    (9, "Aruba", "abstain"),
    (12, "Aruba", "no"),
    (12, "Benin", "yes"),
    (12, "Chad", "abstain"),
]


@pytest.fixture
def raw(tmp_path):
    """Small raw files: roll calls 7 and 9 of the first session, 12 of the third; 13 has no votes."""
    ids, countries, votes = map(list, zip(*BALLOTS, strict=True))
    return {
        "votes": write_r_table(tmp_path / "votes.rda", rcid=ids, country=countries, vote=votes),
        "roll_calls": write_r_table(tmp_path / "calls.rda", rcid=[7, 9, 12, 13], session=[1.0, 1.0, 3.0, 4.0]),
    }


def test_votes_keep_their_abstentions_and_the_session_of_each_roll_call(raw):
    matrix = ballots.build(**raw, **WHOLE)
    assert matrix.row_names.tolist() == ["Aruba", "Benin", "Chad"]
    assert matrix.column_names.tolist() == ["1946 7", "1946 9", "1948 12"]
    assert matrix.ranks.tolist() == [[2, 1, 0], [-1, -1, 2], [0, -1, 1]]
    assert sessions.column_years(matrix).tolist() == periods.column_periods(matrix)["periods"] == [1946, 1946, 1948]
    two = ballots.build(**raw, **WHOLE | {"categories": 2})
    assert two.ranks.tolist() == [[1, 0, 0], [-1, -1, 1], [0, -1, 0]]
    first = ballots.build(**raw, **WHOLE | {"last": 1947})
    assert first.row_names.tolist() == ["Aruba", "Chad"]  # Benin has no vote there
    assert first.ranks.tolist() == [[2, 1], [0, -1]]


def test_what_cannot_be_built_is_refused(raw, tmp_path):
    with pytest.raises(ConfigError, match="categories = 4: must be 2 or 3"):
        ballots.build(**raw, **WHOLE | {"categories": 4})
    with pytest.raises(ConfigError, match="first = 1950, last = 1951: must be years, some from 1946 to 1948"):
        ballots.build(**raw, categories=3, first=1950, last=1951)
    for ids, words in (
        ([7, 9], "no session for roll call 12"),
        ([7, 9, 12, 12], "roll call 12 is there more than once"),
    ):
        calls = write_r_table(tmp_path / "wrong.rda", rcid=ids, session=[1.0] * len(ids))
        with pytest.raises(DataError, match=words):
            ballots.build(votes=raw["votes"], roll_calls=calls, **WHOLE)


def test_answers_are_categories_or_whether_they_are_above_zero(tmp_path):
    table = tmp_path / "moods.csv"
    table.write_text("row,calm,sad\np1,0,3\np2,,2\np3,1,0\n")
    four = mood_answers.build(answers=table, categories=4)
    assert four.ranks.tolist() == [[0, 3], [-1, 2], [1, 0]]
    two = mood_answers.build(answers=table, categories=2)
    assert two.ranks.tolist() == [[0, 1], [-1, 1], [1, 0]]
    np.testing.assert_array_equal(masks.hold_out_answers(four, 3), masks.hold_out_answers(two, 3))
    assert two.column_names.tolist() == ["calm", "sad"]
    with pytest.raises(ConfigError, match="categories = 3: must be 2 or 4"):
        mood_answers.build(answers=table, categories=3)


def test_the_loss_of_answers_is_that_of_whether_they_are_above_zero():
    four = CategoryMatrix(np.array([[0, 3], [-1, 2], [1, 0]], np.int8), ["p1", "p2", "p3"], ["calm", "sad"])
    mask = np.array([[True, True], [False, False], [False, True]])
    says = SimpleNamespace(predictive=lambda f, n: np.tile([0.2, 0.5, 0.2, 0.1], (len(f), 1)))
    found = measures.measure_answers(says, four, mask)
    assert found["yes"] == pytest.approx(-(2 * np.log(0.2) + np.log(0.8)) / 3)
    # Of the other answers calm has one above zero of one, sad one of one: (1 + 1) / (1 + 2).
    assert found["yes of columns"] == pytest.approx(-(2 * np.log(1 / 3) + np.log(2 / 3)) / 3)
    assert found["test ratio"] == pytest.approx(3 / 2)


def drawn(F=12, sessions=(1946, 1947, 1948), calls=6, seed=0):
    """Return votes drawn from positions that move, with missing ones."""
    rng = np.random.default_rng(seed)
    years = np.repeat(sessions, calls)
    steps = rng.normal(size=(F, len(sessions)))
    W = np.cumsum(np.where(np.arange(len(sessions)) == 0, 1.5, 0.4) * steps, axis=1)
    psi = W[:, np.repeat(np.arange(len(sessions)), calls)] * rng.normal(0, 1.5, years.size) + 0.5
    ranks = np.digitize(psi + rng.logistic(size=psi.shape), [-0.7, 0.7])
    ranks[rng.random(psi.shape) < 0.1] = -1
    names = [f"country {f}" for f in range(F)]
    return CategoryMatrix(ranks.astype(np.int8), names, [f"{year} {n}" for n, year in enumerate(years)])


def test_masks_hold_out_the_same_votes_whatever_the_categories():
    matrix = drawn()
    two = CategoryMatrix(matrix.above(1).codes, matrix.row_names, matrix.column_names)
    mask = masks.hold_out_entries(matrix, 3, **WHOLE)
    np.testing.assert_array_equal(mask, masks.hold_out_entries(two, 3, **WHOLE | {"categories": 2}))
    assert (mask != masks.hold_out_entries(matrix, 4)).any()
    assert not (mask & ~matrix.observed).any()


def test_masks_of_a_session_hide_all_of_it_or_most():
    matrix = drawn(F=40, calls=20)
    is_last = sessions.column_years(matrix) == 1948
    np.testing.assert_array_equal(masks.hold_out_session(matrix, 0, **WHOLE), matrix.observed & is_last)
    most = masks.hold_out_session(matrix, 1, **WHOLE)
    assert not (most & ~(matrix.observed & is_last)).any()
    assert 0.7 < most.sum() / (matrix.observed & is_last).sum() < 0.9  # false alarm: 1e-9


def test_names_that_end_or_pause_are_listed():
    ranks = np.array([[2] * 7, [2, -1, 0, 1, -1, -1, 1], [-1, 0, 1, 1, -1, -1, -1]])
    names = [["stays", "pauses", "ends"], [f"{year} 1" for year in range(1946, 1953)]]
    table = seats.tabulate(CategoryMatrix(ranks, *names))
    assert table.to_numpy().tolist() == [["pauses", 1946, 1952, 4, "1947, 1950 to 1951"], ["ends", 1947, 1949, 3, ""]]


# --- What is measured ------------------------------------------------------------------------------


def estimator_that_says(yes):
    """Return a stand-in for a fit, by which every P(yes) is that of an array (F, N)."""
    rest = (1 - np.asarray(yes)) / 2
    return SimpleNamespace(predictive=lambda f, n: np.stack([rest[f, n], rest[f, n], np.asarray(yes)[f, n]], axis=-1))


def test_held_out_yes_is_scored_by_its_probability():
    ranks = np.array([[2, 0, 1], [2, 2, -1], [1, 2, 2]], np.int8)
    matrix = CategoryMatrix(ranks, list("abc"), ["1946 1", "1946 2", "1946 3"])
    mask = np.zeros((3, 3), bool)
    mask[0, 1] = mask[2, 2] = True
    found = measures.measure_entries(estimator_that_says(np.full((3, 3), 0.8)), matrix, mask, **WHOLE)
    assert found["yes"] == pytest.approx(-(np.log(0.2) + np.log(0.8)) / 2)
    # Of the columns of these entries, 2 of 2 and 0 of 1 known votes are yes.
    assert found["yes of columns"] == pytest.approx(-(np.log(1 / 4) + np.log(1 / 3)) / 2)
    assert found["test ratio"] == pytest.approx(2 / 6)


def test_forecasts_are_scored_next_to_proportions_of_the_sessions_before():
    ranks = np.array([[2, 0, 2, 2], [2, 2, 2, 0], [-1, -1, 1, 2]], np.int8)
    matrix = CategoryMatrix(ranks, list("abc"), ["1946 1", "1947 2", "1947 3", "1948 4"])
    mask = masks.hold_out_session(matrix, 0, last=1948)
    found = measures.measure_session(estimator_that_says(np.full((3, 4), 0.6)), matrix, mask, **WHOLE)
    assert found["yes"] == pytest.approx(-(2 * np.log(0.6) + np.log(0.4)) / 3)
    latest = np.log([2 / 4, 1 / 4, 1 / 3])  # yes, no, yes after 1 of 2, 2 of 2 and 0 of 1
    assert found["yes of last session"] == pytest.approx(-latest.mean())
    before = np.log([3 / 5, 1 / 5, 1 / 3])  # after 2 of 3, 3 of 3 and 0 of 1
    assert found["yes of rows"] == pytest.approx(-before.mean())
    of_all = np.log([6 / 9, 3 / 9, 6 / 9])  # nothing is known of the roll call: 5 of 7 votes are yes
    assert found["yes of columns"] == pytest.approx(-of_all.mean())


def fit(matrix, mask, look, class_name="OrdinalFactorGibbs", settings=SHORT, moving=False, K=1, options=WHOLE, **more):
    request = FitRequest(
        *(class_name, K, settings, ["fit", "votes"]),
        measure=f"{HERE}.measures:{look}",
        arguments=options,
        told_by=f"{HERE}.periods:column_periods" if moving else "",
    )
    return run_fit(matrix, mask, request, log=[].append, **more)


@pytest.mark.parametrize(
    ("name", "effects"), [("DynamicOrdinalFactorGibbs", "columns"), ("OrdinalFactorGibbs", "both")]
)
def test_sessions_are_forecast_by_fits_that_have_seen_none_of_their_votes(name, effects):
    matrix = drawn(F=30, calls=15)
    mask = masks.hold_out_session(matrix, 0, last=1948)
    other = np.where(mask, np.where(matrix.ranks == 2, 0, 2), matrix.ranks).astype(np.int8)
    settings = {**SHORT, "cut_points": "shared", "effects": effects, "effect_scale": "learned"}
    one, turned = (
        fit(each, mask, "measure_session", name, settings, moving=name.startswith("Dynamic"))
        for each in (matrix, CategoryMatrix(other, matrix.row_names, matrix.column_names))
    )
    assert np.isfinite(one.report["perplexity"])
    assert one.report["measures"].keys() == {"yes", *forecasts.BASELINES}
    assert one.report["measures"]["yes"] != turned.report["measures"]["yes"]  # the truth is another,
    np.testing.assert_array_equal(one.estimator.W_, turned.estimator.W_)  # what is learned is not


def test_draws_change_no_bit_of_a_fit_and_have_intervals(tmp_path):
    matrix = drawn()
    result = fit(matrix, None, "measure_paths", f"{HERE}.drawn_paths:DrawnPaths", {**SHORT, "n_draws": 8}, moving=True)
    plain = nbmf.DynamicOrdinalFactorGibbs(
        1, periods=sessions.column_years(matrix), **SHORT, random_state=result.estimator.random_state
    ).fit(matrix)
    np.testing.assert_array_equal(plain.paths_, result.estimator.paths_)
    found = json.loads(json.dumps(result.report["measures"]))
    mean, lower, upper = (np.array(found[name]) for name in ("mean", "lower", "upper"))
    assert mean.shape == (12, 3)
    assert (lower <= mean).all()
    assert (mean <= upper).all()
    np.testing.assert_allclose(mean, plain.paths_[..., 0], atol=1e-4)  # all kept sweeps were drawn
    assert found["votes"] == plain.entries_.astype(int).tolist()
    assert found["sessions"] == [1946, 1947, 1948]


def test_a_fit_that_was_interrupted_goes_on_with_its_draws(tmp_path, monkeypatch):
    matrix, path, draw, drawn_numbers = drawn(), tmp_path / "fit.npz", DrawStore.draw, []
    named = f"{HERE}.drawn_paths:DrawnPaths", {**SHORT, "n_draws": 8}
    whole = fit(matrix, None, "measure_paths", *named, moving=True).report["measures"]

    def stop_once(self, number, state):
        if number == 5 and number not in drawn_numbers:
            drawn_numbers.append(number)
            raise KeyboardInterrupt
        drawn_numbers.append(number)
        draw(self, number, state)

    monkeypatch.setattr(DrawStore, "draw", stop_once)
    with pytest.raises(KeyboardInterrupt):
        fit(matrix, None, "measure_paths", *named, moving=True, checkpoint=path, checkpoint_seconds=0)
    again = fit(matrix, None, "measure_paths", *named, moving=True, checkpoint=path).report["measures"]
    assert again == whole
    assert drawn_numbers == [0, 1, 2, 3, 4, 5, 5, 6, 7]  # those before the interruption are not drawn again


# --- Tables ----------------------------------------------------------------------------------------


def written(tmp_path, reports):
    """Return the fits of a table: the columns of each case, and the path of its report."""
    fits = []
    for number, (columns, report) in enumerate(reports):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(report))
        fits.append((columns, path))
    return fits


def third_category(tmp_path, gain=(0.010, 0.012, 0.011), seconds=60.0, more=THREE):
    reports = []
    for mask, better in enumerate(gain):
        for name, loss in ((TWO, 0.2 + 0.1 * mask), (more, 0.2 + 0.1 * mask - better)):
            measured = {"yes": loss, "yes of columns": 0.4 + 0.1 * mask, "test ratio": 1 / 3}
            report = {"perplexity": 2 * loss, "measures": measured, "n_test": 50, "n_iter": 500, "seconds": seconds}
            reports.append(({"categories": name, "mask": mask}, report))
    return third.tabulate(written(tmp_path, reports))


def test_two_and_three_categories_are_compared_mask_by_mask(tmp_path):
    table = third_category(tmp_path)
    summary = third.summarise(table).set_index("prediction")
    three, two, columns = (summary.loc[third.LABELS[name]] for name in (THREE, TWO, third.COLUMNS))
    assert two["log loss of yes"] == pytest.approx(0.3)
    one = interval([-0.010, -0.012, -0.011], 1 / 3)  # what masks have in common is gone
    found = three[["minus yes or not", "low", "high", "p-value"]].astype(float)
    np.testing.assert_allclose(found, [one.mean, one.low, one.high, one.p])
    assert three["log loss of three categories"] == pytest.approx(2 * (0.3 - 0.011))
    assert three["lower on masks"] == 3
    assert (columns["minus yes or not"], columns["lower on masks"]) == (pytest.approx(0.2), 0)
    # 500 sweeps over three quarters of the votes took a minute: 2,000 over all take 4 * 4/3.
    assert three["minutes of 2,000 sweeps"] == pytest.approx(16 / 3)
    assert np.isnan(columns["minutes of 2,000 sweeps"])
    with pytest.raises(DataError, match="different entries"):
        third.summarise(table.assign(held_out=range(len(table))))


def test_answers_are_compared_with_their_cut_version_mask_by_mask(tmp_path):
    summary = answers.summarise(third_category(tmp_path, more=answers.FOUR)).set_index("prediction")
    four = summary.loc[answers.LABELS[answers.FOUR]]
    assert four["log loss of felt at all"] == pytest.approx(0.3 - 0.011)
    assert four["minus felt at all or not"] == pytest.approx(-0.011)
    assert four["log loss of four categories"] == pytest.approx(2 * (0.3 - 0.011))


def of_dictionaries(tmp_path, countries=5):
    """Return the table of positions that are the same but for a turn, one of which is another in three categories."""
    rng = np.random.default_rng(0)
    three = np.linalg.qr(rng.normal(size=(6, 3)))[0]
    turn, moved = np.linalg.qr(rng.normal(size=(3, 3)))[0], three.copy()
    moved[4, 1] += 0.05
    names, votes = [f"country {f}" for f in range(6)], [9, 8, 7, 6, 5, 4]
    reports = [
        (
            {"categories": coding},
            {"measures": {"countries": names, "votes": votes, "positions": W.tolist(), "shares": shares}},
        )
        for coding, W, shares in ((TWO, three @ turn, [0.6, 0.3, 0.1]), (THREE, moved, [0.7, 0.2, 0.1]))
    ]
    fits = written(tmp_path, reports)
    return dictionaries.tabulate(fits, countries, 3, "country 2"), fits, moved


def test_dictionaries_of_two_codings_are_turned_next_to_each_other(tmp_path):
    table, fits, moved = of_dictionaries(tmp_path)
    assert table["country"].unique().tolist() == [f"country {f}" for f in range(5)]  # the last has the fewest votes
    first = table[table["component"] == 1]
    assert first.loc[first["country"] == "country 2", THREE].item() < 0
    np.testing.assert_allclose(np.abs(first[THREE]), np.abs(moved[:5, 0]))
    assert (table[TWO] - table[THREE]).abs().max() < 0.06
    agreement = dictionaries.agreement(table)
    assert agreement["share as cast"].tolist() == [0.7, 0.2, 0.1]
    assert agreement["correlation"].min() > 0.95
    assert agreement.iloc[1, -1].startswith("country 4 (")
    with pytest.raises(DataError, match="there is no 'country'"):
        dictionaries.tabulate(fits, 5, 3, "country")


def test_a_fit_tells_where_countries_are():
    matrix = drawn()
    result = fit(matrix, None, "measure_dictionary", K=2)
    found = json.loads(json.dumps(result.report["measures"]))
    np.testing.assert_allclose(found["positions"], result.estimator.W_, atol=1e-5)
    assert found["votes"] == (matrix.ranks >= 0).sum(axis=1).tolist()
    assert sum(found["shares"]) == pytest.approx(1.0, abs=1e-4)


METHODS = {"move": "moving", "stay": "staying", "rows": "with effects"}


def of_sessions(tmp_path, of_move=0.3):
    reports = []
    for known, session in ((known, session) for known in forecasts.TITLES for session in (1955, 1965, 1975)):
        hard = (session - 1955) / 100
        baselines = {"yes of rows": 0.50, "yes of last session": 0.45, "yes of columns": 0.6}
        for place, method in enumerate(METHODS):
            loss = of_move + 0.1 * place + 0.001 * place * hard
            measured = {name: value + hard for name, value in ({"yes": loss} | baselines).items()}
            report = {"perplexity": 1.0 + hard, "measures": measured, "n_test": 9, "seconds": 1.0}
            reports.append(({"known": known, "session": session, "method": method}, report))
    return forecasts.tabulate(written(tmp_path, reports))


def test_forecasts_are_compared_session_by_session(tmp_path):
    table = of_sessions(tmp_path)
    assert len(table) == 3 * (3 + 2) + 3 * (3 + 3)  # a roll call without a vote has no proportion
    summary = forecasts.summarise(table, METHODS, "move").set_index(["known", "prediction"])
    none, fifth = (summary.loc[title] for title in forecasts.TITLES.values())
    assert forecasts.BASELINES[forecasts.COLUMNS] not in none.index
    assert fifth.loc[forecasts.BASELINES[forecasts.COLUMNS], "log loss of yes"] == pytest.approx(0.7)
    assert none.loc["moving", "log loss of yes"] == pytest.approx(0.4)
    stays = interval([0.1, 0.1 + 1e-4, 0.1 + 2e-4])
    row = none.loc["staying"]
    assert row[["minus moving", "low", "high"]].to_list() == pytest.approx([stays.mean, stays.low, stays.high])
    assert row["lower in sessions"] == 0
    assert np.isnan(none.loc["moving", "low"])


def test_claims_are_decided_by_intervals(tmp_path):
    moods = third_category(tmp_path, more=answers.FOUR)
    good = third_category(tmp_path), of_sessions(tmp_path), moods, "move", ["stay", "rows"]
    assert claims.claims(*good)["verdict"].tolist() == ["reproduced"] * 5
    assert claims.claims_parts(*good).groupby("number").size().tolist() == [1, 4, 2, 1, 1]
    worse = (0.01, -0.02, 0.0)
    bad_moods = third_category(tmp_path, worse, more=answers.FOUR)
    bad = third_category(tmp_path, worse, 400.0), of_sessions(tmp_path, of_move=0.9), bad_moods, "stay", ["move"]
    assert claims.claims(*bad)["verdict"].tolist() == ["not reproduced"] * 5
    once_moods = third_category(tmp_path, (0.01,), more=answers.FOUR)
    once = third_category(tmp_path, (0.01,)), good[1][good[1]["session"] == 1955], once_moods, "move", ["stay"]
    assert claims.claims(*once)["verdict"].tolist() == ["not measured"] * 3 + ["reproduced", "not measured"]


CHAIN = {
    "countries": ["Aruba", "Benin", "Chad"],
    "sessions": [1946, 1947, 1948],
    "mean": [[1.0, 2.0, 3.0], [-1.0, -1.0, -2.0], [0.0, 0.5, 9.0]],
    "lower": [[0.5, 1.5, 2.5], [-2.0, -1.5, -3.0], [-0.5, 0.0, 8.0]],
    "upper": [[1.5, 2.5, 3.5], [-0.5, -0.5, -1.0], [0.5, 1.0, 10.0]],
    "votes": [[5, 0, 6], [3, 4, 5], [2, 2, 0]],
    "spans": [[0, 2], [0, 2], [0, 1]],
}


def other_chain():
    """Return the same with opposite signs, and every mean higher by a tenth before that."""
    turned = {name: -np.array(CHAIN[of]) for name, of in (("lower", "upper"), ("upper", "lower"))}
    return (
        CHAIN
        | {name: ends.tolist() for name, ends in turned.items()}
        | {"mean": (-np.array(CHAIN["mean"]) - 0.1).tolist()}
    )


def table_of_paths(tmp_path, below="Aruba"):
    chains = [({"chain": number}, {"measures": chain}) for number, chain in enumerate((CHAIN, other_chain()))]
    return paths.tabulate(written(tmp_path, chains), below)


def test_paths_of_all_chains_have_the_signs_of_one_country(tmp_path):
    table = table_of_paths(tmp_path)
    assert table["country"].tolist() == ["Aruba"] * 3 + ["Benin"] * 3 + ["Chad"] * 2  # Chad's span ends in 1947
    aruba = table[table["country"] == "Aruba"]
    assert aruba["mean"].tolist() == [-1.0, -2.0, -3.0]
    assert aruba["lower"].tolist() == [-1.5, -2.5, -3.5]
    assert aruba["upper"].tolist() == [-0.5, -1.5, -2.5]
    assert aruba["votes"].tolist() == [5, 0, 6]
    np.testing.assert_allclose(aruba["apart"], 0.1)  # of a width of 1
    np.testing.assert_allclose(table.loc[table["country"] == "Benin", "apart"], [0.1 / 1.5, 0.1, 0.05])
    assert table_of_paths(tmp_path, "Benin").loc[0, "mean"] == 1.0
    with pytest.raises(DataError, match="there is no 'Arubo'"):
        table_of_paths(tmp_path, "Arubo")
    chosen = paths.positions(table, ["Benin", "Aruba", "Nowhere"], [1947, 1948])
    assert chosen[["country", "session"]].to_numpy().tolist() == [["Benin", 1947], ["Benin", 1948], ["Aruba", 1948]]


def test_senators_are_compared_mask_by_mask(tmp_path):
    reports = [
        ({"method": method, "mask": mask}, {"perplexity": loss + mask, "n_test": 3, "seconds": 2.0})
        for method, losses in (("one", (0.1, 0.2, 0.3)), ("two", (0.2, 0.3, 0.5)))
        for mask, loss in enumerate(losses)
    ]
    summary = senate.summarise(senate.tabulate(written(tmp_path, reports)), {"one": "One", "two": "Two"}, 13)
    one = interval([0.1, 0.1, 0.2], 3 / 10)
    assert summary["log loss"].tolist() == pytest.approx([1.2, 4 / 3])
    assert summary.loc[1, ["minus One", "low", "high"]].to_list() == pytest.approx([one.mean, one.low, one.high])


# --- Figures ---------------------------------------------------------------------------------------


def test_paths_are_drawn_with_names_that_are_there(tmp_path):
    figure = paths.draw(table_of_paths(tmp_path), ["Benin", "Chad", "Nowhere"])
    (axis,) = figure.axes
    assert {text.get_text() for text in axis.texts} == {"Benin", "Chad"}
    assert len(axis.collections) == 2  # bands
    chad = next(line for line in axis.lines if line.get_linestyle() == ":" and len(line.get_xdata()) == 2)
    assert chad.get_xdata().tolist() == [1946, 1947]


def test_dictionaries_are_drawn_side_by_side(tmp_path):
    table, *_ = of_dictionaries(tmp_path)
    figure = dictionaries.draw(table)
    left, right, _ = figure.axes
    assert [axis.get_title() for axis in (left, right)] == [third.LABELS[coding] for coding in (TWO, THREE)]
    shown = [axis.images[0].get_array()[:, 0] for axis in (left, right)]
    assert (np.diff(shown[1]) > 0).all()
    names = [label.get_text() for label in left.get_yticklabels()]
    assert names == table[table["component"] == 1].sort_values(THREE)["country"].tolist()


def test_forecasts_are_drawn_in_a_panel_each(tmp_path):
    colours = dict(zip(METHODS, ("#0072B2", "#D55E00", "#E69F00"), strict=True))
    figure = forecasts.draw(of_sessions(tmp_path), METHODS, colours)
    assert [axis.get_title() for axis in figure.axes] == list(forecasts.TITLES.values())
    assert [len(axis.lines) for axis in figure.axes] == [5, 6]
    assert legend_texts(figure) == [*METHODS.values(), *forecasts.BASELINES.values()]
    assert_tidy(figure)


# --- The configuration -----------------------------------------------------------------------------


def cases(change=lambda options: None):
    config = shipped_configuration()
    change(config["studies"][KEY]["options"])
    config = configuration.check(config, ROOT / "workflow/schemas/config.schema.yaml")
    return STUDY.cases_of(configuration.plans(config)[KEY])


def test_every_fit_is_a_case_and_those_that_are_compared_differ_in_one_thing():
    every = cases()
    assert len(every) == len({case.key for case in every}) == 4 * 10 + 7 * 2 * 3 + 2 + 2 + 3 * 10
    pairs = [case for case in every if {"categories", "mask"} <= case.columns.keys()]
    held_out = {(case.dataset["held_out"], case.key.K, case.key.seed) for case in pairs}
    assert held_out == {(f"{HERE}.masks:hold_out_entries", 8, 0), (f"{HERE}.masks:hold_out_answers", 8, 0)}
    settings = shipped_configuration()["methods"]
    for less, more in (("votes-two", "votes-three"), ("moods-two", "moods-four")):
        two, others = settings[less]["settings"], settings[more]["settings"]
        assert {name for name in two if two[name] != others[name]} == {"n_categories"}
    of_1995 = [case.dataset["options"] for case in every if case.columns.get("session") == 1995]
    assert of_1995 == [{"categories": 3, "first": 1975, "last": 1995}] * 6


@pytest.mark.parametrize(
    ("option", "key", "words"),
    [
        ("third_category", "two", r"third_category\.two = 'votes'"),
        ("forecasts", "methods", r"forecasts\.methods\[0\] = 'votes'"),
        ("answers", "four", r"answers\.four = 'votes'"),
        ("paths", "method", r"paths\.method = 'votes'"),
        ("senate", "methods", r"senate\.methods\[0\] = 'votes'"),
        ("senate", "dataset", r"senate\.dataset = 'votes'"),
    ],
)
def test_unknown_names_are_told(option, key, words):
    def change(options):
        options[option][key] = ["votes"] if isinstance(options[option][key], list) else "votes"

    with pytest.raises(ConfigError, match=words):
        cases(change)


def test_more_components_than_there_are_cannot_be_shown():
    with pytest.raises(ConfigError, match=r"dictionaries\.components = 9: votes-two has 8"):
        cases(lambda options: options["dictionaries"].update(components=9))
