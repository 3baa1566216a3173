"""A fitted model as one file: an NPZ of plain arrays, one of them a JSON text; no pickle."""

import json
import os
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar, NamedTuple

import numpy as np

import nbmf
from nbmf.errors import ConfigError, DataError, Setting
from nbmf.files import atomic_path, read_arrays

FORMAT = "nbmf model 1"
ABOUT = "about"  # the array with the text
PACKAGES = ("numpy", "scipy", "numba")
EXPECTATION = "expectation_"
OF_PART = "/"  # between the name of a part and that of its array
MOST_DEEP = 3  # levels of parts
POOL_SIZE = np.random.SeedSequence(0).pool_size  # unless another is asked for
ROUNDING = 1e-6  # of a number, beyond its limits


# Learned numbers, and the types JSON gives them.
SCALARS = {"n_iter_": (int,), "converged_": (bool, type(None)), "active_components_": (int,)}


class Model(NamedTuple):
    """What a model file holds.

    class_name : str, the name of one of nbmf's classes, or "package.module:Class"
    parameters : dict, the constructor's arguments
    learned : dict, what `fit` has learned: arrays, numbers, None
    parts : dict, models that it is made of, by name
    """

    class_name: str
    parameters: dict[str, Any]
    learned: dict[str, Any]
    parts: Mapping[str, "Model"] = {}


def write(path: str | os.PathLike, model: Model) -> None:
    """Write a model, atomically.

    Raises
    ------
    ConfigError
        If a parameter or a learned value is none of those that JSON or an array can hold.
    """
    about, arrays = _described(model)
    versions = {"nbmf": nbmf.__version__, "python": platform.python_version()}
    versions |= {package: version(package) for package in PACKAGES}
    text = np.array(json.dumps({"format": FORMAT, **about, "versions": versions}))
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **{ABOUT: text}, **arrays)


