"""The configuration: the shipped one is the paper's, and every mistake in one is a clear line."""

import copy
import functools
from pathlib import Path

import pytest
import yaml
from checkout import CONFIG_FILES, ROOT, shipped_configuration
from snakemake.utils import update_config

import nbmf
from nbmf import catalogue, registry
from nbmf.catalogue import COMPARED, METHODS, colours_of
from nbmf.errors import ConfigError
from nbmf_studies.lumbreras2020 import factors
from nbmf_studies.pipeline import configuration

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
PAPER = "lumbreras2020"


def merged(*overlays):
    """Return the shipped configuration with overlays, merged as Snakemake merges them."""
    config = shipped_configuration()
    for overlay in overlays:
        update_config(config, copy.deepcopy(overlay))
    return config


def read(name):
    return yaml.safe_load((ROOT / f"config/{name}.yaml").read_text(encoding="utf-8"))


def checked(*overlays):
    return configuration.check(merged(*overlays), SCHEMA)


@functools.cache
def shipped(*names):
    """Return the checked configuration with overlays of the repository, to be looked at alone."""
    return checked(*(read(name) for name in names))


def plan(*overlays, study=PAPER):
    return configuration.plans(checked(*overlays))[study]


OF = f"studies.{PAPER}"
OPTIONS = f"{OF}.options"


def of_study(key=PAPER, **changes):
    return {"studies": {key: changes}}


def unmasked_grid(study):
    """Return (dataset, method, K, number of seeds) of the unmasked fits of a study's entry."""
    return [
        (dataset, method, K, grid["seeds"])
        for dataset, grids in study["unmasked"].items()
        for method, grid in grids.items()
        for K in grid["K"]
    ]


def number_of_fits(config, key=PAPER):
    study = config["studies"][key]
    grid = sum(len(config["methods"][method]["K"]) for method in study["methods"])
    return len(study["datasets"]) * study["masks"] * len(study["seeds"]) * grid


# --- The shipped configuration ---------------------------------------------------------------

# Section 6.2 of the paper. Dir-Beta is Beta-Dir of the transposed matrix, so its settings are the
# same with eta in place of gamma.
NONPARAMETRIC = {"alpha": 1, "beta": 1, "gamma": "1/K"}
TRANSPOSED = {"alpha": 1, "beta": 1, "eta": "1/K"}
PARAMETRIC = {"alpha": 1, "beta": 1, "gamma": 1, "max_iter": 500}
CHAIN = {"burn_in": 4000, "n_samples": 1000}
LEARNED = {**dict.fromkeys(("alpha", "beta"), "learn-columns"), **{"gamma": "1/K", "orientation": "auto"}}
LEARNED_EFFECTS = {"effects": "both", "effect_scale": "learned"}
BUFFET = {"prior": "cibp", "start": "dense", "burn_in": 1000, "n_samples": 1000}
SETTINGS = {
    "beta-dir-gs": ("BetaDirGibbs", [100], NONPARAMETRIC | CHAIN),
    "beta-dir-vb": ("BetaDirVB", [100], NONPARAMETRIC | {"max_iter": 500}),
    "dir-dir-gs": ("DirDirGibbs", [100], {"gamma": "1/K", "eta": 1} | CHAIN),
    "c-bica": ("CollapsedBinaryICA", [2, 3, 4, 5, 6, 7, 8], PARAMETRIC),
    "bica": ("BinaryICA", [2, 3, 4, 5, 6, 7, 8], PARAMETRIC),
    "logpca": ("LogisticPCA", [2, 3, 4], {"max_iter": 2000, "deviance_gain_tol": 1e-5}),
    "logistic-gs": ("LogisticFactorGibbs", [8], {"burn_in": 500, "n_samples": 1000}),
    "logistic-vb": ("LogisticFactorVB", [8], {"effects": "none"}),
    "logistic-vb-columns": ("LogisticFactorVB", [8], {"effects": "columns"}),
    "logistic-gs-learned-effects": ("LogisticFactorGibbs", [8], LEARNED_EFFECTS | {"ard": True}),
    "logistic-vb-learned-effects": ("LogisticFactorVB", [8], LEARNED_EFFECTS | {"ard": False}),
    "indian-buffet": ("IndianBuffetLogistic", [10], BUFFET),
    "bernoulli-poisson-gs": ("BernoulliPoissonGibbs", [8], {"burn_in": 500, "n_samples": 500}),
    "bernoulli-poisson-vb": ("BernoulliPoissonVB", [8], {"max_iter": 1000, "relative_gain_tol": 1e-6}),
    "bernoulli-poisson-gs-scales": ("BernoulliPoissonGibbs", [8], {"scales": "both", "burn_in": 500}),
    "bernoulli-poisson-vb-scales": (
        "BernoulliPoissonVB",
        [8],
        {"scales": "both", "shape_W": 1, "shape_H": 2, "tie_shape_W": "source", "tie_shape_H": "source"},
    ),
    "dir-beta-gs": ("DirBetaGibbs", [100], TRANSPOSED | CHAIN),
    "dir-beta-vb": ("DirBetaVB", [100], TRANSPOSED | {"max_iter": 500}),
    "dir-dir-vb": ("DirDirVB", [100], {"gamma": "1/K", "eta": 1, "max_iter": 500}),
    "beta-dir-gs-learned": ("BetaDirGibbs", [100], LEARNED | CHAIN),
    "beta-dir-vb-learned": ("BetaDirVB", [100], LEARNED | {"max_iter": 500}),
    "beta-dir-vb-finite": ("BetaDirVB", [2, 4, 8], {"alpha": 0.3, "beta": 0.3, "gamma": 0.5, "max_iter": 500}),
    "dir-dir-gs-learned": ("DirDirGibbs", [100], {"gamma": "learn", "eta": "learn"} | CHAIN),
    **{
        f"{name}-{side}": (class_name, [2, 4, 8], {"orientation": side, "smoothing": 1})
        for name, class_name in {"mnb": "MNB", "mmnb": "MMNB", "fast-mmnb": "FastMMNB"}.items()
        for side in ("rows", "columns")
    },
    **{
        f"poisson-gamma-{name}": (f"PoissonGamma{kind}", [2, 4, 8], {"max_iter": 1000, "relative_gain_tol": 1e-6})
        for name, kind in {"vb": "VB", "em": "EM", "icm": "ICM"}.items()
    },
    "poisson-gamma-gs": ("PoissonGammaGibbs", [2, 4, 8], {"burn_in": 500, "n_samples": 500}),
    "poisson-gamma-vb-scales": ("PoissonGammaVB", [2, 4, 8], {"scales": "both", "max_iter": 1000}),
    "poisson-gamma-gs-scales": ("PoissonGammaGibbs", [2, 4, 8], {"scales": "both", "burn_in": 500}),
    "negative-binomial-vb": ("NegativeBinomialFactorVB", [2, 4, 8], {"effects": "none"}),
    "negative-binomial-gs": ("NegativeBinomialFactorGibbs", [2, 4, 8], {"n_samples": 1000}),
    "softplus-poisson-vb": ("SoftplusPoissonFactorVB", [2, 4, 8], {"effects": "none"}),
    "stacking": ("Stacking", [8], {"max_iter": 1000}),
    "lda": ("LDA", [2, 3, 4], {"max_iter": 10}),
    "lda-ml": ("VariationalLDA", [2, 3, 4], {"smoothing": 0.1}),
    "fast-lda": ("FastLDA", [2, 3, 4], {"smoothing": 0.1, "inner_max": 5}),
}
IN_THE_PAPER = {"beta-dir-gs", "beta-dir-vb", "dir-dir-gs", "c-bica", "bica", "logpca", "lda"}


