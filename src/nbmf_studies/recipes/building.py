"""From the name of a recipe to its matrix."""

import importlib
import inspect
import os
from typing import Any

from nbmf.data.named import NamedMatrix
from nbmf.errors import ConfigError
from nbmf_studies.recipes import module_of


def build(recipe: str, files: dict[str, str | os.PathLike], options: dict[str, Any]) -> NamedMatrix:
    """Build the matrix of a recipe from its raw files and options.

    Raises
    ------
    ConfigError
        If there is no such recipe, its files and options are others, or an option is not allowed.
    DataError
        If a raw file is not what it has to be; the message names the file and the place.
    """
    # Imported here so that one recipe does not need the libraries of another.
    module = importlib.import_module(module_of(recipe))
    if not hasattr(module, "build"):
        raise ConfigError(f"recipe {recipe!r} has no function 'build'")
    needed = set(inspect.signature(module.build).parameters)
    given = {*files, *options}
    if needed != given:
        raise ConfigError(
            f"recipe {recipe!r} takes the files and options {_listed(needed)}; given were {_listed(given)}"
        )
    return module.build(**files, **options)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "(none)"
