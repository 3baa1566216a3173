"""The configuration: the shipped one is the paper's, and every mistake in one is a clear line."""

import copy
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

import nbmf
from nbmf import configuration, registry
from nbmf.errors import ConfigError

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


def merged(*overlays):
    """Return the shipped configuration with overlays, merged as Snakemake merges them."""
    config = {}
    for name in ("config", "sources"):
        update_config(config, read(name))
    for overlay in overlays:
        update_config(config, copy.deepcopy(overlay))
    return config


def read(name):
    return yaml.safe_load((ROOT / f"config/{name}.yaml").read_text(encoding="utf-8"))


def checked(*overlays):
    return configuration.check(merged(*overlays), SCHEMA)


def number_of_fits(config):
    run = config["run"]
    grid = sum(len(config["methods"][method]["K"]) for method in run["methods"])
    return len(run["datasets"]) * run["masks"] * len(run["seeds"]) * grid


# --- The shipped configuration ---------------------------------------------------------------

# Section 6.2 of the paper. Dir-Beta is Beta-Dir of the transposed matrix, so its settings are the
# same with eta in place of gamma.
NONPARAMETRIC = {"alpha": 1, "beta": 1, "gamma": "1/K"}
TRANSPOSED = {"alpha": 1, "beta": 1, "eta": "1/K"}
PARAMETRIC = {"alpha": 1, "beta": 1, "gamma": 1, "max_iter": 500}
CHAIN = {"burn_in": 4000, "n_samples": 1000}
PAPER = {
    "beta-dir-gs": ("BetaDirGibbs", [100], NONPARAMETRIC | CHAIN),
    "beta-dir-vb": ("BetaDirVB", [100], NONPARAMETRIC | {"max_iter": 500}),
    "dir-dir-gs": ("DirDirGibbs", [100], {"gamma": "1/K", "eta": 1} | CHAIN),
    "c-bica": ("CollapsedBinaryICA", [2, 3, 4, 5, 6, 7, 8], PARAMETRIC),
    "bica": ("BinaryICA", [2, 3, 4, 5, 6, 7, 8], PARAMETRIC),
    "logpca": ("LogisticPCA", [2, 3, 4], {"max_iter": 2000, "tol": 1e-5}),
    "dir-beta-gs": ("DirBetaGibbs", [100], TRANSPOSED | CHAIN),
    "dir-beta-vb": ("DirBetaVB", [100], TRANSPOSED | {"max_iter": 500}),
    "lda": ("LDA", [2, 3, 4], {"max_iter": 10}),
}


@pytest.mark.parametrize("method", PAPER)
def test_methods_have_the_papers_settings(method):
    class_name, grid, settings = PAPER[method]
    entry = checked()["methods"][method]
    assert (entry["class"], entry["K"]) == (class_name, grid)
    for K in grid:
        used = registry.make_estimator(entry["class"], K, entry["settings"]).get_params()
        assert {name: used[name] for name in settings} == settings
        assert used["n_components"] == K


def test_the_run_is_the_papers_protocol():
    config = checked()
    run = config["run"]
    assert sorted(run["datasets"]) == ["animals", "lastfm", "paleo", "parliament", "unvotes"]
    assert (run["masks"], run["test_probability"]) == (10, 0.25)
    assert set(run["methods"]) == set(PAPER) == set(config["methods"])
    assert config["methods"]["c-bica"]["starts_as"] == "bica"
    assert [m for m, entry in config["methods"].items() if not entry["in_figure_10"]] == ["lda"]


def test_every_estimator_is_a_method_of_the_configuration():
    estimators = {n for n, module in nbmf.EXPORTS.items() if module.startswith("nbmf.methods")}
    assert {entry["class"] for entry in checked()["methods"].values()} == estimators


@pytest.mark.parametrize("overlay", ["quick", "demo"])
def test_overlays_are_valid_and_shorter(overlay):
    config = checked(read(overlay))
    assert 0 < number_of_fits(config) < number_of_fits(checked())
    assert config["results"] not in (checked()["results"], "")
    for method, entry in config["methods"].items():
        full = checked()["methods"][method]
        assert set(entry["K"]) <= set(full["K"])
        for name in {"burn_in", "n_samples", "max_iter"} & full["settings"].keys():
            assert entry["settings"][name] <= full["settings"][name]