@pytest.mark.parametrize("method", SETTINGS)
def test_methods_have_the_papers_settings(method):
    class_name, grid, settings = SETTINGS[method]
    entry = shipped()["methods"][method]
    assert (entry["class"], entry["K"]) == (class_name, grid)
    for K in grid:
        used = registry.make_estimator(entry["class"], K, entry["settings"]).get_params()
        assert {name: used[name] for name in settings} == settings
        assert used["n_components"] == K


def test_the_study_is_the_papers_protocol():
    config = checked()
    study = config["studies"][PAPER]
    assert config["run"]["studies"] == [PAPER]
    assert sorted(study["datasets"]) == ["animals", "lastfm", "paleo", "parliament", "unvotes"]
    assert (study["masks"], config["run"]["test_probability"]) == (10, 0.25)
    assert set(study["methods"]) == IN_THE_PAPER
    assert config["methods"]["c-bica"]["starts_as"] == "bica"


def test_the_other_study_compares_all_binary_methods_whose_score_is_per_entry():
    """Those of counts are for other data."""
    other = plan(study="all_methods")
    of_kind = {
        kind: [method for method in METHODS if catalogue.matrix_kind(method) is kind]
        for kind in (nbmf.BinaryMatrix, nbmf.CountMatrix)
    }
    binary = [method for method in of_kind[nbmf.BinaryMatrix] if registry.scores_entries(METHODS[method]["class"])]
    assert set(other.methods) == set(binary) >= {"beta-dir-gs", "logistic-gs", "indian-buffet", "stacking"}
    of_counts = of_kind[nbmf.CountMatrix]
    assert {"poisson-gamma-vb", "negative-binomial-gs", "softplus-poisson-vb"} <= set(of_counts)
    assert set(other.comparable(["poisson-gamma-vb", *METHODS])) == set(of_counts)
    masks, shared = other.masks_of(other.datasets), ("beta-dir-gs", "dir-dir-gs", "bica", "c-bica", "beta-dir-vb")
    assert masks == {"animals": 10, "lastfm": 5, "paleo": 5, "parliament": 10, "unvotes": 3}
    of_paper = {key for key in plan().masked_fits if key.method in shared and key.mask < masks[key.dataset]}
    assert set(other.masked_fits) > of_paper > set()
    assert other.unmasked_fits == []
    chosen = plan(of_study("all_methods", methods=["lda", "bica"]), study="all_methods")
    assert chosen.methods == ["lda", "bica"]
    assert chosen.comparable(chosen.methods) == ["bica"]


def test_another_family_or_study_makes_the_comparison_of_all_methods_no_longer(monkeypatch):
    """Methods of real numbers are compared with each other; a study's variants are its own."""
    real = {"class": "toy_family:ToyGaussian", "label": "real", "K": [1], "settings": {}}
    variant = {"methods": {"real": real, "mine": {**METHODS["bica"], "label": "mine"}}}
    usual = plan(study="all_methods").methods
    assert plan(variant, study="all_methods").methods == usual
    monkeypatch.setitem(METHODS, "real", real)
    other = plan(variant, study="all_methods")
    assert other.methods == usual
    assert other.comparable(["bica", "real", "mine"]) == ["bica", "mine"]
    assert other.comparable(["lda", "real"]) == ["real"]


KINDS = nbmf.BinaryMatrix, nbmf.CountMatrix, nbmf.CategoryMatrix


def test_every_estimator_is_a_method_of_the_configuration():
    """But those of real values, which are for other data, and without periods no row moves."""
    estimators = {
        name for name in registry.all_classes() if registry.estimator_class(name).likelihoods[0].matrix in KINDS
    }
    assert len(estimators) >= 25
    moving = {"DynamicFactorGibbs", "DynamicOrdinalFactorGibbs"}
    known = {entry["class"] for entry in METHODS.values()}
    differ = known ^ (estimators - moving)
    assert not differ, f"methods.yaml (a class in EXPORTS goes by its name alone) and EXPORTS differ in {differ}"


def test_the_catalogue_is_the_configurations_list_of_methods():
    """Beside which studies have variants of their own."""
    shipped = {name: {**entry} for name, entry in checked()["methods"].items()}
    assert {name: shipped[name] for name in METHODS} == METHODS
    assert "beta-dir-vb-grid" in shipped.keys() - METHODS.keys()
    assert set().union(*COMPARED.values()) < METHODS.keys()


def test_methods_have_colours_of_their_own_and_others_get_one():
    colours = colours_of(METHODS)
    users = {colour: [name for name in METHODS if colours[name] == colour] for colour in colours.values()}
    assert {colour: names for colour, names in users.items() if len(names) > 1} == {}
    mine = {"class": "LDA", "label": "mine", "K": [2]}
    assert colours_of({**METHODS, "mine": mine, "red": {**mine, "colour": "#FF0000"}}) == {
        **colours,
        "mine": colours["beta-dir-gs"],
        "red": "#FF0000",
    }


FIGURES_OF_FITS = factors.OF_FACTORS


