"""The study of the default: its matrices, what the default is compared with, its tables by hand."""

import hashlib
import json
import re
import subprocess

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, Checkout, shipped_configuration
from scipy.optimize import approx_fprime

from nbmf.data.masks import draw_mask
from nbmf.evaluation.recommendation import margin_of
from nbmf.evaluation.score_table import FACTS, gather_scores
from nbmf.evaluation.verdict import candidates, choose
from nbmf.fits import import_function
from nbmf.inference.declarations import Inference
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.registry import estimator_class, make_estimator
from nbmf.seeds import seed_sequence
from nbmf_studies.pipeline import configuration, raw_files, targets
from nbmf_studies.recipes.building import build
from nbmf_studies.recipes.check import check_counts
from nbmf_studies.trials import competitors, figure, outcome
from nbmf_studies.trials.fit_command import FitCommand
from nbmf_studies.trials.ideal_points import ITEM_VARIANCE, penalised_loss
from nbmf_studies.trials.study import STUDY

CONFIG = configuration.check(shipped_configuration(), ROOT / "workflow/schemas/config.schema.yaml")
ENTRY = CONFIG["studies"]["trials"]
PLAN = configuration.plans(CONFIG)["trials"]
THIRD = CONFIG["studies"]["rivals"]["datasets"]  # the third list, of another study
MATRICES = [*ENTRY["datasets"], *ENTRY["holdout"], *THIRD]
SOURCES = {name: CONFIG["sources"][f"trials_{name}"] for name in MATRICES}
ANSWERS = CONFIG["sources"]["trials_msq_answers"]  # of votes_as_cast, next to the file that is made of it
COMPETITORS = {name: CONFIG["methods"][name] for name in ENTRY["further_methods"]}
FOLDER, SHARED = ROOT / "data/trials", ROOT / "../shared/trials"
SYMMETRIC = {"florentine", "dolphins", "lesmis"}
LARGE = 1_000_000  # entries, that take seconds to read


# --- The matrices ----------------------------------------------------------------------------


def table():
    """Return the rows of the table in data/trials/README.md, without its markup, by file."""
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if re.match(r"\| (`|file )", line)]
    header, *rows = [[cell.strip("` ") for cell in line.strip("| ").split(" | ")] for line in lines]
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


def test_the_lists_are_those_that_were_fixed_before_any_run():
    lists = {"choose": ENTRY["datasets"], "confirm": ENTRY["holdout"], "third": THIRD}
    assert ([len(names) for names in lists.values()], len(set(MATRICES))) == ([10, 16, 14], 40)
    if not SHARED.is_dir():
        pytest.skip("../shared/trials is not here")
    text = (SHARED / "README.md").read_text(encoding="utf-8")
    for name, matrices in lists.items():
        (line,) = (line for line in text.splitlines() if line.startswith(f"- **{name}**"))
        assert matrices == re.findall(r"`(\w+)`", line)


def test_the_table_says_what_the_sources_say_of_every_file_that_travels():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "."], cwd=FOLDER, capture_output=True, text=True, check=True
    ).stdout
    rows, by_path = table(), {source["path"]: source for source in (*SOURCES.values(), ANSWERS)}
    assert rows.keys() == set(filter(None, listed.split("\0"))) - {"README.md"}
    for file, row in rows.items():
        content, source = (FOLDER / file).read_bytes(), by_path[file]
        assert hashlib.sha256(content).hexdigest() == source["sha256"] == row["SHA-256"]
        assert len(content) == source["bytes"] == int(row["bytes"])
        assert (source["licence"], source["citation"]) == (row["licence as stated"], row["origin"])
        assert file.partition(".")[0] in (*MATRICES, "msq_answers")


