"""The studies: what they declare is complete, consistent, and comes to the right jobs."""

import importlib
import inspect
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, shipped_configuration
from studies_of_today import CONFIG, PLANS, PRODUCTS, STUDIES

import nbmf_studies
from nbmf.data.masks import draw_mask, save_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError
from nbmf.evaluation.ranking import overview, rank
from nbmf.fit_key import FitKey
from nbmf.seeds import seed_sequence
from nbmf_studies.framework import common, gathering
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.needs import (
    KINDS,
    BestFits,
    Cases,
    MaskedMatrices,
    Matrices,
    Matrix,
    Reports,
    TableOf,
    description_of,
    need_from,
)
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline import configuration, run_target, targets
from nbmf_studies.pipeline.paths import Paths

FOLDER = Path(nbmf_studies.__file__).parent
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
EVERY = pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)


def test_every_folder_with_a_study_is_one_and_has_a_configuration():
    folders = {path.parent.name for path in FOLDER.glob("*/study.py")}
    assert folders == STUDIES.keys() == PLANS.keys() >= {"lumbreras2020", "all_methods"}
    files = {path.stem for path in (ROOT / "config/studies").glob("*.yaml")}
    assert files == folders


@EVERY
def test_names_are_unique_and_every_table_that_is_needed_is_made(study):
    plan = PLANS[study.key]
    for kind in (study.figures_of(plan), study.tables_of(plan)):
        names = [product.name for product in kind]
        assert len(set(names)) == len(names) > 0
    tables = {table.name for table in study.tables_of(plan)}
    for product in (*study.figures_of(plan), *study.tables_of(plan)):
        needed = {n.name for n in product.needs(plan).values() if isinstance(n, TableOf)}
        assert needed <= tables - {product.name if isinstance(product, Table) else ""}


@EVERY
def test_a_function_takes_what_its_declaration_hands_it(study):
    plan = PLANS[study.key]
    for product in (each for of, each in PRODUCTS if of is study):
        asked = json.loads(targets.request(product, plan))
        module, _, name = asked["make"].partition(":")
        signature = inspect.signature(getattr(importlib.import_module(module), name))
        signature.bind(**asked["needs"], **asked["arguments"])


SHOWN = [(of, each) for of, each in PRODUCTS if isinstance(each, Figure) or each.in_report]


@EVERY
def test_captions_are_there_and_say_something(study):
    for product in (each for of, each in SHOWN if of is study):
        text = (FOLDER / product.caption).read_text(encoding="utf-8")
        assert len(text) > 100, product.name
        if isinstance(product, Table):
            assert ":file: {{ snakemake.output[0] }}" in text, product.name


def test_no_caption_is_left_over():
    captions = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.rst")}
    assert captions == {product.caption for _, product in SHOWN}


def test_a_study_says_where_captions_and_functions_are():
    of_study, of_all = Figure("figure_10", "", make=".drawing:draw"), Table("summary", "", make="other:tabulate")
    study = Study("lumbreras2020", "", "", figures=(of_study,), tables=(of_all, lambda plan: [of_study, ECHO]))
    figure, table = study.products()
    assert (figure.caption, figure.make) == (
        "lumbreras2020/captions/figure_10.rst",
        "nbmf_studies.lumbreras2020.drawing:draw",
    )
    assert (table.caption, table.make) == ("captions/summary.rst", "other:tabulate")
    assert study.tables_of(PLANS["lumbreras2020"]) == [table, figure, ECHO]  # what is said stays


def test_a_caption_that_is_not_there_is_missed_before_anything_is_computed():
    """Of what the report has: `make report` would end without one."""
    shown, hidden = Figure("mine", "", make=".mine:draw"), Table("hidden", "", make=".mine:tabulate")
    study = Study("lumbreras2020", "", "", figures=(shown,), tables=(hidden,))
    with pytest.raises(ConfigError, match=r"'mine' has no caption; write it in nbmf_studies/lumbreras2020/captions/mi"):
        study.figures_of(PLANS["lumbreras2020"])
    assert [table.name for table in study.tables_of(PLANS["lumbreras2020"])] == ["hidden"]
    named = replace(study, figures=(replace(shown, caption="captions/other.rst"),))
    with pytest.raises(ConfigError, match=r"'mine' has no caption; write it in nbmf_studies/captions/other.rst$"):
        named.products()