def test_the_unmasked_fits_are_those_that_the_figures_need():
    """Figures 6 to 9 choose K and the best of several seeds; Gibbs chains need several as well."""
    config = checked()
    entry = config["studies"][PAPER]
    shown = {entry["options"][figure]["dataset"] for figure in FIGURES_OF_FITS}
    assert shown == {"parliament", "unvotes_coldwar", "paleo"}
    assert shown | set(entry["datasets"]) == set(entry["unmasked"])
    for dataset, method, K, seeds in unmasked_grid(entry):
        assert dataset in shown or method.endswith("-gs")
        assert seeds == 1 if method == "logpca" else seeds >= 4
        assert K == 100 if "1/K" in config["methods"][method]["settings"].values() else K <= 10


def test_unmasked_fits_are_every_combination_once():
    keys = plan().unmasked_fits
    expected = [
        (dataset, method, K, None, seed)
        for dataset, method, K, seeds in unmasked_grid(checked()["studies"][PAPER])
        for seed in range(seeds)
    ]
    assert keys == expected
    # parliament: (3 + 9) x 10 + 9; coldwar and paleo: (3 + 9) x 4 + 9; the others: 2 x 4.
    assert len(set(keys)) == len(keys) == 129 + 2 * 57 + 3 * 8


def test_a_key_has_the_columns_of_its_table():
    masked, unmasked = plan().masked_fits[0], plan().unmasked_fits[0]
    assert list(masked.columns()) == ["dataset", "method", "K", "mask", "seed"]
    assert list(unmasked.columns()) == ["dataset", "method", "K", "seed"]


def test_an_overlay_drops_unmasked_fits():
    some = plan(of_study(unmasked={"paleo": None, "parliament": {"bica": None}}))
    assert list(some.unmasked) == ["parliament", "unvotes_coldwar", "animals", "lastfm", "unvotes"]
    assert "bica" not in some.unmasked["parliament"]
    assert not factors.is_shown(some, "figure_9")
    none = plan(of_study(unmasked=None))
    assert (none.unmasked, none.unmasked_fits) == ({}, [])


def test_figures_show_the_methods_of_their_unmasked_fits_at_the_papers_K():
    nonparametric = {"beta-dir-gs": 100, "beta-dir-vb": 100, "dir-dir-gs": 100}
    for figure, K in zip(FIGURES_OF_FITS, (8, 8, 7, 7), strict=True):
        assert factors.shown_K(plan(), figure) == nonparametric | {"bica": K, "logpca": K}


def test_a_method_without_a_chosen_K_is_shown_at_its_first():
    grid = {"bica": {"K": [5, 3], "seeds": 1}, "lda": {"K": [4, 2], "seeds": 1}}
    chosen = {"dataset": "animals", "K": {"bica": 3}}
    found = plan(of_study(unmasked={"animals": grid}, options={"figure_9": chosen}))
    shown = factors.shown_K(found, "figure_9")
    assert (shown["bica"], shown["lda"], shown["beta-dir-gs"]) == (3, 4, 100)
    assert found.label("bica", 3) == "bICA-3"
    assert found.label("beta-dir-gs", 100) == "Beta-Dir GS"


OVERLAYS = sorted(path.stem for path in (ROOT / "config").glob("*.yaml") if path not in CONFIG_FILES)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_overlays_are_valid_and_apart(overlay):
    """Each has a folder of its own, and an entry it adds is run or shown."""
    config = shipped(overlay)
    assert 0 < number_of_fits(config) <= number_of_fits(shipped())
    others = [shipped(), *(shipped(name) for name in OVERLAYS if name != overlay)]
    assert config["results"] not in {other["results"] for other in others}
    for kind in ("datasets", "methods"):
        added = merged(read(overlay))[kind].keys() - merged()[kind].keys()
        assert added <= set(config["studies"][PAPER][kind])


def test_short_overlays_are_shorter():
    config = checked(read("quick"))
    quick, whole = plan(read("quick")), plan()
    assert number_of_fits(config) < number_of_fits(checked()) / 2
    keys = quick.unmasked_fits
    assert 0 < len(keys) < len(whole.unmasked_fits) / 2
    assert {key.dataset for key in keys} <= set(quick.datasets)
    assert [figure for figure in FIGURES_OF_FITS if factors.is_shown(quick, figure)] == ["figure_6", "figure_7"]
    papers = checked()["methods"]
    for method, entry in config["methods"].items():
        full = papers[method]
        assert set(entry["K"]) <= set(full["K"])
        for name in {"burn_in", "n_samples", "max_iter"} & full["settings"].keys():
            assert entry["settings"][name] <= full["settings"][name]


def test_the_mean_field_start_changes_the_start_alone():
    config = checked(read("mean_field_start"))
    for name in config["studies"][PAPER]["methods"]:
        mine, papers = (config["methods"][method] for method in (name, name.removesuffix("-mean-field")))
        assert mine != papers
        assert mine["settings"] == papers["settings"] | {"start": "mean-field"}
        assert (mine["class"], mine["K"]) == (papers["class"], papers["K"])


def test_the_texts_orientation_is_the_scripts_with_axes_exchanged_and_changes_nothing_else():
    """Under the same names, so with the same seeds, and matrices in a folder of their own."""
    config, ours = checked(read("as_in_the_text")), checked()
    study, whole = config["studies"][PAPER], ours["studies"][PAPER]
    turned = study["datasets"]
    assert turned == ["animals", "lastfm"]
    for name in turned:
        entry, scripts = config["datasets"][name], ours["datasets"][name]
        counts = scripts["counts"]
        assert (entry["transpose"], scripts["transpose"]) == (False, True)
        assert entry == scripts | {
            "transpose": False,
            "axes": scripts["axes"][::-1],
            "counts": counts | {"rows": counts["columns"], "columns": counts["rows"]},
        }
        assert study["unmasked"][name] == whole["unmasked"][name]
    others = ours["datasets"].keys() - set(turned)
    assert all(config["datasets"][name] == ours["datasets"][name] for name in others)
    assert config["methods"].items() <= ours["methods"].items()  # variants for datasets that are not turned are missing
    assert {name: config["methods"][name] for name in METHODS} == {name: ours["methods"][name] for name in METHODS}
    assert plan(read("as_in_the_text")).methods == plan().methods
    assert config["matrices"] != ours["matrices"]
    assert config["results"] != ours["results"]