def test_what_may_not_be_republished_does_not_travel():
    words = ("none stated", "do not republish")
    kept_back = {name for name in MATRICES if any(w in SOURCES[name]["licence"] for w in words)}
    assert kept_back == SYMMETRIC | {"ceos_clubs", "mammals_europe"}
    paths = {SOURCES[name]["path"] for name in MATRICES if name not in kept_back}
    assert paths | {ANSWERS["path"]} == table().keys()


@pytest.mark.parametrize("name", MATRICES)
def test_a_matrix_has_the_counts_that_are_stated(name):
    entry, counts = CONFIG["datasets"][name], CONFIG["datasets"][name]["counts"]
    if counts["rows"] * counts["columns"] > LARGE:
        pytest.skip("read by the study itself, which checks the counts")
    file = raw_files.find_raw_file(SOURCES[name], [FOLDER, SHARED], raw="nowhere")
    if file is None:
        pytest.skip(f"{name} is not here")
    matrix = build(entry["recipe"], {"table": file}, entry["options"])
    check_counts(matrix, counts, name)
    is_symmetric = matrix.shape[0] == matrix.shape[1] and (matrix.codes == matrix.codes.T).all()
    assert is_symmetric == (name in SYMMETRIC) == (entry.get("held_out") == "pairs")
    mask = draw_mask(matrix, 0.25, seed_sequence("mask", name, 0), entry.get("held_out", "entries"))
    assert not is_symmetric or ((mask == mask.T).all() and not mask.diagonal().any())


# --- What is run -----------------------------------------------------------------------------


def test_every_binary_method_takes_part_and_competitors_besides_them():
    methods = CONFIG["methods"]
    shared = PLAN.comparable(name for name in methods if PLAN.is_shared(name))
    assert set(shared) <= set(PLAN.methods) <= {*shared, *COMPETITORS}
    assert {"beta-dir-vb-learned", "logpca"} < set(shared)
    assert "lda" not in PLAN.methods
    assert PLAN.comparable(PLAN.methods) == PLAN.methods  # competitors are scored alike
    for entry in COMPETITORS.values():
        assert not (entry.get("package") is None and "MajorizationM" in entry["class"])


def test_confirm_is_made_on_request_alone():
    assert {key.dataset for key in PLAN.fits} <= set(ENTRY["datasets"])
    made = targets.targets_of(STUDY, PLAN)
    asked = {product.name for product in (*made.tables, *made.figures) if product.on_request}
    assert asked == {*(f"confirm_{name}" for name in ("scores", "baselines", "losses", "excess", "default"))}
    for product in (*made.tables, *made.figures):
        if not product.on_request:
            needs = product.needs(PLAN).values()
            assert not {name for need in needs for name in need.datasets()} & set(PLAN.holdout)
            assert not any(getattr(need, "name", "").startswith("confirm") for need in needs)
    confirm = next(product for product in made.tables if product.name == "confirm_scores")
    assert {key.dataset for key in confirm.needs(PLAN)["fits"].keys} == set(PLAN.holdout)


def test_scores_of_the_list_confirm_are_published_without_settings(tmp_path):
    report = tmp_path / "fit.json"
    report.write_text(json.dumps(dict.fromkeys(FACTS, 1) | {"settings": {"alpha": 1}, "further_scores": {}}))
    fits = [({"dataset": "lesmis", "method": "bica", "K": 2, "mask": 0, "seed": 0}, report)]
    assert set(gather_scores(fits).columns) - set(outcome.gather(fits).columns) == {"settings"}
    confirm = next(product for product in targets.targets_of(STUDY, PLAN).tables if product.name == "confirm_scores")
    assert import_function(confirm.make) is outcome.gather


def test_large_matrices_have_no_samplers_and_at_most_three_masks():
    samplers = {name for name in PLAN.methods if PLAN.is_sampler(name)}
    for key in PLAN.fits_to_masks([*PLAN.datasets, *PLAN.holdout]):
        counts = CONFIG["datasets"][key.dataset]["counts"]
        if counts["rows"] * counts["columns"] > 100_000:
            assert key.method not in samplers
            assert key.mask < 3
    (table,) = (table for table in STUDY.tables if table.name == "default")
    assert table.arguments(PLAN)["notes"]["groceries"] == "without sampler, nbmf-mm-dir-beta"