def test_nothing_outside_a_study_names_its_figures():
    """Neither the workflow nor the package nor the site: a study's folder and configuration do."""
    files = [*(ROOT / "workflow").rglob("*"), ROOT / "Snakefile", ROOT / "docs/publish.py"]
    files += [*(ROOT / "src/nbmf_studies/pipeline").glob("*.py"), FOLDER / "framework/common.py"]
    names = {product.name for study, product in PRODUCTS if study.key == "lumbreras2020"}
    own = {name for name in names if name.startswith(("figure_", "fit_against", "sensitivity"))}
    assert len(own) >= 10
    for file in filter(Path.is_file, files):
        if file.suffix in (".py", ".smk", ".yaml", ".rst", ""):
            text = file.read_text(encoding="utf-8")
            text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
            assert not [name for name in own if name in text], file


# --- Needs -----------------------------------------------------------------------------------

KEY = FitKey("votes", "bica", 2, 1, 0)
WHOLE = FitKey("votes", "bica", 2, None, 3)
PATHS = Paths("results/x", "data/matrices", "mine")


def test_a_fit_is_one_file_whoever_asks():
    assert PATHS.report(KEY) == "results/x/fits/votes/bica/K2-mask1-seed0.json"
    assert PATHS.report(WHOLE) == "results/x/fits/votes/bica/K2-masknone-seed3.json"
    assert PATHS.factors(WHOLE) == "results/x/fits/votes/bica/K2-masknone-seed3.npz"
    assert PATHS.log(KEY) == "results/x/logs/fits/votes/bica/K2-mask1-seed0.log"
    assert PATHS.table("scores") == "results/x/mine/tables/scores.csv"
    assert Paths("results/x", "data/matrices", "other").report(KEY) == PATHS.report(KEY)


NEEDS = [
    Matrix("votes"),
    Matrices([["Votes", "votes"], ["More", "more"]]),
    MaskedMatrices({"votes": 2}),
    TableOf("scores"),
    Reports([KEY, WHOLE]),
    BestFits([["bica", "bICA-2", [WHOLE]]]),
    Cases.of([Case(FitKey("votes", "bica", 2, 1, 0), {"size": 4})]),
]


def test_every_kind_of_need_is_tested_here():
    assert {type(need).__name__ for need in NEEDS} == KINDS.keys()


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: type(need).__name__)
def test_a_need_travels_as_text(need):
    back = need_from(json.loads(json.dumps(description_of(need))))
    assert type(back) is type(need)
    assert json.dumps(description_of(back)) == json.dumps(description_of(need))
    assert all(isinstance(path, str) for path in need.files(PATHS))
    assert need.datasets() in ([], ["votes"], ["votes", "more"])


# --- Experiments ------------------------------------------------------------------------------