@pytest.mark.parametrize("overlays", [(), ("quick",)], ids=["paper", "quick"])
def test_masked_fits_are_every_combination_once(overlays):
    overlays = [*map(read, overlays)]
    config, found = checked(*overlays), plan(*overlays)
    keys = found.masked_fits
    assert len(set(keys)) == len(keys) == number_of_fits(config)
    for key in keys:
        assert key.K in config["methods"][key.method]["K"]
        assert 0 <= key.mask < found.masks
    for field in ("datasets", "methods", "seeds"):
        named = {getattr(key, field.removesuffix("s")) for key in keys}
        assert named == set(getattr(found, field))


def test_more_seeds_are_more_fits():
    once, thrice = plan(), plan(of_study(seeds=[0, 7, 3]))
    keys = thrice.masked_fits
    with_starts = [key for key in once.masked_fits if key.method not in ("logpca", "lda")]
    assert len(set(keys)) == 2 * len(with_starts) + len(once.masked_fits)
    assert {key.seed for key in keys} == {0, 7, 3}


def test_defaults_are_filled_and_the_given_configuration_is_left_alone():
    new = {
        "datasets": {"mine": {"recipe": "animals"}},
        "methods": {"mine": {"class": "LDA", "label": "mine", "K": [2]}},
    }
    given = merged(new)
    before = copy.deepcopy(given)
    config = configuration.check(given, SCHEMA)
    assert config["datasets"]["mine"] == {
        "recipe": "animals",
        "files": {},
        "options": {},
        "transpose": False,
        "axes": ["rows", "columns"],
    }
    assert config["methods"]["mine"]["settings"] == {}
    assert config["studies"]["all_methods"]["seeds"] == [0]
    assert config["studies"]["all_methods"]["unmasked"] == {}
    assert given == before


def test_a_slash_at_the_end_of_a_folder_or_two_of_them_are_as_one():
    config = checked({"results": "results/mine/", "matrices": "results//mine/./matrices/"})
    assert (config["results"], config["matrices"]) == ("results/mine", "results/mine/matrices")


# --- Mistakes --------------------------------------------------------------------------------


def complaint(overlay):
    with pytest.raises(ConfigError) as caught:
        checked(overlay)
    message = str(caught.value)
    assert message.startswith("configuration: ")
    assert "\n" not in message
    return message


def method(name="bica", **changes):
    return {"methods": {name: changes}}


def settings(name="bica", **changes):
    return method(name, settings=changes)


def dataset(**changes):
    return {"datasets": {"animals": changes}}


def unmasked(method="bica", dataset="animals", **changes):
    return of_study(unmasked={dataset: {method: {"K": [2], "seeds": 1} | changes}})


def figure(name="figure_7", **changes):
    return of_study(options={name: changes})


def sensitivity(**changes):
    return figure("sensitivity", **changes)


def source(**changes):
    return {"sources": {"animals_matrix": changes}}


@pytest.mark.parametrize(
    ("overlay", "place", "given", "meant"),
    [
        ({"result": "x"}, "", "result", "results"),
        ({"run": {"thread": 3}}, "run", "thread", "threads"),
        (of_study(mask=3), f"{OF}", "mask", "masks"),
        (of_study("lumbreras2O20"), "studies", "lumbreras2O20", "lumbreras2020"),
        (dataset(recip="animals"), "datasets.animals", "recip", "recipe"),
        (dataset(counts={"colums": 3}), "datasets.animals.counts", "colums", "columns"),
        (method(setings={}), "methods.bica", "setings", "settings"),
        (settings(max_itr=3), "methods.bica.settings", "max_itr", "max_iter"),
        (settings("logpca", tolerance=3), "methods.logpca.settings", "tolerance", None),
        (source(sha25="0"), "sources.animals_matrix", "sha25", "sha256"),
        (of_study(unmaskd={}), f"{OF}", "unmaskd", "unmasked"),
        (dataset(transposed=True), "datasets.animals", "transposed", "transpose"),
        (unmasked(seed=3), f"{OF}.unmasked.animals.bica", "seed", "seeds"),
        (figure("sensitivty"), f"{OPTIONS}", "sensitivty", "sensitivity"),
        (figure(column=3), f"{OPTIONS}.figure_7", "column", "columns"),
        (figure("figure_6", columns=3), f"{OPTIONS}.figure_6", "columns", None),
        (figure("figure_5", abstention="x"), f"{OPTIONS}.figure_5", "abstention", "abstentions"),
        (sensitivity(size=[5]), f"{OPTIONS}.sensitivity", "size", "sizes"),
        (
            sensitivity(methods={"beta-dir-vb": {"max_itr": 3}}),
            f"{OPTIONS}.sensitivity.methods.beta-dir-vb",
            "max_itr",
            "max_iter",
        ),
        (
            sensitivity(methods={"beta-dir-gs": {"threads": 3}}),
            f"{OPTIONS}.sensitivity.methods.beta-dir-gs",
            "threads",
            None,
        ),
        (settings(n_components=3), "methods.bica.settings", "n_components", None),
        (settings(random_state=3), "methods.bica.settings", "random_state", None),
        (settings("beta-dir-gs", threads=3), "methods.beta-dir-gs.settings", "threads", None),
    ],
)
def test_a_misspelt_key_is_named(overlay, place, given, meant):
    message = complaint(overlay)
    assert f"{place}: unknown key {given!r}; allowed: " in (f": {message}" if place else message)
    assert ("did you mean" in message) == (meant is not None)
    assert meant is None or message.endswith(f"(did you mean {meant!r}?)")


@pytest.mark.parametrize(("old", "new"), [("held_back", "holdout"), ("fewer", "overrides")])
def test_a_key_that_has_another_name_now_is_refused_with_that(old, new):
    assert complaint(of_study(**{old: []})) == f"configuration: studies.{PAPER}: the key {old!r} is called {new!r} now"


