"""The configuration of the workflow: closed schemas, defaults, and errors of one clear line."""

import math
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from nbmf import registry
from nbmf.data import recipes
from nbmf.data.readers import arguments as read_arguments
from nbmf.errors import ConfigError, choices
from nbmf.workflow import raw_files

MAX_VALUES = 100_000  # of a configuration, lists and mappings included
MAX_SHOWN = 200  # characters of a wrong value in a message

WRITTEN = ("data/matrices", "data/logs")  # and the folder of results

# The figures made from the factors of complete fits.
FACTOR_FIGURES = ("figure_6", "figure_7", "figure_8", "figure_9")

# JSON calls 10.0 an integer; Python's range does not.
_Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


class FitKey(NamedTuple):
    """What identifies one fit of the workflow."""

    dataset: str
    method: str
    K: int
    mask: int
    seed: int


class CompleteKey(NamedTuple):
    """What identifies one complete fit: nothing is held out."""

    dataset: str
    method: str
    K: int
    seed: int


def check(config: dict[str, Any], schema_file: str | Path) -> dict[str, Any]:
    """Return `config` with defaults filled in.

    Raises
    ------
    ConfigError
        For the first thing that is wrong: it names the key, what was given and what is allowed.
    """
    _refuse_what_no_schema_sees(config)
    schema = yaml.safe_load(Path(schema_file).read_text(encoding="utf-8"))
    errors = sorted(_Validator(schema).iter_errors(config), key=lambda e: list(map(str, e.path)))
    if errors:
        raise ConfigError(f"configuration: {_one_line(errors[0])}")
    for kind in ("datasets", "methods"):
        properties = schema["properties"][kind]["additionalProperties"]["properties"]
        defaults = {k: rule["default"] for k, rule in properties.items() if "default" in rule}
        config = {**config, kind: {k: {**defaults, **entry} for k, entry in config[kind].items()}}
    for problem in _problems(config):
        raise ConfigError(f"configuration: {problem}")
    return config


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
            place = where.removeprefix(".")
            raise ConfigError(f"configuration: {place} = {value}: allowed is a finite number")
        if isinstance(value, dict):
            waiting.extend((f"{where}.{key}", entry) for key, entry in value.items())
        elif isinstance(value, list):
            waiting.extend((f"{where}[{i}]", entry) for i, entry in enumerate(value))


def fit_keys(config: dict[str, Any]) -> list[FitKey]:
    """Return every fit that the `run` section asks for."""
    run = config["run"]
    return [
        FitKey(dataset, method, K, mask, seed)
        for dataset in run["datasets"]
        for method in run["methods"]
        for K in config["methods"][method]["K"]
        for mask in range(run["masks"])
        for seed in run["seeds"]
    ]


def complete_keys(config: dict[str, Any]) -> list[CompleteKey]:
    """Return every complete fit of the datasets in `run.complete_fits`."""
    return [
        CompleteKey(dataset, method, K, seed)
        for dataset in config["run"]["complete_fits"]
        for method, grid in config["complete_fits"][dataset].items()
        for K in grid["K"]
        for seed in range(grid["seeds"])
    ]


def shown_K(config: dict[str, Any], figure: str) -> dict[str, int]:
    """Return the methods that Figure 6, 7, 8 or 9 shows, and the K of each."""
    chosen = config["figures"][figure]
    grids = config["complete_fits"][chosen["dataset"]]
    return {method: chosen["K"].get(method, grid["K"][0]) for method, grid in grids.items()}


def _problems(config: dict[str, Any]) -> Iterator[str]:
    """Yield what the schema cannot see: references between entries, and settings of methods."""
    for kind in ("datasets", "methods"):
        for i, name in enumerate(config["run"][kind]):
            yield from _unknown(f"run.{kind}[{i}]", name, config[kind])
    for name, dataset in config["datasets"].items():
        yield from _dataset_problems(f"datasets.{name}", dataset, config)
    yield from _checksum_problems(config["datasets"])
    yield from raw_files.problems(config["sources"])
    for name, method in config["methods"].items():
        yield from _method_problems(f"methods.{name}", method, config["methods"])
    yield from _complete_fit_problems(config)
    yield from _figure_problems(config)


def _checksum_problems(entries: dict[str, dict]) -> Iterator[str]:
    """Yield which datasets expect different files at the same address."""
    first: dict[str, str] = {}
    for name, entry in entries.items():
        if "sha256" in entry:
            other = first.setdefault(entry["file"], name)
            if entries[other]["sha256"] != entry["sha256"]:
                yield f"datasets.{name}.sha256: {other!r} has another for the same address"


def _complete_fit_problems(config: dict[str, Any]) -> Iterator[str]:
    for i, name in enumerate(config["run"]["complete_fits"]):
        yield from _unknown(f"run.complete_fits[{i}]", name, config["complete_fits"])
    for dataset, grids in config["complete_fits"].items():
        yield from _unknown(f"complete_fits.{dataset}", dataset, config["datasets"])
        for name, grid in grids.items():
            where = f"complete_fits.{dataset}.{name}"
            yield from _unknown(where, name, config["methods"])
            method = config["methods"][name]
            if "burn_in" in registry.settings_of(method["class"]) and len(grid["K"]) > 1:
                yield f"{where}.K = {grid['K']}: allowed is one K, since this is a sampler"
            yield from _settings_problems(where, method["class"], grid["K"], method["settings"])