def brings(cases):
    """Return the configuration in which a study has an experiment of these cases."""
    study = replace(STUDIES["lumbreras2020"], experiments=(lambda plan: cases,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(configuration, "all_studies", lambda: {**STUDIES, "lumbreras2020": study})
        return configuration.check(shipped_configuration(), SCHEMA)


DRAWN = {"recipe": "nbmf_studies.lumbreras2020.synthetic", "options": {"model": "beta-dir", "concentration": 2}}
BRIEF_BICA = {"class": "BinaryICA", "label": "bICA", "K": [3], "settings": {"max_iter": 5}, "starts_as": "bica"}


def test_what_cases_bring_along_is_part_of_the_configuration():
    config = brings([Case(FitKey("drawn", "brief", 3, 0, seed), {}, DRAWN, BRIEF_BICA) for seed in (0, 1)])
    assert config["datasets"]["drawn"] == {**DRAWN, "files": {}, "transpose": False, "axes": ["rows", "columns"]}
    assert config["methods"]["brief"] == BRIEF_BICA
    assert config["datasets"].keys() - shipped_configuration()["datasets"].keys() >= {"drawn"}


@pytest.mark.parametrize(
    ("dataset", "method", "words"),
    [
        ({**DRAWN, "recipe": "nbmf_studies.lumbreras2020.nothing"}, BRIEF_BICA, "datasets.drawn.recipe: no dataset"),
        (
            {**DRAWN, "measure": "nbmf_studies.nothing:f"},
            BRIEF_BICA,
            "datasets.drawn.measure = 'nbmf_studies.nothing:f'",
        ),
        (
            {**DRAWN, "held_out": "nbmf_studies.nothing:f"},
            BRIEF_BICA,
            "held_out = 'nbmf_studies.nothing:f': there is no",
        ),
        (
            DRAWN,
            {**BRIEF_BICA, "told_by": "nbmf_studies.nothing:f"},
            "methods.brief.told_by = 'nbmf_studies.nothing:f'",
        ),
        (DRAWN, {**BRIEF_BICA, "settings": {"max_itr": 5}}, "methods.brief.settings: unknown key 'max_itr'"),
        (DRAWN, {**BRIEF_BICA, "starts_as": "no-such"}, "methods.brief.starts_as = 'no-such'"),
    ],
)
def test_what_cases_bring_along_is_checked(dataset, method, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        brings([Case(FitKey("drawn", "brief", 3, 0, 0), {}, dataset, method)])


@pytest.mark.parametrize("name", ["drawn", "animals"])
def test_two_entries_of_one_name_are_refused(name):
    other = {**DRAWN, "options": {"model": "dir-dir", "concentration": 2}}
    with pytest.raises(ConfigError, match=f"datasets.{name}: lumbreras2020 brings along another of this name"):
        brings([Case(FitKey(name, "bica", 3, 0, 0), {}, entry) for entry in (DRAWN, other)])


def test_cases_whose_data_are_not_at_hand_are_left_out():
    study = Study(
        "mine",
        "",
        "",
        (),
        (),
        experiments=(
            lambda plan: [Case(FitKey("near", "bica", 2, 0, 0), {}), Case(FitKey("far", "bica", 2, 0, 0), {})],
        ),
    )
    plan = Plan("lumbreras2020", CONFIG, {"far": ["get it"]})
    assert [case.key.dataset for case in study.cases_of(plan)] == ["near"]
    assert study.fits_of(plan) == [*plan.fits, FitKey("near", "bica", 2, 0, 0)]


@EVERY
def test_cases_of_a_study_are_fits_of_their_own(study):
    """No two are the same fit, and what tables say of them tells them apart."""
    cases = study.cases_of(PLANS[study.key])
    assert len({case.key for case in cases}) == len(cases)
    assert len({json.dumps(case.columns) for case in cases}) == len(cases)
    for case in cases:
        assert case.key.K in CONFIG["methods"][case.key.method]["K"]


def test_results_are_a_row_per_case(tmp_path):
    report = {"perplexity": 0.5, "seconds": 1.0, "measures": {"truth": 0.4}, "loss": 3.0}
    (tmp_path / "one.json").write_text(json.dumps(report))
    table = gathering.results([({"size": 4, "method": "a"}, str(tmp_path / "one.json"))])
    assert table.to_dict("records") == [{"size": 4, "method": "a", "perplexity": 0.5, "seconds": 1.0, "truth": 0.4}]


@pytest.fixture
def matrix(tmp_path):
    """A matrix of 4 x 5 entries, its file and those of two masks of it."""
    made = BinaryMatrix.from_array(np.eye(4, 5, dtype=int))
    made.save(tmp_path / "votes.npz")
    files = [str(tmp_path / "votes.npz")]
    for number in range(2):
        files.append(str(tmp_path / f"mask{number}.npz"))
        save_mask(files[-1], draw_mask(made, 0.5, seed_sequence("test", number)))
    return made, files


def test_masked_matrices_load_mask_by_mask(matrix):
    made, files = matrix
    loaded = list(need_from(json.loads(json.dumps(description_of(NEEDS[2])))).load(files))
    assert [(one.dataset, one.number) for one in loaded] == [("votes", 0), ("votes", 1)]
    for one in loaded:
        np.testing.assert_array_equal(one.matrix.codes, made.codes)
        assert one.mask.shape == (4, 5)
    assert (loaded[0].mask != loaded[1].mask).any()


def test_the_best_fit_of_each_method_is_shown(tmp_path):
    files = []
    for method, seed, loss in [("a", 0, 3.0), ("a", 1, 2.0), ("b", 0, 1.0)]:
        stem = tmp_path / f"{method}{seed}"
        stem.with_suffix(".json").write_text(json.dumps({"loss": loss, "active_components": seed}))
        arrays = {"W": np.full((2, 1), loss), "H": np.ones((1, 2)), "expectation": np.ones((2, 2))}
        np.savez(stem.with_suffix(".npz"), **arrays)
        files += [str(stem.with_suffix(".json")), str(stem.with_suffix(".npz"))]
    candidates = [["a", "A-2", [WHOLE, WHOLE]], ["b", "B", [WHOLE]]]
    first, second = BestFits(candidates).load(files)
    assert (first.method, first.label, first.loss, first.active_components) == ("a", "A-2", 2.0, 1)
    assert first.W[0, 0] == 2.0
    assert (second.label, second.W[0, 0]) == ("B", 1.0)


# --- Requests --------------------------------------------------------------------------------


def described_table(frame, text="", number=0):
    """A function such as a declaration names."""
    return frame.assign(text=text, number=number)


ECHO = Table(
    "echo",
    "Echo",
    make="test_studies:described_table",
    caption="captions/summary.rst",
    needs=lambda plan: {"frame": TableOf("scores")},
    arguments=lambda plan: {"text": "dots"},
)


def test_a_job_is_what_its_request_says(tmp_path):
    pd.DataFrame({"a": [1, 2]}).to_csv(tmp_path / "scores.csv", index=False)
    asked = targets.request(ECHO, PLANS["all_methods"])
    files = {"frame": str(tmp_path / "scores.csv"), "sources": ["other.py"]}
    table = run_target.run_target(asked, files)
    assert table.to_dict("list") == {"a": [1, 2], "text": ["dots"] * 2, "number": [0, 0]}


def test_a_request_keeps_the_order_of_boxes():
    figure = next(p for s, p in PRODUCTS if s.key == "lumbreras2020" and p.name == "figure_10")
    other = json.loads(json.dumps(CONFIG))
    other["studies"]["lumbreras2020"]["methods"].reverse()
    given, reverse = (
        list(json.loads(targets.request(figure, plan))["arguments"]["methods"])
        for plan in (PLANS["lumbreras2020"], Plan("lumbreras2020", other))
    )
    assert given == reverse[::-1] == [m for m in PLANS["lumbreras2020"].methods if m != "lda"]


def test_what_is_not_at_hand_leaves_out_what_needs_it():
    study = Study(
        "mine",
        "Mine",
        "",
        figures=(
            Figure(
                "of_far", "", make="a:b", caption="captions/summary.rst", needs=lambda plan: {"matrix": Matrix("far")}
            ),
            Figure(
                "of_near", "", make="a:b", caption="captions/summary.rst", needs=lambda plan: {"matrix": Matrix("near")}
            ),
            Figure(
                "of_table",
                "",
                make="a:b",
                caption="captions/summary.rst",
                needs=lambda plan: {"table": TableOf("masked")},
            ),
        ),
        tables=(
            replace(ECHO, needs=lambda plan: {"fits": Reports(plan.masked_fits)}),
            replace(ECHO, name="masked", needs=lambda plan: {"m": MaskedMatrices({"far": 1})}),
        ),
    )
    entry = {
        "datasets": ["near", "far"],
        "methods": ["bica"],
        "masks": 1,
        "seeds": [0],
        "overrides": {},
        "options": {},
        "holdout": [],
        "further_methods": [],
        "unmasked": {"far": {"bica": {"K": [2], "seeds": 1}}},
    }
    config = {**CONFIG, "studies": {"mine": entry}}
    plan = Plan("mine", config, {"far": ["get it"], "else": ["get that"]})
    assert (plan.datasets, plan.unmasked_fits) == (["near"], [])
    made = targets.targets_of(study, plan)
    assert [table.name for table in made.tables] == ["echo"]
    assert [figure.name for figure in made.figures] == ["of_near"]
    assert made.skipped == [
        "mine: far is left out: get it",
        "mine: table masked is left out: get it",
        "mine: of_far is left out: get it",
        "mine: of_table is left out: so is the table masked",
    ]
    nothing = targets.targets_of(study, Plan("mine", config, {"far": [""], "near": [""]}))
    assert (nothing.figures, nothing.tables) == ([], [])
    assert len(targets.targets_of(study, Plan("mine", config)).figures) == 3


def test_what_is_holdout_and_who_takes_part_where():
    methods = CONFIG["methods"] | {
        "mine": CONFIG["methods"]["bica"] | {"package": "no-such-package"},
        "theirs": CONFIG["methods"]["bica"] | {"package": "numpy"},
    }
    entry = {
        "datasets": ["near"],
        "holdout": ["later", "far"],
        "masks": 3,
        "seeds": [0],
        "overrides": {"later": {"masks": 1, "without": ["logpca", "sampler"]}},
        "methods": ["beta-dir-gs", "logpca", "bica"],
        "further_methods": ["mine", "theirs"],
        "options": {},
        "unmasked": {},
    }
    config = {**CONFIG, "methods": methods, "studies": {"mine": entry}}
    plan = Plan("mine", config, {"far": ["get it"]})
    assert plan.methods == ["beta-dir-gs", "logpca", "bica", "theirs"]
    assert [name for name in plan.methods if plan.is_shared(name)] == plan.methods[:3]
    assert {key.dataset for key in plan.masked_fits} == {"near"}
    assert plan.masks_of(["near", "later"]) == {"near": 3, "later": 1}
    later = plan.fits_to_masks(plan.holdout)
    assert {(key.dataset, key.method, key.mask) for key in later} == {("later", "bica", 0), ("later", "theirs", 0)}
    assert targets.targets_of(Study("mine", "", "", (), ()), plan).skipped == [
        "mine: far is left out: get it",
        "mine: mine is left out: its package no-such-package is not installed",
    ]


def test_files_of_the_users_own_make_no_toys_and_judge_no_claims():
    mine = {"file": "data/votes.csv", "axes": ["rows", "columns"]}
    config = {**CONFIG, "datasets": {**CONFIG["datasets"], "mine": mine}}
    made = {}
    for datasets in (["mine"], ["mine", "animals"]):
        own = {**CONFIG["studies"]["lumbreras2020"], "datasets": datasets}
        plan = Plan("lumbreras2020", {**config, "studies": {"lumbreras2020": own}})
        study = STUDIES["lumbreras2020"]
        products = (*study.tables_of(plan), *study.figures_of(plan))
        made[len(datasets)] = {product.name for product in products if not product.on_request}
    of_papers = {"figure_2", "sensitivity", "claims", "claims_parts", "paper_numbers"}
    assert made[2] - made[1] == of_papers
    assert {"figure_10", "summary", "diagnostics"} <= made[1]


@EVERY
def test_the_report_opens_with_what_the_study_has(study):
    plan = PLANS[study.key]
    for_report = [table for table in study.tables_of(plan) if table.in_report]
    names = {product.name for product in (*study.figures_of(plan), *for_report)}
    assert set(study.front) <= names


def test_titles_are_sorted_by_their_numbers_in_the_report():
    plan = PLANS["lumbreras2020"]
    labels = [targets.label(p, plan) for p in STUDIES["lumbreras2020"].figures_of(plan)]
    figures = [label for label in labels if label.startswith("Figure")]
    assert sorted(figures) == figures
    assert figures[0] == "Figure  2: matrices drawn from the models"
    assert "Figure  7: dictionaries of parliament" in figures
    assert "Figure 10: held-out log loss" in figures


# --- Ranking ---------------------------------------------------------------------------------


def test_the_mean_of_the_ranks_orders_the_overview():
    """A is first twice and last once: the mean of 1, 1 and 4 is 2, that of 2, 2 and 1 is 5 / 3."""
    ranks = {"A": [1, 1, 4], "B": [2, 2, 1], "C": [3, 3, 2], "D": [4, 4, 3]}
    rows = [
        (dataset, rank, label, place / 10)
        for label, of_datasets in ranks.items()
        for place, (dataset, rank) in enumerate(zip(("x", "y", "z"), of_datasets, strict=True))
    ]
    table = overview(pd.DataFrame(rows, columns=["dataset", "rank", "label", "median"]))
    assert table["label"].tolist() == ["B", "A", "C", "D"]
    np.testing.assert_allclose(table["mean_rank"], [5 / 3, 2, 8 / 3, 11 / 3])
    np.testing.assert_allclose(table[["x", "y", "z"]], [[0.0, 0.1, 0.2]] * 4)


def test_methods_are_ranked_with_their_best_K_and_baselines():
    rows = [
        ("a", 2, [0.5, 0.6]),
        ("a", 3, [0.25, 0.65]),
        ("b", 2, [0.3, 0.5]),
        ("b", 3, [0.1, np.nan]),
        ("lda", 2, [0.0, 0.0]),
    ]
    rows = [("votes", *row) for row in rows] + [("moods", "b", 9, [0.8, 0.7, 1.2])]
    scores = pd.DataFrame(
        [(*row, j, 0, value) for *row, values in rows for j, value in enumerate(values)],
        columns=["dataset", "method", "K", "mask", "seed", "perplexity"],
    )
    scores["brier"] = scores["perplexity"] / 2 + scores["mask"] / 10
    scores["seconds"] = 10.0 * scores["K"] + scores["mask"]
    scores["active_components"] = scores["K"] - scores["mask"] ** 2
    baselines = pd.DataFrame(
        {
            "dataset": ["votes"] * 2 + ["moods"] * 3,
            "baseline": "overall",
            "label": "overall proportion",
            "mask": [0, 1, 0, 1, 2],
            "n_test": [25, 25, 1, 1, 1],
            "n_train": [75, 75, 9, 9, 9],
            "perplexity": [0.7, 0.8, 1.0, 1.1, 1.2],
            "brier": [0.2, 0.3, 0.1, 0.1, 0.1],
        }
    )
    table = rank(scores, baselines, {"a": "A", "b": "B"})
    medians = overview(table)
    assert medians.columns.tolist() == ["label", "mean_rank", "votes", "moods"]
    assert medians["label"].tolist() == ["B", "A", "overall proportion"]
    assert medians["mean_rank"].tolist() == [1, 2, 2.5]
    np.testing.assert_allclose(medians["votes"], [0.4, 0.45, 0.75])
    np.testing.assert_allclose(medians["moods"], [0.8, np.nan, 1.1])
    table, other = (table[table["dataset"] == dataset] for dataset in ("votes", "moods"))
    assert other[["rank", "method", "K"]].to_numpy().tolist() == [[1, "b", 9], [2, "overall", 0]]
    np.testing.assert_allclose(other["mean"], [0.9, 1.1])
    assert other[["components", "fewest", "most"]].iloc[0].tolist() == [8, 5, 9]  # a median
    assert table[["rank", "method", "label", "K"]].to_numpy().tolist() == [
        [1, "b", "B", 2],
        [2, "a", "A", 3],
        [3, "overall", "overall proportion", 0],
    ]
    np.testing.assert_allclose(table["mean"], [0.4, 0.45, 0.75])
    np.testing.assert_allclose(table["brier"], [0.25, 0.275, 0.25])  # at the same K and masks
    np.testing.assert_allclose(table["behind"], [0, 0.05, 0.35])
    assert table["significant"].tolist() == [None, False, False]  # two masks tell too little
    # The differences of a and b are -0.05 and 0.15: (1/2 + 1/3) times their variance, 0.02.
    np.testing.assert_allclose(table["seconds"], [20.5, 30.5, np.nan])  # of the K that is shown
    assert table[["components", "fewest", "most"]].iloc[1].tolist() == [2.5, 2, 3]
    t = 12.706204736  # of one degree of freedom
    assert table["uncertainty"][1] == pytest.approx(t * np.sqrt((1 / 2 + 1 / 3) * 0.02))


def test_common_products_take_any_plan():
    for plan in PLANS.values():
        assert common.has_unmasked_fits(plan) == bool(plan.unmasked)
        figures = list(common.traces_of_samplers(plan))
        assert [figure.name for figure in figures] == [f"traces_{m}" for m in plan.samplers]