@pytest.mark.parametrize(
    ("overlay", "place", "given", "meant"),
    [
        (of_study(methods=["lda", "bicca"]), f"{OF}.methods[1]", "bicca", "bica"),
        (of_study(methods=["quux"]), f"{OF}.methods[0]", "quux", None),
        (of_study(datasets=["animal"]), f"{OF}.datasets[0]", "animal", "animals"),
        (of_study(holdout=["animal"]), f"{OF}.holdout[0]", "animal", "animals"),
        (of_study(further_methods=["bicca"]), f"{OF}.further_methods[0]", "bicca", "bica"),
        (of_study(overrides={"animal": {"masks": 1}}), f"{OF}.overrides.animal", "animal", "animals"),
        (
            of_study(overrides={"animals": {"without": ["samplr"]}}),
            f"{OF}.overrides.animals.without[0]",
            "samplr",
            "sampler",
        ),
        ({"run": {"studies": ["lumbreras"]}}, "run.studies[0]", "lumbreras", "lumbreras2020"),
        (dataset(published="quux"), "datasets.animals.published", "quux", None),
        (
            dataset(files={"matrix": "animals_matrx"}),
            "datasets.animals.files.matrix",
            "animals_matrx",
            "animals_matrix",
        ),
        (method("c-bica", starts_as="bicca"), "methods.c-bica.starts_as", "bicca", "bica"),
        (unmasked(dataset="animal"), f"{OF}.unmasked.animal", "animal", "animals"),
        (unmasked("bicca"), f"{OF}.unmasked.animals.bicca", "bicca", "bica"),
        (of_study(unmasked={"animal": None}), f"{OF}.unmasked.animal", "animal", "animals"),  # drops nothing
        (of_study(unmasked={"animals": {"bicca": None}}), f"{OF}.unmasked.animals.bicca", "bicca", "bica"),
        (
            figure("figure_5", abstentions="abstentions"),
            f"{OPTIONS}.figure_5.abstentions",
            "abstentions",
            "unvotes_abstentions",
        ),
        (figure("figure_6", dataset="quux"), f"{OPTIONS}.figure_6.dataset", "quux", None),
        (figure("figure_8", dataset="coldwar"), f"{OPTIONS}.figure_8.dataset", "coldwar", "unvotes_coldwar"),
        (figure(K={"bicca": 8}), f"{OPTIONS}.figure_7.K.bicca", "bicca", "bica"),
        (figure("figure_11", logcpa=3), f"{OPTIONS}.figure_11.logcpa", "logcpa", "logpca"),
        (sensitivity(methods={"beta-dir": {}}), f"{OPTIONS}.sensitivity.methods.beta-dir", "beta-dir", "beta-dir-vb"),
        (
            of_study(options={"figure_2": [{"dataset": "beta_dir", "title": "x"}]}),
            f"{OPTIONS}.figure_2[0].dataset",
            "beta_dir",
            "beta_dir_1",
        ),
    ],
)
def test_an_unknown_name_is_named_with_the_known_ones(overlay, place, given, meant):
    message = complaint(overlay)
    assert f": {place} = {given!r}: must be " in message
    assert ("did you mean" in message) == (meant is not None)
    assert meant is None or message.endswith(f"(did you mean {meant!r}?)")


@pytest.mark.parametrize(
    ("overlay", "place", "given", "allowed"),
    [
        (of_study(masks=0), f"{OF}.masks", "0", "at least 1"),
        (of_study(masks=1001), f"{OF}.masks", "1001", "at most 1000"),
        (of_study(masks="ten"), f"{OF}.masks", "'ten'", "integer"),
        (of_study(masks=True), f"{OF}.masks", "True", "integer"),
        ({"run": {"test_probability": 0}}, "run.test_probability", "0", "more than 0"),
        ({"run": {"test_probability": 1}}, "run.test_probability", "1", "less than 1"),
        (of_study(seeds=[-1]), f"{OF}.seeds[0]", "-1", "at least 0"),
        (of_study(seeds=[3, 3]), f"{OF}.seeds", "[3, 3]", "without repetitions"),
        (of_study(seeds=[]), f"{OF}.seeds", "[]", "at least 1"),
        (of_study(datasets="animals"), f"{OF}.datasets", "'animals'", "a list"),
        ({"run": None}, "run", "None", "a mapping"),
        ({"results": "../elsewhere"}, "results", "'../elsewhere'", "a folder inside the checkout"),
        ({"results": ""}, "results", "''", "a folder inside the checkout"),
        ({"mirrors": "data"}, "mirrors", "'data'", "a list"),
        (method(K=[2, -1]), "methods.bica.K[1]", "-1", "at least 0"),
        (method(K=[]), "methods.bica.K", "[]", "at least 1"),
        (method(K=5), "methods.bica.K", "5", "a list"),
        (method(K=["5"]), "methods.bica.K[0]", "'5'", "integer"),
        (method(K=[2.5]), "methods.bica.K[0]", "2.5", "integer"),
        (method(K=[2, 3, 2]), "methods.bica.K", "[2, 3, 2]", "without repetitions"),
        (method(label=3), "methods.bica.label", "3", "text"),
        (method(colour="blue"), "methods.bica.colour", "'blue'", "a colour as #RRGGBB"),
        (method(settings=[1]), "methods.bica.settings", "[1]", "a mapping"),
        (method(starts=0), "methods.bica.starts", "0", "at least 1"),
        (method(starts=2.5), "methods.bica.starts", "2.5", "integer"),
        (dataset(counts={"rows": 0}), "datasets.animals.counts.rows", "0", "at least 1"),
        (dataset(transpose="yes"), "datasets.animals.transpose", "'yes'", "true or false"),
        (dataset(axes=["rows"]), "datasets.animals.axes", "['rows']", "at least 2"),
        (dataset(axes=["a", "b", "c"]), "datasets.animals.axes", "['a', 'b', 'c']", "at most 2"),
        ({"run": {"studies": []}}, "run.studies", "[]", "at least 1"),
        ({"run": {"threads": 0}}, "run.threads", "0", "at least 1"),
        (of_study(unmasked=["paleo"]), f"{OF}.unmasked", "['paleo']", "a mapping or null"),
        (unmasked(seeds=0), f"{OF}.unmasked.animals.bica.seeds", "0", "at least 1"),
        (unmasked(seeds=[0, 1]), f"{OF}.unmasked.animals.bica.seeds", "[0, 1]", "integer"),
        (unmasked(K=[]), f"{OF}.unmasked.animals.bica.K", "[]", "at least 1"),
        (unmasked(K=8), f"{OF}.unmasked.animals.bica.K", "8", "a list"),
        (figure(columns=0), f"{OPTIONS}.figure_7.columns", "0", "at least 1"),
        (figure(K={"bica": [8]}), f"{OPTIONS}.figure_7.K.bica", "[8]", "integer"),
        (figure("figure_11", bica=0), f"{OPTIONS}.figure_11.bica", "0", "at least 1"),
        (of_study(options={"figure_2": []}), f"{OPTIONS}.figure_2", "[]", "at least 1"),
        (sensitivity(sizes=[4]), f"{OPTIONS}.sensitivity.sizes[0]", "4", "at least 5"),
        (sensitivity(concentrations=[0]), f"{OPTIONS}.sensitivity.concentrations[0]", "0", "than 0"),
        (sensitivity(K=1), f"{OPTIONS}.sensitivity.K", "1", "at least 2"),
        (method(K=[2, 0]), "methods.bica.K[1]", "0", "an integer from 1 to 1000000"),
        (unmasked(K=[0]), f"{OF}.unmasked.animals.bica.K[0]", "0", "an integer from 1 to 1000000"),
        ({"verify": {"accept": "median"}}, "verify.accept", "'median'", "medians or identical"),
        (of_study(overrides={"animals": {}}), f"{OF}.overrides.animals", "{}", "a mapping of at least 1"),
        (figure("eta", values=["1/J"]), f"{OPTIONS}.eta.values[0]", "'1/J'", "a number or 1/K"),
        (source(bytes=-5), "sources.animals_matrix.bytes", "-5", "at least 1"),
        (source(sha256="00"), "sources.animals_matrix.sha256", "'00'", "64 hexadecimal digits"),
        (source(path="a/../c"), "sources.animals_matrix.path", "'a/../c'", "relative path"),
    ],
)
def test_a_wrong_value_is_shown_with_the_rule(overlay, place, given, allowed):
    message = complaint(overlay)
    assert f": {place} = {given}: must be " in message
    assert allowed in message.partition("must be ")[2]
    assert "auto" not in message  # which only nbmf compare and the library take as K