@pytest.mark.workflow
def test_a_clone_alone_leaves_out_what_does_not_travel_and_confirms_when_asked(tmp_path):
    checkout = Checkout(tmp_path)
    one = {"datasets": ["ceos_clubs", "dune"], "holdout": ["lesmis", "mite"], "masks": 1}
    overlay = {"studies": {"trials": one | {"methods": ["bica"], "further_methods": []}}}
    output = checkout.snakemake("trials", "--dry-run", config=overlay).stdout
    assert "trials: ceos_clubs is left out: trials_ceos_clubs is not here and has no" in output
    assert "draw excess of trials" in output
    assert "confirm" not in output
    planned = checkout.planned(overlay, "trials_confirm", "trials_table_confirm_default")
    assert planned["dataset"] == planned["mask"] == 2  # dune and mite
    assert planned["fit"] == 2 * len(CONFIG["methods"]["bica"]["K"])
    assert planned["trials_confirm"] == planned["trials_table_confirm_default"] == 1


# --- The competitors -------------------------------------------------------------------------


def planted(F=60, N=40, K=2, seed=3):
    """Return a matrix of K kinds of rows, a quarter of whose entries are hidden, and the mask."""
    rng = np.random.default_rng(seed)
    of_kinds = rng.choice([0.05, 0.9], size=(K, N))
    codes = (rng.random((F, N)) < of_kinds[rng.integers(K, size=F)]).astype(np.int8)
    return codes, rng.random((F, N)) < 0.25


def competitor(name, K=2, seed=1):
    entry = COMPETITORS[name]
    if "package" in entry:
        pytest.importorskip(entry["package"].replace("-", "_"))
    return make_estimator(entry["class"], K, entry["settings"], seed)


@pytest.mark.parametrize("name", COMPETITORS)
def test_a_competitor_predicts_what_is_hidden_from_it(name, quick_choice):
    codes, mask = planted()  # whose rows are of a kind, or columns where these are distributions
    if COMPETITORS[name].get("settings", {}).get("orientation") == "dir-beta":
        codes, mask = codes.T, mask.T
    training = BERNOULLI.hide(codes, mask)
    fitted = competitor(name).fit(training)
    P = fitted.expectation_
    assert P.shape == codes.shape
    assert P.min() >= 0
    assert P.max() <= 1
    loss_at = BERNOULLI.loss_at(codes, mask)
    shares = np.broadcast_to(competitors.shrunken_column_means(training), codes.shape)
    assert loss_at(P[mask]).perplexity < 0.75 * loss_at(shares[mask]).perplexity
    again = competitor(name).fit(training)
    np.testing.assert_array_equal(again.expectation_, P)
    rows, columns = np.nonzero(mask)
    np.testing.assert_allclose(fitted.mean_at(fitted.factors_, rows, columns), P[mask], rtol=1e-12)
    assert estimator_class(COMPETITORS[name]["class"]).inference is Inference.POINT


@pytest.mark.parametrize("name", COMPETITORS)
@pytest.mark.parametrize("empty", ["row", "column"])
def test_a_competitor_takes_a_line_that_is_hidden_as_a_whole(name, empty, quick_choice):
    codes, mask = planted()
    mask[(3, slice(None)) if empty == "row" else (slice(None), 3)] = True
    P = competitor(name).fit(BERNOULLI.hide(codes, mask)).expectation_
    assert np.isfinite(P).all()


