"""The configuration of the workflow: closed schemas, defaults, and errors of one clear line."""

import math
import os
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, validators

from nbmf import registry
from nbmf.data.masks import PAIRS, QUESTIONS, ROWS
from nbmf.errors import ConfigError, Setting
from nbmf.inference.declarations import Inference
from nbmf.inference.parameters import AUTO
from nbmf.io import arguments as read_arguments
from nbmf_studies import all_studies, recipes
from nbmf_studies.framework.options import unknown
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline import raw_files
from nbmf_studies.pipeline.schema_errors import hint_of_entry, one_line, shown

MAX_VALUES = 100_000  # of a configuration, lists and mappings included

# Where the workflow writes, besides the folders of results and of matrices.
RECORDS_OF_DATA = ("data/logs", "data/benchmarks")

FOLDERS = ("results", "matrices")
OWN = ("benchmarks", "config", "docs", "envs", "profiles", "reference", "src", "tests", "workflow")  # the project's
KINDS = ("datasets", "methods", "studies")  # whose entries have defaults

# JSON calls 10.0 an integer; Python's range does not.
_Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def check(config: dict[str, Any], schema_file: str | Path) -> dict[str, Any]:
    """Return `config` with defaults filled in.

    Raises
    ------
    ConfigError
        For the first thing that is wrong: it names the key, what was given and what is allowed.
    """
    _refuse_what_no_schema_sees(config)
    schema = _schema(Path(schema_file))
    errors = sorted(_Validator(schema).iter_errors(config), key=lambda e: list(map(str, e.path)))
    if errors:
        raise ConfigError(f"configuration: {one_line(errors[0], config)}")
    config = {**config, **{key: os.path.normpath(config[key]) for key in FOLDERS}}  # Snakemake warns of "//"
    config = {**config, **{kind: _with_defaults(schema, kind, config[kind]) for kind in KINDS}}
    _refuse(_unmasked_names_problems(config))
    studies = {
        key: {**study, "unmasked": _without_dropped(study["unmasked"])} for key, study in config["studies"].items()
    }
    config = {**config, "studies": studies}
    _refuse(_problems(config))
    brought = {kind: _with_defaults(schema, kind, entries) for kind, entries in _case_entries(config).items()}
    merged = {**config, **{kind: {**config[kind], **entries} for kind, entries in brought.items()}}
    _refuse(_problems_of_entries(brought, merged))
    return merged


def _refuse(problems: Iterator[str]) -> None:
    """Raise ConfigError for the first of some problems, if there are any."""
    for problem in problems:
        raise ConfigError(f"configuration: {problem}")


def _with_defaults(schema: dict[str, Any], kind: str, entries: dict[str, dict]) -> dict[str, dict]:
    """Return entries of a kind (datasets, methods or studies) with defaults filled in."""
    of_kind = schema["$defs"]["study"] if kind == "studies" else schema["properties"][kind]["additionalProperties"]
    rules = of_kind["properties"]
    defaults = {key: rule["default"] for key, rule in rules.items() if "default" in rule}
    return {name: {**defaults, **entry} for name, entry in entries.items()}


def _case_entries(config: dict[str, Any]) -> dict[str, dict]:
    """Return the datasets and methods that cases of experiments bring along, by their kind."""
    brought: dict[str, dict] = {"datasets": {}, "methods": {}}
    for key in config["studies"]:
        for case in all_studies()[key].cases_of(Plan(key, config)):
            for kind, name, entry in (
                ("datasets", case.key.dataset, case.dataset),
                ("methods", case.key.method, case.method),
            ):
                if entry is not None and (name in config[kind] or brought[kind].setdefault(name, entry) != entry):
                    raise ConfigError(f"configuration: {kind}.{name}: {key} brings along another of this name")
    return brought