@pytest.mark.parametrize(
    ("overlay", "said"),
    [
        ({"methods": {"bicca": {"K": [2]}}}, "methods.bicca: the key 'class' is missing (did you mean 'bica'?)"),
        ({"methods": {"bica-2": {"class": "BinaryICA", "K": [2]}}}, "methods.bica-2: the key 'label' is missing"),
        (
            {"datasets": {"animal": {"transpose": False}}},
            "datasets.animal: the key 'recipe' is missing, or 'file' in its place (did you mean 'animals'?)",
        ),
        (
            {"sources": {"animal_matrix": {"bytes": 3}}},
            "sources.animal_matrix: the key 'licence' is missing (did you mean 'animals_matrix'?)",
        ),
        (method("dir-dir-gs", K=[3, 1]), "methods.dir-dir-gs.K[1] = 1: Dir-Dir needs at least 2, "),
        ({"methods": {"quux": {"K": [2]}}}, "methods.quux: the key 'class' is missing"),
        ({"methods": {5: {"K": [2]}}}, "methods: the name 5 must be text, which YAML reads from a name in quotes"),
        ({"datasets": {"my votes": {"file": "a"}}}, "datasets: the name 'my votes' must be a name of letters"),
        (
            {"studies": {"shan2009": {"options": {"uci": {"sets": {"uci_statlog": {"k": [2]}}}}}}},
            "studies.shan2009.options.uci.sets.uci_statlog: unknown key 'k'; allowed: K, ",
        ),
    ],
)
def test_a_wrong_entry_is_named_with_the_one_that_may_be_meant(overlay, said):
    message = complaint(overlay).removeprefix("configuration: ")
    assert message.startswith(said)
    assert said.endswith((" ", "letters")) or message == said


@pytest.mark.parametrize(
    ("overlay", "given", "allowed"),
    [
        (settings(max_iter=-1), "max_iter = -1", "an integer of at least 1"),
        (settings(max_iter=2.5), "max_iter = 2.5", "an integer of at least 1"),
        (settings("lda", max_iter="3"), "max_iter = '3'", "an integer of at least 1"),
        (settings("dir-dir-gs", burn_in=-1), "burn_in = -1", "an integer of at least 0"),
        (settings("dir-dir-gs", n_samples=0), "n_samples = 0", "an integer of at least 1"),
        (settings(alpha=0), "alpha = 0", "a number from 1e-6 to 1e6"),
        (settings(alpha="1/K"), "alpha = '1/K'", "a number from 1e-6 to 1e6"),
        (settings(beta=None), "beta = None", "a number from 1e-6 to 1e6"),
        (settings("dir-beta-vb", eta="K"), "eta = 'K'", "the text 1/K"),
        (settings("logpca", deviance_gain_tol=-1), "deviance_gain_tol = -1", "a number of at least 0"),
        (settings("dir-dir-gs", scheme="both"), "scheme = 'both'", "joint or alternating"),
    ],
)
def test_a_wrong_setting_is_shown_with_the_rule(overlay, given, allowed):
    (name,) = overlay["methods"]
    message = complaint(overlay)
    assert f"methods.{name}.settings: {given}: " in message
    assert allowed in message.partition(given)[2]


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        (unmasked("dir-dir-gs", K=[1]), f"{OF}.unmasked.animals.dir-dir-gs.K[0] = 1: "),
        (
            sensitivity(methods={"beta-dir-vb": {"max_iter": 0}}),
            f"{OPTIONS}.sensitivity.methods.beta-dir-vb: max_iter = 0: must be an integer of at",
        ),
        (
            figure(K={"bica": 11}),
            f"{OPTIONS}.figure_7.K.bica = 11: must be one of the K of "
            f"{OF}.unmasked.parliament.bica, "
            "[2, 3, 4, 5, 6, 7, 8, 9, 10]",
        ),
        (
            unmasked(dataset="parliament", K=[2, 3]),  # which Figures 6 and 7 show with 8
            f"{OPTIONS}.figure_6.K.bica = 8: must be one of the K of {OF}.unmasked.parliament.bica, [2, 3]",
        ),
    ],
    ids=["K of an unmasked fit", "setting", "K not fitted", "K not fitted any more"],
)
def test_what_a_figure_shows_is_fitted_and_can_be(overlay, words):
    assert complaint(overlay).startswith(f"configuration: {words}")