def _described(model: Model) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return what JSON says about a model, and its arrays; names of those of a part begin with its own and a slash."""
    arrays = {k: value for k, value in model.learned.items() if isinstance(value, np.ndarray)}
    others = {k: value for k, value in model.learned.items() if k not in arrays}
    if pickled := [name for name, array in arrays.items() if array.dtype.hasobject]:
        raise ConfigError(f"{pickled[0]} cannot be saved: it is an array of objects")
    about = {
        "class": model.class_name,
        "parameters": {name: _plain(name, value) for name, value in model.parameters.items()},
        "learned": {name: _plain(name, value) for name, value in others.items()},
    }
    parts = {name: _described(part) for name, part in model.parts.items()}
    if parts:
        about["parts"] = {name: of_part for name, (of_part, _) in parts.items()}
    for name, (_, of_part) in parts.items():
        arrays |= {f"{name}{OF_PART}{key}": array for key, array in of_part.items()}
    return about, arrays


def read(path: str | os.PathLike) -> Model:
    """Read a model file; nothing in it is executed, and its class is not looked up here.

    Raises
    ------
    DataError
        If the file is damaged or no model file; the message names it.
    """
    arrays = read_arrays(path, "nbmf model")
    about = _read_about(path, arrays.pop(ABOUT, None), arrays)
    if about.get("format") != FORMAT:
        raise DataError(f"{path}: format {about.get('format')!r}; allowed: {FORMAT!r}")
    return _model_of(path, about, arrays)


def _model_of(path: str | os.PathLike, about: Any, arrays: dict[str, np.ndarray], depth: int = 0) -> Model:
    """Return the model, or the part of one, of which JSON says so much and which has these arrays."""
    said = about if isinstance(about, dict) else {}
    described = tuple(said.get(each) for each in ("class", "parameters", "learned"))
    parts = said.get("parts", {})
    if tuple(map(type, (*described, parts))) != (str, dict, dict, dict):
        raise DataError(f"{path}: a model file names a class, parameters and what was learned")
    if parts and depth == MOST_DEEP:
        raise DataError(f"{path}: a model has parts that have parts, {MOST_DEEP} levels deep")
    class_name, parameters, learned = described
    try:
        parameters = {name: _restored(value) for name, value in parameters.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}: a parameter is damaged ({error})") from error
    made = {}
    for name, of_part in parts.items():
        part_arrays = {key: arrays.pop(key) for key in list(arrays) if key.startswith(f"{name}{OF_PART}")}
        part_arrays = {key.removeprefix(f"{name}{OF_PART}"): array for key, array in part_arrays.items()}
        made[name] = _model_of(path, of_part, part_arrays, depth + 1)
    return Model(class_name, parameters, learned | arrays, made)


def _read_about(path, text: np.ndarray | None, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    if text is None or text.shape != () or text.dtype.kind != "U":
        raise DataError(
            f"{path}: no model, which an estimator's save() writes; it holds {', '.join(sorted(arrays)) or 'nothing'}"
        )
    try:
        about = json.loads(str(text))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not a complete nbmf model file ({error})") from error
    if not isinstance(about, dict):
        raise DataError(f"{path}: a model file describes itself in a JSON object")
    return about


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON has it; a seed sequence as an object that says so."""
    if isinstance(value, np.random.SeedSequence):
        parts = {"entropy": value.entropy, "spawn_key": value.spawn_key}
        if value.pool_size != POOL_SIZE:
            parts["pool_size"] = value.pool_size
        return {"SeedSequence": {part: _plain(name, parts[part]) for part in parts}}
    if hasattr(value, "tolist"):  # of NumPy, or a Series, Index or Categorical of pandas
        return _plain(name, value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(name, item) for item in value]
    if _is_na(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ConfigError(Setting(name, value), " cannot be saved; allowed: numbers, texts, lists of them and seeds")


def _is_na(value: Any) -> bool:
    """Whether a value is NA of pandas, which is not loaded for this: who has one has loaded it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and value is pandas.NA


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() != {"SeedSequence"}:
            raise ValueError(f"a parameter is no {value!r}")
        parts = value["SeedSequence"]
        pool_size = parts.get("pool_size", POOL_SIZE)
        return np.random.SeedSequence(parts["entropy"], spawn_key=parts["spawn_key"], pool_size=pool_size)
    return value


class Saved:
    """The part of a model that writes what was learned, and takes it over from a file.

    Below is how estimators of matrices do it; a model that has no W and H defines `_learned` and
    `restore` itself.

    Attributes
    ----------
    shapes : dict
        The axes of each learned array of floats, a letter per length, for the check of a loaded file: F, N, K and
        others of the class. An array that a fit has by some parameters only, or of another type, is named by
        `_further_learned`.
    """

    shapes: ClassVar[dict[str, str]] = {"W_": "FK", "H_": "KN"}

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to an NPZ file without pickles; `nbmf.load` reads it.

        It holds the parameters, all learned attributes (E[V] too where it was kept, since a Gibbs sampler's cannot
        be recomputed) and the versions of the software. The file is written atomically.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ConfigError
            If JSON cannot represent a parameter.
        """
        self._require_fit()
        write(path, self._as_model())

    def _as_model(self) -> Model:
        made = type(self)
        is_exported = nbmf.EXPORTS.get(made.__name__) == made.__module__
        name = made.__name__ if is_exported else f"{made.__module__}:{made.__qualname__}"
        parts = {part: fitted._as_model() for part, fitted in self._parts().items()}
        return Model(name, self.get_params() | self._fitted_parameters, self._learned(), parts)

    def _parts(self) -> Mapping[str, "Saved"]:
        """Return the fitted models that this one is made of, by name."""
        return {}

    def restore_parts(self, parts: Mapping[str, "Saved"]) -> None:
        """Take over the parts of a file, after `restore`.

        Raises
        ------
        DataError
            If this model has no such parts.
        """
        if parts:
            raise DataError(f"{type(self).__name__} has no parts, and the file has {', '.join(parts)}")

    def _learned(self) -> dict[str, Any]:
        """Return what `fit` has learned, and all that `restore` needs of it."""
        learned = {key: value for key, value in vars(self).items() if is_learned(key)}
        return learned | {EXPECTATION: self._expectation}

    def _further_learned(self) -> list[str]:
        """Return the names of what `fit` learns with these parameters besides `shapes`, and a file has to have."""
        return []

    def restore(self, learned: dict[str, Any]) -> None:
        """Take over what a file says was learned.

        Raises
        ------
        DataError
            If something is missing, or has a wrong type or shape.
        """
        learned = dict.fromkeys(("objective_", "objective_of_one_")) | learned  # older files have neither
        if EXPECTATION not in learned:
            raise DataError(f"{EXPECTATION} is missing")
        sizes: dict[str, int] = {}
        shapes = self.shapes if learned[EXPECTATION] is None else self.shapes | {EXPECTATION: "FN"}
        for name, axes in shapes.items():
            _check_array(name, learned.get(name), axes, sizes)
        if missing := [name for name in self._further_learned() if name not in learned]:
            raise DataError(f"{missing[0]} is missing")
        for name, axis in (("row_names_", "F"), ("column_names_", "N")):
            _check_names(name, learned, sizes[axis])
        for name, types in SCALARS.items():
            if name not in learned or type(learned[name]) not in types:
                raise DataError(f"{name} is missing or of another type")
        if unknown := [name for name in learned if not is_learned(name)]:
            raise DataError(f"{unknown[0]!r} is nothing that is learned")
        self._expectation = learned.pop(EXPECTATION)
        vars(self).update(learned)
        self._check_ranges()

    def _check_ranges(self) -> None:
        """Raise DataError if a factor of probabilities has other numbers, or E[V] what no mean can be."""
        low, high = self.likelihood.limits
        arrays = {EXPECTATION: (self._expectation, low, high)}
        arrays |= {f"{name}_": (vars(self)[f"{name}_"], 0.0, 1.0) for name in self.distributions | self.probabilities}
        for name, (array, low, high) in arrays.items():
            if array is not None and not is_within(array, low, high):
                raise DataError(f"{name} has numbers outside of {low:g} to {high:g}")


def is_within(array: np.ndarray, low: float, high: float) -> bool:
    """Whether all numbers of an array are between two limits, but for rounding; NaN is not."""
    return not array.size or bool(low - ROUNDING <= array.min() and array.max() <= high + ROUNDING)


def is_learned(name: str) -> bool:
    """Whether an attribute is one that `fit` learns, by its name."""
    return name.endswith("_") and not name.startswith("_")


def _check_array(name: str, array: Any, axes: str, sizes: dict[str, int]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != float or array.ndim != len(axes):
        raise DataError(f"{name} has to be an array of floats with {len(axes)} axes")
    expected = tuple(sizes.setdefault(axis, size) for axis, size in zip(axes, array.shape, strict=True))
    if array.shape != expected or not np.isfinite(array).all():
        raise DataError(f"{name} has to be finite and of shape {expected}")


def _check_names(name: str, learned: dict[str, Any], size: int) -> None:
    if name not in learned:
        raise DataError(f"{name} is missing")
    if learned[name] is not None:  # there may be none
        check_texts(name, learned[name], size)


def check_texts(name: str, texts: Any, size: int) -> None:
    """Raise DataError unless what was learned is an array of so many texts."""
    if not isinstance(texts, np.ndarray) or texts.dtype.kind != "U" or texts.shape != (size,):
        raise DataError(f"{name} has to be {size} texts")