def _refuse_what_no_schema_sees(config: Any) -> None:
    """Raise ConfigError if YAML's aliases make the configuration huge, or a number is not finite.

    NaN is neither too small nor too large for a schema.
    """
    waiting, count = [("", config)], 0
    while waiting:
        where, value = waiting.pop()
        count += 1
        if count > MAX_VALUES:
            raise ConfigError(f"configuration: has more than {MAX_VALUES} values")
        if isinstance(value, float) and not math.isfinite(value):
            key_path = where.removeprefix(".")
            raise ConfigError(f"configuration: {key_path} = {value}: must be a finite number")
        if isinstance(value, dict):
            waiting.extend((f"{where}.{key}", entry) for key, entry in value.items())
        elif isinstance(value, list):
            waiting.extend((f"{where}[{i}]", entry) for i, entry in enumerate(value))


def plans(config: dict[str, Any]) -> dict[str, Plan]:
    """Return the plan of every study that a checked configuration has, by its key."""
    advice = {
        name: raw_files.missing_sources(
            raw_files.source_names(entry), config["sources"], config["mirrors"], asked_for=config["downloads"]
        )
        for name, entry in config["datasets"].items()
    }
    missing_sources = {name: lines for name, lines in advice.items() if lines}
    return {key: Plan(key, config, missing_sources) for key in config["studies"]}


@cache
def _schema(file: Path) -> dict[str, Any]:
    """Return the schema of a file with each study's own options, as its folder declares them."""
    schema = yaml.safe_load(file.read_text(encoding="utf-8"))
    general = schema["$defs"]["study"]
    overrides_here = {}
    for key, study in all_studies().items():
        options = {p.name: p.options for p in study.products() if p.options is not None}
        rule = {
            **general["properties"]["options"],
            "additionalProperties": False,
            "required": list(options),
            "properties": options,
        }
        required = [*general["required"], *(["options"] if options else [])]
        overrides_here[key] = {
            **general,
            "required": required,
            "properties": {**general["properties"], "options": rule},
        }
    section = {**schema["properties"]["studies"], "properties": overrides_here}
    return {**schema, "properties": {**schema["properties"], "studies": section}}


def _without_dropped(unmasked: dict[str, Any] | None) -> dict[str, Any]:
    """Return the grids of unmasked fits without what an overlay has dropped by null."""
    return {
        dataset: {method: grid for method, grid in grids.items() if grid is not None}
        for dataset, grids in (unmasked or {}).items()
        if grids is not None
    }


def _unmasked_names_problems(config: dict[str, Any]) -> Iterator[str]:
    """Yield the unknown names among unmasked fits, also among those that are dropped: a misspelt one drops nothing."""
    for key, study in config["studies"].items():
        for dataset, grids in (study["unmasked"] or {}).items():
            where = f"studies.{key}.unmasked.{dataset}"
            yield from unknown(where, dataset, config["datasets"])
            for name in grids or {}:
                yield from unknown(f"{where}.{name}", name, config["methods"])


def _problems(config: dict[str, Any]) -> Iterator[str]:
    """Yield what the schema cannot see: references between entries, and settings of methods."""
    for key in FOLDERS:
        if config[key].split("/")[0] in OWN:
            yield f"{key} = {config[key]!r}: holds the project's own files; allowed: 'results', or a new folder"
    for i, key in enumerate(config["run"]["studies"]):
        yield from unknown(f"run.studies[{i}]", key, config["studies"])
    yield from raw_files.problems(config["sources"])
    yield from raw_files.problems_of_downloads(config["downloads"], config["sources"])
    yield from _problems_of_entries(config, config)
    yield from _checksum_problems(config["datasets"])
    for key in config["studies"]:
        yield from _study_problems(key, config)