def test_no_component_is_a_K_where_the_class_allows_it():
    toy = {"class": "toy_family:ToyLogistic", "label": "toy", "K": [0, 2]}
    grids = {"animals": {"toy": {"K": [0], "seeds": 1}}}
    overlay = {"methods": {"toy": toy}, **of_study(methods=["toy"], unmasked=grids)}
    assert {key.K for key in plan(overlay).masked_fits} == {0, 2}
    assert 0 in {key.K for key in plan(overlay).unmasked_fits}


MINE = {"address": "https://example.org/mine.csv", "licence": "none stated", "citation": "none"}


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        (source(address="ftp://example.org/a"), "sources.animals_matrix.address = 'ftp://"),
        ({"sources": {"mine": MINE}}, "sources.mine: the key 'sha256' is missing"),
        ({"sources": {"mine": {**MINE, "sha256": "0" * 64}}}, "sources.mine: the key 'bytes' is"),
    ],
)
def test_a_raw_file_that_could_not_be_known_is_refused(overlay, words):
    assert complaint(overlay).startswith(f"configuration: {words}")


@pytest.mark.parametrize("key", ["dataset", "K"])
def test_a_missing_key_of_a_figure_is_named(key):
    config = merged()
    del config["studies"][PAPER]["options"]["figure_8"][key]
    with pytest.raises(ConfigError, match=rf"options\.figure_8: the key '{key}' is missing"):
        configuration.check(config, SCHEMA)


@pytest.mark.parametrize("key", ["run", "methods", "sources", "datasets", "studies", "verify"])
def test_a_missing_section_is_named(key):
    config = merged()
    del config[key]
    with pytest.raises(ConfigError, match=f"top level: the key '{key}' is missing"):
        configuration.check(config, SCHEMA)


@pytest.mark.parametrize("key", ["class", "label", "K"])
def test_a_missing_key_of_a_method_is_named(key):
    config = merged()
    del config["methods"]["bica"][key]
    with pytest.raises(ConfigError, match=rf"methods\.bica: the key '{key}' is missing"):
        configuration.check(config, SCHEMA)


@pytest.mark.parametrize("name", ["with/slash", "-dash", "", "two words"])
def test_names_that_are_no_file_names_are_refused(name):
    message = complaint(method(name, **{"class": "LDA", "label": "mine", "K": [2]}))
    assert f"methods: the name {name!r} must be a name of letters" in message


@pytest.mark.parametrize(
    ("class_name", "words"),
    [
        ("BinaryIC", "no class 'BinaryIC'; allowed: BetaDirGibbs, "),
        ("draw_mask", "'draw_mask' is no estimator"),
        ("no_such_package:Mine", "'no_such_package:Mine' cannot be imported"),
        ("json:Mine", "'json:Mine' cannot be imported"),
        ("json:JSONDecoder", "'json:JSONDecoder' is no estimator"),
    ],
)
def test_an_unknown_class_is_named(class_name, words):
    message = complaint(method(**{"class": class_name}))
    assert "methods.bica.class: " in message
    assert words in message


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        (method(**{"class": "BinaryIC"}), "did you mean 'BinaryICA'?"),
        (dataset(recipe="animls"), "datasets.animals.recipe: no dataset recipe 'animls'; allowed"),
        (method(**{"class": ":Mine"}), "methods.bica.class: "),
        (settings(gamma=[1, 1]), "methods.bica.settings: gamma"),
        (of_study(masks=10.0), f"{OF}.masks = 10.0: must be "),
        ({"results": "results/../../elsewhere"}, "results = "),
        ({"results": "src"}, "results = 'src': holds the project's own files; allowed: 'results'"),
        ({"matrices": "docs//matrices/"}, "matrices = 'docs/matrices': holds the project's own files"),
        ({"results": "results\n"}, "results = "),
    ],
    ids=["hint", "recipe", ":class", "gamma per K", "10.0", "..", "code", "pages", "newline"],
)
def test_subtler_mistakes_are_named(overlay, words):
    assert words in complaint(overlay)


# --- Datasets that are one file --------------------------------------------------------------


def with_file(**entry):
    return {"datasets": {"mine": entry}}


@pytest.fixture
def votes(tmp_path):
    (tmp_path / "votes.csv").write_text("who,b1\nann,1\n")
    return str(tmp_path / "votes.csv")


def test_a_dataset_may_be_a_file_or_an_address(votes, monkeypatch, tmp_path):
    address = "https://example.org/votes.csv"
    for file, extra in [(votes, {}), (address, {}), (address, {"sha256": "0" * 64})]:
        entry = checked(with_file(file=file, read={"ones": ["yes"], "index": True}, **extra))["datasets"]["mine"]
        assert entry["file"] == file
        assert (entry["transpose"], entry["axes"]) == (False, ["rows", "columns"])
    monkeypatch.setenv("HOME", str(tmp_path))
    checked(with_file(file="~/votes.csv", transpose=True))
    monkeypatch.chdir(tmp_path)
    checked(with_file(file="./votes.csv"))
    assert configuration.local_path("./a/../votes.csv") == "votes.csv"


def test_one_address_has_one_checksum():
    entry = {"file": "https://example.org/votes.csv", "sha256": "0" * 64}
    twice = {"datasets": {"one": entry, "other": dict(entry), "third": {"file": entry["file"]}}}
    checked(twice)
    twice["datasets"]["other"]["sha256"] = "1" * 64
    message = complaint(twice)
    assert "datasets.other.sha256: 'one' has another for the same address" in message


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        (sensitivity(methods={"logpca": {}}), "logpca: LogisticPCA is of none of the models"),
        (sensitivity(concentrations=[1, 1e-7]), "alpha = 1e-07: must be a number from 1e-6"),
    ],
)
def test_what_the_sensitivity_cannot_use_is_said_at_the_start(overlay, words):
    message = complaint(overlay)
    assert f"{OPTIONS}.sensitivity.methods." in message
    assert words in message


FEATURES = method(
    "tables", **{"class": "nbmf.families.mixed_membership.feature_model:FeatureModel", "label": "mine", "K": [2]}
)


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        (dataset(held_out="rows"), "datasets.animals.held_out = 'rows': the key 'folds' is missing"),
        (dataset(held_out="pairs", folds=4), "datasets.animals.folds: belongs to entries or rows; "),
        (dataset(held_out="questions", folds=4), "this dataset has 'questions' held out"),
        (dataset(folds=1), "datasets.animals.folds = 1: must be at least 2"),
        (dataset(held_out="rows", folds=4), ".datasets[0] = 'animals': its rows are held out; allowed: datasets"),
        (
            {**FEATURES, **of_study(methods=["tables"])},
            f"{OF}.methods[0] = 'tables': a model of tables; allowed: methods that are scored per entry",
        ),
        ({**FEATURES, **unmasked("tables")}, f"{OF}.unmasked.animals.tables: a model of tables; allowed: methods"),
    ],
)
def test_what_is_not_scored_per_entry_is_compared_nowhere(overlay, words):
    assert words in complaint(overlay)