def test_the_demo_has_no_raw_files():
    config = checked(read("demo"))
    assert not any(config["datasets"][name]["files"] for name in config["run"]["datasets"])


@pytest.mark.parametrize("overlays", [(), ("quick",), ("demo",)], ids=["paper", "quick", "demo"])
def test_fit_keys_are_every_combination_once(overlays):
    config = checked(*map(read, overlays))
    keys = configuration.fit_keys(config)
    assert len(set(keys)) == len(keys) == number_of_fits(config)
    for key in keys:
        assert key.K in config["methods"][key.method]["K"]
        assert 0 <= key.mask < config["run"]["masks"]
    for field in ("datasets", "methods", "seeds"):
        named = {getattr(key, field.removesuffix("s")) for key in keys}
        assert named == set(config["run"][field])


def test_more_seeds_are_more_fits():
    once, thrice = checked(), checked({"run": {"seeds": [0, 7, 3]}})
    keys = configuration.fit_keys(thrice)
    assert len(set(keys)) == 3 * len(configuration.fit_keys(once))
    assert {key.seed for key in keys} == {0, 7, 3}


def test_defaults_are_filled_and_the_given_configuration_is_left_alone():
    new = {
        "datasets": {"mine": {"recipe": "digits"}},
        "methods": {"mine": {"class": "LDA", "label": "mine", "K": [2]}},
    }
    given = merged(new)
    before = copy.deepcopy(given)
    config = configuration.check(given, SCHEMA)
    assert config["datasets"]["mine"] == {"recipe": "digits", "files": {}, "options": {}}
    assert config["methods"]["mine"]["settings"] == {}
    assert config["methods"]["mine"]["in_figure_10"] is True
    assert config["methods"]["lda"]["in_figure_10"] is False
    assert given == before


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


def source(**changes):
    return {"sources": {"animals_matrix": changes}}


@pytest.mark.parametrize(
    ("overlay", "place", "given", "meant"),
    [
        ({"result": "x"}, "", "result", "results"),
        ({"run": {"mask": 3}}, "run", "mask", "masks"),
        (dataset(recip="animals"), "datasets.animals", "recip", "recipe"),
        (dataset(counts={"colums": 3}), "datasets.animals.counts", "colums", "columns"),
        (method(setings={}), "methods.bica", "setings", "settings"),
        (settings(max_itr=3), "methods.bica.settings", "max_itr", "max_iter"),
        (settings("logpca", tolerance=3), "methods.logpca.settings", "tolerance", None),
        (source(sha25="0"), "sources.animals_matrix", "sha25", "sha256"),
        (settings(n_components=3), "methods.bica.settings", "n_components", None),
        (settings(random_state=3), "methods.bica.settings", "random_state", None),
        (settings("beta-dir-gs", threads=3), "methods.beta-dir-gs.settings", "threads", None),
    ],
)  # fmt: skip
def test_a_misspelt_key_is_named(overlay, place, given, meant):
    message = complaint(overlay)
    assert f"{place}: unknown key {given!r}; allowed are " in (f": {message}" if place else message)
    assert ("did you mean" in message) == (meant is not None)
    assert meant is None or message.endswith(f"(did you mean {meant!r}?)")


@pytest.mark.parametrize(
    ("overlay", "place", "given", "meant"),
    [
        ({"run": {"methods": ["lda", "bicca"]}}, "run.methods[1]", "bicca", "bica"),
        ({"run": {"methods": ["quux"]}}, "run.methods[0]", "quux", None),
        ({"run": {"datasets": ["animal"]}}, "run.datasets[0]", "animal", "animals"),
        (dataset(recipe="animls"), "datasets.animals.recipe", "animls", "animals"),
        (dataset(published="quux"), "datasets.animals.published", "quux", None),
        (
            dataset(files={"matrix": "animals_matrx"}),
            *("datasets.animals.files.matrix", "animals_matrx", "animals_matrix"),
        ),
        (method("c-bica", starts_as="bicca"), "methods.c-bica.starts_as", "bicca", "bica"),
    ],
)
def test_an_unknown_name_is_named_with_the_known_ones(overlay, place, given, meant):
    message = complaint(overlay)
    assert f": {place} = {given!r}: allowed are " in message
    assert ("did you mean" in message) == (meant is not None)
    assert meant is None or message.endswith(f"(did you mean {meant!r}?)")