def _figure_problems(config: dict[str, Any]) -> Iterator[str]:
    figures, datasets_, methods = config["figures"], config["datasets"], config["methods"]
    for i, panel in enumerate(figures["figure_2"]):
        yield from _unknown(f"figures.figure_2[{i}].dataset", panel["dataset"], datasets_)
    where = "figures.figure_5.abstentions"
    yield from _unknown(where, figures["figure_5"]["abstentions"], datasets_)
    for figure in FACTOR_FIGURES:
        chosen = figures[figure]
        yield from _unknown(f"figures.{figure}.dataset", chosen["dataset"], config["complete_fits"])
        grids = config["complete_fits"].get(chosen["dataset"], {})
        for method, K in chosen["K"].items():
            yield from _unknown(f"figures.{figure}.K.{method}", method, methods)
            if method in grids and K not in grids[method]["K"]:
                yield (
                    f"figures.{figure}.K.{method} = {K}: allowed are the K of "
                    f"complete_fits.{chosen['dataset']}.{method}, {grids[method]['K']}"
                )
    for method in figures["figure_11"]:
        yield from _unknown(f"figures.figure_11.{method}", method, methods)
    for method, settings in figures["sensitivity"]["methods"].items():
        where = f"figures.sensitivity.methods.{method}"
        yield from _unknown(where, method, methods)
        K, values = figures["sensitivity"]["K"], figures["sensitivity"]["concentrations"]
        problems = list(_settings_problems(where, methods[method]["class"], [K], settings))
        yield from problems or _sensitivity_problems(
            where, methods[method]["class"], K, settings, values
        )


def _sensitivity_problems(
    where: str, class_name: str, K: int, settings: dict[str, Any], concentrations: list[float]
) -> Iterator[str]:
    from nbmf.workflow import sensitivity  # loads what fits need

    try:
        sensitivity.check_method(class_name, K, settings, concentrations)
    except ConfigError as error:
        yield f"{where}: {error}"


def _dataset_problems(where: str, dataset: dict, config: dict) -> Iterator[str]:
    sources = config["sources"]
    if "published" in dataset:
        yield from _unknown(f"{where}.published", dataset["published"], sources)
    if "file" in dataset:
        yield from _file_problems(where, dataset, config["results"])
        return
    if "recipe" not in dataset:
        yield f"{where}: the key 'recipe' is missing, or 'file' in its place"
        return
    for key in ("read", "sha256"):
        if key in dataset:
            yield f"{where}.{key}: belongs to 'file', which this dataset has not"
    try:
        recipes.module_of(dataset["recipe"])
    except ConfigError as error:
        yield f"{where}.recipe: {error}"
    for role, source in dataset["files"].items():
        yield from _unknown(f"{where}.files.{role}", source, sources)


def _file_problems(where: str, dataset: dict, results: str) -> Iterator[str]:
    """Yield what is wrong with a dataset that is one file, at a path or an address."""
    file, place = dataset["file"], f"{where}.file = {_shown(dataset['file'])}"
    for key in ("recipe", "files", "options"):
        if dataset.get(key):
            yield f"{where}.{key}: belongs to a recipe; this dataset has a 'file'"
    if is_address(file):
        try:
            raw_files.located({"address": file})
        except ConfigError as error:
            yield f"{where}.file = {error}"
    elif not file.isprintable() or re.search(r"[{}]|^\w+://", file):
        yield f"{place}: allowed is a path without braces, or an https address"
    elif not os.path.isfile(local_path(file)):
        kind = "is a folder" if os.path.isdir(local_path(file)) else "there is no such file"
        yield f"{place}: {kind}; a relative path starts at the checkout"
    elif any(_is_below(local_path(file), folder) for folder in (*WRITTEN, results)):
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
    yield from _settings_problems(
        f"{where}.settings", method["class"], method["K"], method["settings"]
    )
    if "starts_as" in method:
        yield from _unknown(f"{where}.starts_as", method["starts_as"], methods)


def _settings_problems(
    where: str, class_name: str, grid: list[int], settings: dict[str, Any]
) -> Iterator[str]:
    """Yield what the constructor of a class would not take."""
    try:
        registry.check_settings(where, class_name, grid, settings)
    except ConfigError as error:
        yield str(error)


def _unknown(where: str, name: str, known: Collection[str]) -> Iterator[str]:
    """Yield a problem if `name` is not one of the `known` names."""
    if name not in known:
        yield f"{where} = {name!r}: {choices(name, known)}"


def _one_line(error: ValidationError) -> str:
    """Say in one line which key is wrong and what is allowed there."""
    where = _path(error)
    allowed = error.validator_value
    match error.validator:
        case "additionalProperties":
            unknown = next(key for key in error.instance if key not in error.schema["properties"])
            place = f"{where}: " if where else ""
            return f"{place}unknown key {unknown!r}; {choices(unknown, error.schema['properties'])}"
        case "required":
            missing = next(key for key in allowed if key not in error.instance)
            return f"{where or 'top level'}: the key {missing!r} is missing"
        case "type":
            rule = f"a value of type {allowed}"
        case "minimum":
            rule = f"at least {allowed}"
        case "maximum":
            rule = f"at most {allowed}"
        case "exclusiveMinimum":
            rule = f"more than {allowed}"
        case "exclusiveMaximum":
            rule = f"less than {allowed}"
        case "minItems":
            rule = f"a list of at least {allowed}"
        case "maxItems":
            rule = f"a list of at most {allowed}"
        case "uniqueItems":
            rule = "a list without repetitions"
        case "pattern":
            rule = error.schema["description"]  # a person reads no regular expressions
        case _:
            rule = f"{error.validator} {allowed}"
    return f"{where} = {_shown(error.instance)}: allowed is {rule}"


def _shown(value: Any) -> str:
    given = repr(value)
    return given if len(given) <= MAX_SHOWN else f"{given[:MAX_SHOWN]} ..."


def _path(error: ValidationError) -> str:
    """Return the place of an error as methods.bica.K[0]."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path]
    return "".join(steps).removeprefix(".")