def test_folds_are_of_entries_too():
    assert checked(dataset(folds=10))["datasets"]["animals"]["folds"] == 10


def test_there_are_no_more_masks_than_folds():
    """Otherwise half of a run would be done before the jobs of the other masks fail."""
    words = "studies.all_methods.masks = 10: of 'animals' there are 4 folds, each a mask; allowed: 1 to 4"
    assert words in complaint(dataset(folds=4))


def test_functions_of_a_dataset_with_a_file_are_looked_up_too():
    overlay = dataset(file="pyproject.toml", held_out="no_such_module:masks")
    assert "held_out = 'no_such_module:masks': there is no such module" in complaint(overlay)


def test_datasets_with_a_recipe_have_no_keys_of_those_with_a_file():
    """Their entries decide what is rerun: a key more would rerun everything.

    But for what decides about masks and fits alone, which those that have it are rerun for.
    """
    keys = {key for entry in checked()["datasets"].values() for key in entry}
    keys -= {"held_out", "folds", "arguments"}
    assert keys == {"recipe", "files", "options", "transpose", "axes", "counts", "published", "observe", "measure"}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "datasets.mine: the key 'recipe' is missing, or 'file' in its place"),
        ({"file": "data/absent.csv"}, "datasets.mine.file = 'data/absent.csv': there is no such f"),
        ({"file": "/"}, "datasets.mine.file = '/': is a folder"),
        ({"file": "/dev/zero"}, "datasets.mine.file = '/dev/zero': there is no such file"),
        ({"file": ""}, "datasets.mine.file = '': must be a path or an https address"),
        ({"file": ["a"]}, "datasets.mine.file = ['a']: must be text"),
        ({"file": "{dataset}.csv"}, "datasets.mine.file = '{dataset}.csv': must be a path"),
        ({"file": "a\n.csv"}, "datasets.mine.file = 'a\\n.csv': must be a path without braces"),
        ({"file": "x" * 5000}, "xxxxx ...: there is no such file"),
        ({"file": "http://a.org/x"}, "datasets.mine.file = 'http://a.org/x': must be a path"),
        ({"file": "https://a.org/../x"}, "datasets.mine.file = 'https://a.org/../x': must be h"),
        ({"file": "https://a.org/x", "sha256": "0"}, "datasets.mine.sha256 = '0': must be 64 h"),
        ({"sha256": "0" * 64}, "datasets.mine.sha256: belongs to an https address"),
        ({"recipe": "digits"}, "datasets.mine.recipe: belongs to a recipe; this dataset has a 'f"),
        ({"options": {"a": 1}}, "datasets.mine.options: belongs to a recipe"),
        ({"read": {"onse": ["a"]}}, "datasets.mine.read: unknown key 'onse'; allowed: layout, "),
        ({"read": {"header": "yes"}}, "datasets.mine.read: header = 'yes': must be True, False"),
        ({"read": {"transpose": True}}, "datasets.mine.read: unknown key 'transpose'"),
        ({"read": ["ones"]}, "datasets.mine.read = ['ones']: must be a mapping"),
        ({"read": {"groups": 3}}, "datasets.mine.read: groups = 3: must be the name of a"),
        ({"read": {"ones": ["a"], "zeros": ["a"]}}, "datasets.mine.read: 'a' is given for two of"),
        ({"read": {"groups": "p"}, "transpose": True}, "datasets.mine.read: groups = 'p': transp"),
        ({"recipe": "digits", "file": None}, "datasets.mine.file = None: must be text"),
    ],
)
def test_a_wrong_file_is_one_line_that_names_the_key(entry, words, votes):
    if entry and "file" not in entry:
        entry = {"file": votes, **entry}
    assert words in complaint(with_file(**entry))


@pytest.mark.parametrize("key", ["read", "sha256"])
def test_what_belongs_to_a_file_is_refused_besides_a_recipe(key):
    value = {"read": {}, "sha256": "0" * 64}[key]
    message = complaint(with_file(recipe="digits", **{key: value}))
    assert message.endswith(f"datasets.mine.{key}: belongs to 'file', which this dataset has not")


def test_the_workflows_own_folders_hold_no_datasets(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for path in ("data/matrices/x.npz", "data/logs/x.csv", "data/benchmarks/x.csv", "results/sub/x.csv"):
        Path(path).parent.mkdir(parents=True)
        Path(path).write_text("a\n1\n")
        assert "the workflow itself writes there" in complaint(with_file(file=f"./{path}"))
    Path("data/raw").mkdir()
    Path("data/raw/x.csv").write_text("a\n1\n")
    checked(with_file(file="data/raw/x.csv"))
    elsewhere = {**with_file(file="data/raw/x.csv"), "matrices": "data/raw"}
    assert "the workflow itself writes there" in complaint(elsewhere)


# Noticed by the job that builds the dataset: knowing a recipe's arguments earlier would import
# every recipe and its libraries at each start of Snakemake.
@pytest.mark.parametrize(
    "overlay",
    [
        dataset(files={"matrx": "animals_matrix"}),
        dataset(recipe="lastfm"),
        {"datasets": {"beta_dir_1": {"options": {"modle": "dir-dir"}}}},
    ],
    ids=["role", "recipe", "option"],
)
@pytest.mark.xfail(strict=True, reason="left to the job that builds the dataset")
def test_arguments_of_a_recipe_are_checked_at_the_start(overlay):
    complaint(overlay)


def test_starts_are_for_methods_with_an_objective():
    assert checked(method("bica", starts=5))["methods"]["bica"]["starts"] == 5
    words = "methods.beta-dir-gs.starts = 5: BetaDirGibbs is a sampler, whose chains are no starts"
    assert words in complaint(method("beta-dir-gs", starts=5))
    words = "methods.beta-dir-vb.starts = 2: BetaDirVB has no objective"
    assert words in complaint(method("beta-dir-vb", starts=2))