@pytest.mark.parametrize(
    ("overlay", "place", "given", "allowed"),
    [
        ({"run": {"masks": 0}}, "run.masks", "0", "at least 1"),
        ({"run": {"masks": 1001}}, "run.masks", "1001", "at most 1000"),
        ({"run": {"masks": "ten"}}, "run.masks", "'ten'", "integer"),
        ({"run": {"masks": True}}, "run.masks", "True", "integer"),
        ({"run": {"test_probability": 0}}, "run.test_probability", "0", "more than 0"),
        ({"run": {"test_probability": 1}}, "run.test_probability", "1", "less than 1"),
        ({"run": {"seeds": [-1]}}, "run.seeds[0]", "-1", "at least 0"),
        ({"run": {"seeds": [3, 3]}}, "run.seeds", "[3, 3]", "without repetitions"),
        ({"run": {"seeds": []}}, "run.seeds", "[]", "at least 1"),
        ({"run": {"datasets": "animals"}}, "run.datasets", "'animals'", "array"),
        ({"run": None}, "run", "None", "object"),
        ({"results": "../elsewhere"}, "results", "'../elsewhere'", "matches"),
        ({"results": ""}, "results", "''", "matches"),
        ({"mirrors": "data"}, "mirrors", "'data'", "array"),
        (method(K=[2, 0]), "methods.bica.K[1]", "0", "at least 1"),
        (method(K=[]), "methods.bica.K", "[]", "at least 1"),
        (method(K=5), "methods.bica.K", "5", "array"),
        (method(K=["5"]), "methods.bica.K[0]", "'5'", "integer"),
        (method(K=[2.5]), "methods.bica.K[0]", "2.5", "integer"),
        (method(K=[2, 3, 2]), "methods.bica.K", "[2, 3, 2]", "without repetitions"),
        (method(label=3), "methods.bica.label", "3", "string"),
        (method(in_figure_10="no"), "methods.bica.in_figure_10", "'no'", "boolean"),
        (method(settings=[1]), "methods.bica.settings", "[1]", "object"),
        (dataset(counts={"rows": 0}), "datasets.animals.counts.rows", "0", "at least 1"),
        (source(bytes=-5), "sources.animals_matrix.bytes", "-5", "at least 1"),
        (source(sha256="00"), "sources.animals_matrix.sha256", "'00'", "matches"),
        (source(path="a/b/c"), "sources.animals_matrix.path", "'a/b/c'", "matches"),
    ],
)
def test_a_wrong_value_is_shown_with_the_rule(overlay, place, given, allowed):
    message = complaint(overlay)
    assert f": {place} = {given}: allowed is " in message
    assert allowed in message.partition("allowed is ")[2]


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
        (settings("logpca", tol=-1), "tol = -1", "a number of at least 0"),
        (settings("dir-dir-gs", scheme="both"), "scheme = 'both'", "joint or alternating"),
        (method("dir-dir-gs", K=[1]), "n_components = 1", "at least 2"),
    ],
)
def test_a_wrong_setting_is_shown_with_the_rule(overlay, given, allowed):
    (name,) = overlay["methods"]
    message = complaint(overlay)
    assert f"methods.{name}.settings: {given}: " in message
    assert allowed in message.partition(given)[2]


@pytest.mark.parametrize("key", ["run", "methods", "sources"])
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
    assert f"methods = {name!r}: " in message


@pytest.mark.parametrize(
    ("class_name", "words"),
    [
        ("BinaryIC", "no class 'BinaryIC'; allowed are BetaDirGibbs, "),
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
        (method(**{"class": ":Mine"}), "methods.bica.class: "),
        (settings(gamma=[1, 1]), "methods.bica.settings: gamma"),
        ({"run": {"masks": 10.0}}, "run.masks = 10.0: allowed is "),
        ({"results": "results/../../elsewhere"}, "results = "),
        ({"results": "results\n"}, "results = "),
    ],
    ids=["hint", ":class", "gamma per K", "10.0", "..", "newline"],
)
def test_subtler_mistakes_are_named(overlay, words):
    assert words in complaint(overlay)


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
