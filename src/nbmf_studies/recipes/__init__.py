"""Recipes that build a matrix from raw files, one module each.

A recipe's module has one public function, `build`. Its keyword arguments are the recipe's raw
files and options, under the names they have in the configuration. A study may have recipes of its
own, which the configuration names by their modules: nbmf_studies.lumbreras2020.synthetic.
"""

import importlib.util
from functools import cache

from nbmf.errors import ConfigError, choices
from nbmf_studies import study_keys

RECIPES = (
    "animals",
    "lastfm",
    "paleo",
    "parliament",
    "unvotes",
    "unvotes_abstentions",
    "unvotes_coldwar",
    "unvotes_important",
)
STUDIES = __name__.partition(".")[0]


def module_of(recipe: str) -> str:
    """Return the module of a recipe: of one of RECIPES, or the one of a study that it names.

    Raises
    ------
    ConfigError
        If there is no such recipe.
    """
    if recipe in RECIPES:
        return f"{__name__}.{recipe}"
    if recipe.startswith(tuple(f"{STUDIES}.{key}." for key in study_keys())) and exists(recipe):
        return recipe
    raise ConfigError(f"no dataset recipe {recipe!r}; {choices(recipe, RECIPES)}, or a module of {STUDIES}")


@cache
def exists(module: str) -> bool:
    """Whether there is such a module; it is not imported, its packages are."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