def test_NMF_fills_in_what_is_missing_until_it_agrees_with_itself():
    rng = np.random.default_rng(2)
    truth = np.outer(rng.uniform(0.2, 1, 30), rng.uniform(0.2, 1, 20))  # of rank one
    hidden = rng.random(truth.shape) < 0.3
    model = competitors.ScikitNMF(1, random_state=0)
    values = np.where(hidden, -1.0, truth)
    weights, profiles = model._approximate(values, np.random.SeedSequence(0))
    filled_once = np.abs(competitors.shrunken_column_means(values) - truth)[hidden].mean()
    assert np.abs(weights @ profiles - truth)[hidden].mean() < 0.05 * filled_once


def test_LDA_gives_each_row_its_number_and_each_column_its_share():
    rng = np.random.default_rng(4)
    codes = (rng.random((400, 12)) < np.linspace(0.1, 0.6, 12)).astype(np.int8)
    codes[rng.random(codes.shape) < np.linspace(0.7, 0.1, 12)] = -1  # ever fewer are missing
    model = competitors.ScikitLDA(1, max_iter=5, random_state=0)
    weights, profiles = model._approximate(codes, np.random.SeedSequence(0))
    expected = weights @ profiles
    np.testing.assert_allclose((expected * (codes >= 0)).sum(axis=1), (codes == 1).sum(axis=1), atol=1e-9)
    share = (codes == 1).sum(axis=0) / (codes >= 0).sum(axis=0)
    np.testing.assert_allclose(profiles[0] / profiles[0].sum(), share / share.sum(), atol=0.01)


def test_the_margin_is_the_one_that_predicts_inner_entries_best():
    rng = np.random.default_rng(5)
    noise = (rng.random((40, 30)) < 0.5).astype(np.int8)
    sharp = np.kron(np.eye(2, dtype=np.int8), np.ones((20, 15), np.int8))
    margins = [competitors.ScikitNMF(8, random_state=0).fit(V).margin_ for V in (noise, sharp)]
    assert margins == [competitors.MARGINS[-1], competitors.MARGINS[0]]
    fitted = competitors.ScikitNMF(2, random_state=0).fit(sharp)
    assert fitted.findings == {"margin": competitors.MARGINS[0]}
    assert fitted.expectation_.min() == competitors.MARGINS[0]
    assert fitted.expectation_.max() == 1 - competitors.MARGINS[0]


def test_the_command_is_judged_by_the_method_that_it_chooses(quick_choice):
    rng = np.random.default_rng(7)
    V = (rng.random((20, 12)) < np.where(np.arange(20)[:, None] < 10, 0.8, 0.2)).astype(np.int8)
    V[3, :5] = -1
    fitted = FitCommand(random_state=4).fit(V)
    methods = candidates(V, fitted._seed())
    choice = choose(V, methods)
    assert fitted.findings == {"place": choice.index}
    chosen = methods[choice.index].fit(V)
    np.testing.assert_array_equal(fitted.expectation_, chosen.expectation_)
    np.testing.assert_array_equal(fitted.W_, chosen.W_)
    rows, columns = [0, 3, 19], [11, 2, 0]
    np.testing.assert_array_equal(fitted.predict(rows, columns), chosen.expectation_[rows, columns])


def test_the_command_predicts_a_tie_by_the_mean_of_both_directions(quick_choice):
    rng = np.random.default_rng(7)
    upper = np.triu(rng.random((20, 20)) < 0.4, 1).astype(np.int8)
    V = upper + upper.T
    fitted = FitCommand(random_state=4).fit(V)
    chosen = candidates(V, fitted._seed())[fitted.findings["place"]].fit(V)
    np.testing.assert_array_equal(fitted.expectation_, (chosen.expectation_ + chosen.expectation_.T) / 2)


