"""From the name of a recipe to its matrix."""

import importlib
import inspect
import os
from typing import Any

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.recipes import RECIPES
from nbmf.errors import ConfigError, choices


def build(
    recipe: str, files: dict[str, str | os.PathLike], options: dict[str, Any]
) -> BinaryMatrix:
    """Build the matrix of a recipe from its raw files and options.

    Raises
    ------
    ConfigError
        If there is no such recipe, its files and options are others, or an option is not allowed.
    DataError
        If a raw file is not what it has to be; the message names the file and the place.
    """
    if recipe not in RECIPES:
        raise ConfigError(f"no dataset recipe {recipe!r}; {choices(recipe, RECIPES)}")
    # Imported here so that one recipe does not need the libraries of another.
    module = importlib.import_module(RECIPES[recipe])
    needed = set(inspect.signature(module.build).parameters)
    given = {*files, *options}
    if needed != given:
        raise ConfigError(
            f"recipe {recipe!r} takes the files and options {_listed(needed)}; "
            f"given were {_listed(given)}"
        )
    return module.build(**files, **options)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "(none)"