def _problems_of_entries(entries: dict[str, dict], config: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with datasets and methods, of `config` or to be merged into it."""
    for name, dataset in entries["datasets"].items():
        yield from _dataset_problems(f"datasets.{name}", dataset, config)
    for name, method in entries["methods"].items():
        yield from _method_problems(f"methods.{name}", method, config["methods"])


def _checksum_problems(entries: dict[str, dict]) -> Iterator[str]:
    """Yield which datasets expect different files at the same address."""
    first: dict[str, str] = {}
    for name, entry in entries.items():
        if "sha256" in entry:
            other = first.setdefault(entry["file"], name)
            if entries[other]["sha256"] != entry["sha256"]:
                yield f"datasets.{name}.sha256: {other!r} has another for the same address"


def _study_problems(key: str, config: dict[str, Any]) -> Iterator[str]:
    where, study = f"studies.{key}", config["studies"][key]
    for key_of_names in ("datasets", "holdout", "methods", "further_methods"):
        kind = "methods" if "methods" in key_of_names else "datasets"
        for i, name in enumerate(study.get(key_of_names, [])):
            yield from unknown(f"{where}.{key_of_names}[{i}]", name, config[kind])
            yield from _unscored_problems(f"{where}.{key_of_names}[{i}] = {name!r}", config[kind][name])
    yield from _mask_problems(where, study, config["datasets"])
    for dataset, overrides in study["overrides"].items():
        yield from unknown(f"{where}.overrides.{dataset}", dataset, config["datasets"])
        for i, name in enumerate(overrides.get("without", [])):
            known = [*config["methods"], *map(str, Inference)]
            yield from unknown(f"{where}.overrides.{dataset}.without[{i}]", name, known)
    for dataset, grids in study["unmasked"].items():
        for name, grid in grids.items():
            key_path = f"{where}.unmasked.{dataset}.{name}"
            method = config["methods"][name]
            yield from _unscored_problems(key_path, method)
            if registry.is_sampler(method["class"]) and len(grid["K"]) > 1:
                yield f"{key_path}.K = {grid['K']}: must be one K, since this is a sampler"
            yield from _settings_problems(key_path, method["class"], grid["K"], method["settings"])
    plan = Plan(key, config)
    for product in all_studies()[key].products():
        for problem in product.check(plan) if product.check else ():
            yield f"{where}.options.{product.name}{problem}"


def _mask_problems(where: str, study: dict[str, Any], datasets: dict[str, Any]) -> Iterator[str]:
    """Yield which datasets are dealt into fewer folds than the study asks for masks."""
    for name in (*study.get("datasets", []), *study.get("holdout", [])):
        own = study["overrides"].get(name, {})
        place = f"{where}.overrides.{name}.masks" if "masks" in own else f"{where}.masks"
        masks, folds = own.get("masks", study["masks"]), datasets.get(name, {}).get("folds", math.inf)
        if masks > folds:
            yield f"{place} = {masks}: of {name!r} there are {folds} folds, each a mask; allowed: 1 to {folds}"


def _unscored_problems(where: str, entry: dict) -> Iterator[str]:
    """Yield why a method, or a dataset, is none of those that are compared by scores of entries."""
    if entry.get("held_out") == ROWS:
        yield f"{where}: its rows are held out; allowed: datasets of which entries are"
    if "class" in entry and not registry.is_factorization(entry["class"]):
        yield f"{where}: a model of tables; allowed: methods that are scored per entry"


def _dataset_problems(where: str, dataset: dict, config: dict) -> Iterator[str]:
    sources = config["sources"]
    if "folds" not in dataset and dataset.get("held_out") == ROWS:
        yield f"{where}.held_out = {ROWS!r}: the key 'folds' is missing, into which they are dealt"
    if "folds" in dataset and dataset.get("held_out") in (PAIRS, QUESTIONS):
        yield f"{where}.folds: belongs to entries or rows; this dataset has {dataset['held_out']!r} held out"
    if "published" in dataset:
        yield from unknown(f"{where}.published", dataset["published"], sources)
    yield from _unknown_functions(where, dataset, ("observe", "measure", "held_out"))
    if "file" in dataset:
        written = (config["matrices"], *RECORDS_OF_DATA, config["results"])
        yield from _file_problems(where, dataset, written)
        return
    if "recipe" not in dataset:
        hint = hint_of_entry(where.split(".", 1), config)
        yield f"{where}: the key 'recipe' is missing, or 'file' in its place{hint}"
        return
    for key in ("read", "sha256"):
        if key in dataset:
            yield f"{where}.{key}: belongs to 'file', which this dataset has not"
    try:
        recipes.module_of(dataset["recipe"])
    except ConfigError as error:
        yield f"{where}.recipe: {error}"
    for role, source in dataset["files"].items():
        yield from unknown(f"{where}.files.{role}", source, sources)


def _unknown_functions(where: str, entry: dict, keys: Collection[str]) -> Iterator[str]:
    """Yield which keys name a function "module:function" of a module that does not exist."""
    for key in keys:
        module, colon, _ = entry.get(key, "").partition(":")
        if colon and not recipes.exists(module):
            yield f"{where}.{key} = {entry[key]!r}: there is no such module"


def _file_problems(where: str, dataset: dict, written: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with a dataset that is one file, at a path or an address.

    `written` are the folders in which the workflow writes.
    """
    file, place = dataset["file"], f"{where}.file = {shown(dataset['file'])}"
    for key in ("recipe", "files", "options"):
        if dataset.get(key):
            yield f"{where}.{key}: belongs to a recipe; this dataset has a 'file'"
    if is_address(file):
        try:
            raw_files.source_location({"address": file})
        except ConfigError as error:
            yield f"{where}.file = {error}"
    elif not file.isprintable() or re.search(r"[{}]|^\w+://", file):
        yield f"{place}: must be a path without braces, or an https address"
    elif not os.path.isfile(local_path(file)):
        kind = "is a folder" if os.path.isdir(local_path(file)) else "there is no such file"
        yield f"{place}: {kind}; a relative path starts at the checkout"
    elif any(_is_below(local_path(file), folder) for folder in written):
        yield f"{place}: the workflow itself writes there; keep the file elsewhere"
    if "sha256" in dataset and not is_address(file):
        yield f"{where}.sha256: belongs to an https address"
    try:
        read_arguments.check(dataset.get("read", {}), dataset["transpose"])
    except ConfigError as error:
        yield f"{where}.read: {error}"


def is_address(file: str) -> bool:
    """Whether the `file` of a dataset is an address; otherwise it is a path."""
    return file.startswith("https://")


def local_path(file: str) -> str:
    """Return the `file` of a dataset as a path: "~" is the home folder."""
    return os.path.normpath(os.path.expanduser(file))


def _is_below(path: str, folder: str) -> bool:
    return Path(path).resolve().is_relative_to(Path(folder).resolve())


def _method_problems(where: str, method: dict, methods: dict) -> Iterator[str]:
    try:
        registry.settings_of(method["class"])
    except ConfigError as error:
        yield f"{where}.class: {error}"
        return
    yield from _settings_problems(f"{where}.settings", method["class"], method["K"], method["settings"])
    yield from _unknown_functions(where, method, ("told_by",))
    try:
        registry.check_starts(f"{where}.starts", method["class"], method.get("starts", 1))
    except ConfigError as error:
        yield str(error)
    if "starts_as" in method:
        yield from unknown(f"{where}.starts_as", method["starts_as"], methods)


def _settings_problems(where: str, class_name: str, grid: list[int], settings: dict[str, Any]) -> Iterator[str]:
    """Yield what the constructor of a class would not take."""
    try:
        registry.check_settings(where, class_name, grid, settings)
    except ConfigError as error:
        yield _in_terms_of_K(error, where.removesuffix(".settings"), grid)


def _in_terms_of_K(error: ConfigError, entry: str, grid: list[int]) -> str:
    """Return the message of settings that are refused; `n_components` is an entry of K here, and always a number."""
    refused = error.__cause__.message.parts if isinstance(error.__cause__, ConfigError) else [""]
    if not isinstance(refused[0], Setting) or refused[0].name != "n_components":
        return str(error)
    K, rule = refused[0].value, "".join(map(str, refused[1:])).removesuffix(f", or {AUTO!r}")
    return f"{entry}.K[{grid.index(K)}] = {K}{rule}"