def test_the_loss_of_ideal_points_is_the_posterior_and_has_its_gradient():
    rng = np.random.default_rng(6)
    F, N, K = 5, 4, 2
    signs = rng.choice([-1, 0, 1], size=(F, N))
    x = rng.standard_normal(F * K + N * K + N)
    w, h, c = x[: F * K].reshape(F, K), x[F * K : F * K + N * K].reshape(N, K), x[-N:]
    expected = 0.5 * (w**2).sum() + 0.5 * ((h**2).sum() + (c**2).sum()) / ITEM_VARIANCE
    for f in range(F):
        for n in range(N):
            p = 1 / (1 + np.exp(-(c[n] + sum(w[f, k] * h[n, k] for k in range(K)))))
            expected -= {1: np.log(p), -1: np.log(1 - p), 0: 0.0}[int(signs[f, n])]
    loss, gradient = penalised_loss(x, signs, K)
    assert loss == pytest.approx(expected, rel=1e-12)
    numeric = approx_fprime(x, lambda x: penalised_loss(x, signs, K)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)


# --- The tables ------------------------------------------------------------------------------

LABELS = {"mine": "Mine", "vb": "VB", "theirs": "Theirs", "absent": "Absent"}
LIBRARY = ["mine", "vb", "absent"]
LOSSES = {
    ("near", "mine", 2): [0.50, 0.54],
    ("near", "vb", 2): [0.40, 0.44],
    ("near", "vb", 3): [0.70, 0.70],
    ("near", "theirs", 4): [0.30, 0.33],
    ("far", "mine", 2): [0.20],
    ("far", "vb", 2): [0.25],
    ("far", "theirs", 4): [0.201],
}
SCORES = pd.DataFrame(
    [
        (dataset, method, K, mask, 0, value, 10.0 * K + mask, "ok" if mask else "not converged")
        for (dataset, method, K), values in LOSSES.items()
        for mask, value in enumerate(values)
    ],
    columns=["dataset", "method", "K", "mask", "seed", "perplexity", "seconds", "status"],
)
BASELINES = pd.DataFrame(
    [
        (dataset, "column-proportions", "columns", mask, 25, 75, value)
        for dataset, values in (("near", [0.6, 0.6]), ("far", [0.19]))
        for mask, value in enumerate(values)
    ],
    columns=["dataset", "baseline", "label", "mask", "n_test", "n_train", "perplexity"],
)


def test_losses_are_at_the_best_K_and_relative_to_the_best_of_the_library():
    table = outcome.tabulate(SCORES, BASELINES, LABELS, LIBRARY)
    assert table[["dataset", "method", "kind", "K", "masks"]].to_numpy().tolist() == [
        ["near", "theirs", "others", 4, 2],
        ["near", "vb", "library", 2, 2],
        ["near", "mine", "library", 2, 2],
        ["near", "column-proportions", "no components", 0, 2],
        ["far", "column-proportions", "no components", 0, 1],
        ["far", "mine", "library", 2, 1],
        ["far", "theirs", "others", 4, 1],
        ["far", "vb", "library", 2, 1],
    ]
    assert table["rank"].tolist() == [1, 2, 3, 4] * 2
    expected = [0.315 / 0.42, 1, 0.52 / 0.42, 0.6 / 0.42, 0.95, 1, 1.005, 1.25]
    np.testing.assert_allclose(table["excess"] + 1, expected)
    assert table["seconds"].tolist()[:3] == [40.5, 20.5, 20.5]
    assert table["not_converged"].tolist()[:3] == [1, 1, 1]


def test_the_summary_is_over_the_matrices_that_a_method_has():
    everywhere = outcome.tabulate(SCORES, BASELINES, LABELS, LIBRARY)
    some = everywhere[(everywhere["method"] != "vb") | (everywhere["dataset"] == "far")]
    table = outcome.summarise(some, "mine").set_index("method")
    assert table.index[0] == "theirs"
    assert table["matrices"].to_dict() == {"theirs": 2, "mine": 2, "column-proportions": 2, "vb": 1}
    assert table.loc["theirs", "mean_excess"] == pytest.approx((0.315 / 0.42 + 1.005) / 2 - 1)
    assert table.loc["vb", "default_there"] == 0  # far, where mine is the best of the library
    assert table.loc["mine", "default_there"] == table.loc["mine", "mean_excess"]
    assert table.loc["mine", ["first", "worse", "largest_on"]].tolist() == [0, 1, "near"]
    assert table.loc["theirs", ["first", "worse"]].tolist() == [1, 0]


