"""What is compared: the entries of methods, complete and checked, and whether they go together."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nbmf import registry
from nbmf.catalogue import METHODS
from nbmf.data.given import as_pandas, is_frame
from nbmf.data.named import NamedMatrix
from nbmf.errors import ConfigError, Setting, choices, not_allowed
from nbmf.inference.parameters import AUTO
from nbmf.likelihoods.likelihood import Likelihood

KEYS = ("class", "label", "colour", "K", "default_K", "settings", "starts_as", "starts")


def complete_entries(methods: Any, K: Any) -> dict[str, dict[str, Any]]:
    """Return the entries to compare; arguments as for `compare`.

    Raises
    ------
    ConfigError
        If a method, a key, a setting or a K is none that is allowed.
    """
    if isinstance(methods, str):
        methods = [methods]
    names = list(methods) if isinstance(methods, Iterable) else [methods]
    if not all(isinstance(name, str) for name in names):
        raise not_allowed("methods", methods, "ids of methods, or a dict from them to what differs")
    given = {name: methods[name] if isinstance(methods, Mapping) else None for name in names}
    if not given:
        raise ConfigError(Setting("methods"), f": none given; {choices('', METHODS)}")
    entries = {name: _entry(name, changes or {}, K) for name, changes in given.items()}
    for name in K if isinstance(K, Mapping) else ():
        if name not in entries:
            raise ConfigError(Setting("K"), f": {name!r} is not compared; {choices(name, entries)}")
    return entries


def _entry(name: str, changes: Mapping[str, Any], K: Any) -> dict[str, Any]:
    """Return the catalogue's entry, if there is one, with what is changed of it."""
    _refuse_no_dict(f"methods.{name}", changes)
    _refuse_no_dict(f"methods.{name}.settings", changes.get("settings", {}))
    known = METHODS.get(name, {})
    if "class" in changes:  # the settings are those of another class
        known = {key: known[key] for key in known.keys() - {"settings"}}
    settings = {**known.get("settings", {}), **changes.get("settings", {})}
    entry = {**known, **changes, "settings": settings}
    if "class" not in entry:
        raise ConfigError(Setting("methods"), f": no {name!r}; {choices(name, METHODS)}")
    for key in entry.keys() - set(KEYS):
        raise ConfigError(f"methods.{name}: unknown key {key!r}; {choices(key, KEYS)}")
    entry = {"label": name, **entry}
    registry.check_starts(f"methods.{name}.starts", entry["class"], entry.get("starts", 1))
    grid = _grid(name, _wanted_K(K, name, entry))
    is_for_all = K is not None and not isinstance(K, Mapping)
    entry["K"] = [int(k) for k in _allowed_K(name, entry, grid, is_for_all)]
    return entry


def _refuse_no_dict(where: str, given: Any) -> None:
    if not isinstance(given, Mapping):
        raise not_allowed(where, given, "a dict")


def _allowed_K(name: str, entry: Mapping[str, Any], grid: list, is_for_all: bool) -> list:
    """Return the K that a method takes; of a grid for all methods it may refuse some, but not all.

    Dir-Dir, for example, needs at least two.
    """
    taken, refusal = [], None
    for k in grid:
        try:
            where = f"methods.{name}.settings"
            registry.check_settings(where, entry["class"], [k], entry["settings"])
            taken.append(k)
        except ConfigError as error:
            if not is_for_all:
                raise
            refusal = error
    if not taken:
        raise refusal
    return taken


def _wanted_K(K: Any, name: str, entry: Mapping[str, Any]) -> Any:
    """Return the K asked for, or the method's own grid."""
    wanted = K.get(name) if isinstance(K, Mapping) else K
    if wanted is None and "K" not in entry:
        raise ConfigError(f"methods.{name}: the key 'K' is missing")
    return entry["K"] if wanted is None else wanted


def _grid(name: str, K: Any) -> list[int]:
    is_one = isinstance(K, str | bytes) or not isinstance(K, Iterable)  # checked with the settings
    grid = [K] if is_one else list(K)
    if AUTO in grid:
        raise ConfigError(Setting("K", AUTO), f": of {name} numbers are compared; allowed: one or more integers")
    if not grid:
        raise ConfigError(f"methods.{name}: no K given; allowed: one or more integers")
    return list(dict.fromkeys(grid))


def likelihoods_of(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Likelihood]:
    """Return the likelihood that scores each method."""
    return {
        name: registry.make_estimator(entry["class"], entry["K"][0], entry["settings"]).likelihood
        for name, entry in entries.items()
    }


def common_matrix(V: Any, entries: Mapping[str, Mapping[str, Any]]) -> NamedMatrix:
    """Return V as the kind of matrix that the likelihoods of all methods take.

    All have to take one kind of matrix: nats of a binary value's probability, of a count's and of
    a real number's density cannot be compared. On one kind likelihoods may differ, as two distributions of a
    one do. Those that are scored in another unit are reported alongside them.

    Raises
    ------
    ConfigError
        If likelihoods take different kinds of matrices, or one does not take such a matrix.
    DataError
        If V has a value that is not allowed.
    """
    likelihoods = likelihoods_of(entries)
    compared = [each for each in likelihoods.values() if each.unit == "entry"]
    first = (compared or list(likelihoods.values()))[0]
    for name, each in likelihoods.items():
        if each.matrix is not first.matrix:
            owner = next(name for name, other in likelihoods.items() if other is first)
            raise ConfigError(
                Setting("methods"),
                f": {owner} takes a {first.matrix.__name__} (its likelihood is "
                f"{first.name}), {name} a {each.matrix.__name__} ({each.name}), and scores of one "
                "cannot be compared with those of the other; allowed: methods of one kind of matrix",
            )
        if isinstance(V, NamedMatrix) and not isinstance(V, each.matrix):
            raise ConfigError(
                f"methods.{name}: its likelihood is {each.name}, which takes a "
                f"{each.matrix.__name__}, and V is a {type(V).__name__}"
            )
    return first.matrix.of(_without_unobserved(V, first))


def _without_unobserved(V: Any, likelihood: Likelihood) -> Any:
    """Return V without rows and columns that have no observed entry: none can be held out."""
    if isinstance(V, NamedMatrix):
        return V
    rows, columns = observed_rows_and_columns(likelihood.is_observed(likelihood.values_of(V)))
    return as_pandas(V).loc[rows, columns] if is_frame(V) else np.asarray(V)[np.ix_(rows, columns)]


def observed_rows_and_columns(observed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows and which columns have an observed entry: bool arrays (F,), (N,)."""
    return observed.any(axis=1), observed.any(axis=0)


def observed_entries(V: Any, entries: Mapping[str, Mapping[str, Any]]) -> np.ndarray:
    """Return where V is observed, with the rows and columns that `common_matrix` leaves out: bool array (F, N)."""
    if isinstance(V, NamedMatrix):
        return V.observed
    likelihood = next(iter(likelihoods_of(entries).values()))
    return likelihood.is_observed(likelihood.values_of(V))