def test_the_default_is_compared_with_the_best_of_each_kind():
    notes = {"far": "without sampler", "gone": "left out: not here"}
    table = outcome.compare_default(SCORES, BASELINES, LABELS, LIBRARY, "mine", notes)
    near = table[table["dataset"] == "near"].set_index("against")
    assert near["method"].tolist() == ["vb", "theirs", "column-proportions"]
    assert near["behind"].tolist() == pytest.approx([0.1, 0.205, -0.08])
    margin = margin_of(np.array([0.2, 0.21]), 25 / 75)
    assert near.loc["others", "uncertainty"] == pytest.approx(margin.uncertainty)
    assert near.loc["library", "significant"]  # by differences that are the same for both masks
    assert near.loc["library", "excess"] == pytest.approx(0.52 / 0.42 - 1)
    assert near["flagged"].tolist() == [True, None, None]
    far = table[table["dataset"] == "far"].set_index("against")
    assert far.loc["library", "behind"] == pytest.approx(-0.05)  # the best itself, with the next
    assert not far.loc["library", "flagged"]
    assert np.isnan(far["uncertainty"]).all()
    assert far["significant"].isna().all()  # of a single mask nothing is known
    assert set(far["note"]) == {"without sampler"}
    last = table.iloc[-1]
    assert (last["dataset"], last["note"]) == ("gone", "left out: not here")
    assert len(table) == 7


def test_a_lead_counts_as_significant_too():
    lead = SCORES.assign(perplexity=SCORES["perplexity"] - 0.3 * (SCORES["method"] == "mine"))
    table = outcome.compare_default(lead, BASELINES, LABELS, LIBRARY, "mine", {})
    near = table[table["dataset"] == "near"].set_index("against")
    assert near.loc["library", "behind"] == pytest.approx(-0.2)
    assert near.loc["library", "significant"]
    assert not near.loc["library", "flagged"]


@pytest.mark.parametrize("baselines", [BASELINES, None], ids=["baselines", "gaps"])
def test_the_figure_has_a_row_per_method_and_a_dot_per_matrix(baselines):
    colours = dict.fromkeys(LABELS, "#336699")
    shown = {"labels": LABELS, "library": LIBRARY, "default": "mine", "colours": colours}
    drawn = figure.draw(SCORES, **shown, title="choose", baselines=baselines)
    (axis,) = drawn.axes
    assert axis.get_title() == "choose: 2 matrices"
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert labels == ["Mine", "VB", "Theirs", *(["columns"] if baselines is not None else [])]
    weights = [label.get_fontweight() for label in axis.get_yticklabels()]
    assert weights == ["bold", *["normal"] * (len(labels) - 1)]
    dots = [line for line in axis.lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in dots] == [2] * len(labels)
    assert sorted(dots[0].get_xdata()) == pytest.approx([0, 100 * (0.52 / 0.42 - 1)])


def test_both_lists_are_drawn_side_by_side():
    shown = {"labels": LABELS, "library": LIBRARY, "default": "mine"}
    shown |= {"colours": dict.fromkeys(LABELS, "#336699"), "titles": ["choose", "confirm"]}
    near, far = ((t[t["dataset"] == "near"], t[t["dataset"] == "far"]) for t in (SCORES, BASELINES))
    drawn = figure.draw_both(near[0], far[0], near[1], far[1], **shown)
    assert [axis.get_title() for axis in drawn.axes] == ["choose: 1 matrix", "confirm: 1 matrix"]
    labels = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert labels == ["VB", "Mine", "Theirs", "columns"]  # by the means of the first
