"""The methods by their short names, as methods.yaml next to this file lists them.

Nothing heavy is imported: the command line lists these names in its help.
"""

import math
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from nbmf.data.named import NamedMatrix

KEYS = ("class", "label", "colour", "K", "settings")  # of an entry of methods.yaml, each needed
FURTHER_KEYS = ("default_K", "starts_as", "starts")
OF_ONE = ("label", "colour")  # that no other method has


def checked(methods: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the methods of methods.yaml; ValueError where an entry lacks something, or has what another has."""
    users: dict[str, str] = {}
    for name, entry in methods.items():
        where = f"methods.yaml: {name}"
        if missing := [key for key in KEYS if key not in entry]:
            raise ValueError(f"{where}: the key {missing[0]!r} is missing; needed: {', '.join(KEYS)}")
        if unknown := [key for key in entry if key not in KEYS + FURTHER_KEYS]:
            raise ValueError(f"{where}: unknown key {unknown[0]!r}; allowed: {', '.join(KEYS + FURTHER_KEYS)}")
        for key in OF_ONE:
            if (other := users.setdefault(entry[key], name)) != name:
                raise ValueError(f"{where}: {key} {entry[key]!r} is that of {other}; each method has its own")
    return methods


# From the id of a method to its entry.
METHODS: dict[str, dict[str, Any]] = checked(
    yaml.safe_load(files("nbmf").joinpath("methods.yaml").read_text(encoding="utf-8"))["methods"]
)

# For each kind of matrix the method that `nbmf fit` takes if settings are given or nothing is held out.
DEFAULTS = {
    "BinaryMatrix": "beta-dir-vb-learned",
    "CountMatrix": "negative-binomial-vb-learned",
    "CategoryMatrix": "ordinal-vb",
    "SparseBinaryMatrix": "bernoulli-poisson-vb-scales",
}

# Without options `nbmf fit` takes the first of these, the easiest to read first, that predicts held-out
# entries within a standard error of the best.
CANDIDATES = {
    "BinaryMatrix": (
        DEFAULTS["BinaryMatrix"],
        "logistic-vb-columns",
        "beta-dir-vb-finite",
        "mnb-rows",
        "logistic-vb",
        "logistic-gs-learned-effects",
        "beta-dir-gs-learned",
        "logistic-map",
    ),
    "CountMatrix": (DEFAULTS["CountMatrix"], "negative-binomial-vb-learned-effects"),
    "CategoryMatrix": (DEFAULTS["CategoryMatrix"], "ordinal-vb-rows", "ordinal-vb-shared"),
    "SparseBinaryMatrix": (DEFAULTS["SparseBinaryMatrix"], "bernoulli-poisson-gs-scales"),
}

# Observed entries, up to which some of them are tried. The first may see nothing where a finite model does: of small
# matrices, or of few classes of very many rows. Samplers average over a wide posterior, and a mode follows many narrow
# axes; both take too long on larger matrices.
LARGE = 300_000
TRIED_UP_TO = {
    "beta-dir-vb-finite": LARGE,
    "logistic-gs-learned-effects": LARGE,
    "beta-dir-gs-learned": LARGE,
    "logistic-map": 1_000_000,
}

# What is tried besides where there are more than LARGE: such matrices are mostly lists of rare ones, as of who bought
# what, which communities with rates of their own predict better than axes do.
TRIED_IF_LARGE = {"BinaryMatrix": ("bernoulli-poisson-vb",)}

# What takes their place where a matrix is too large for the memory of the first of them.
IF_MEMORY_IS_SHORT = {"BinaryMatrix": ("bernoulli-poisson-vb",)}

# What `nbmf compare` compares by default: of binary matrices the default, of each family a method that
# takes seconds, and the paper's Beta-Dir VB and bICA.
COMPARED = {
    "BinaryMatrix": (
        DEFAULTS["BinaryMatrix"],
        "beta-dir-gs-learned",
        "beta-dir-vb",
        "bica",
        "logistic-vb-columns",
        "logistic-vb",
        "bernoulli-poisson-vb",
        "mmnb-rows",
        "logpca",
    ),
    "CountMatrix": (
        DEFAULTS["CountMatrix"],
        "negative-binomial-vb-learned-effects",
        "negative-binomial-gs",
        "poisson-gamma-vb",
        "poisson-gamma-gs",
        "poisson-gamma-em",
    ),
    "CategoryMatrix": (DEFAULTS["CategoryMatrix"], "ordinal-vb-rows", "ordinal-vb-shared", "ordinal-gs"),
    "SparseBinaryMatrix": (
        "bernoulli-poisson-vb-scales",
        "bernoulli-poisson-gs-scales",
        "bernoulli-poisson-vb",
        "bernoulli-poisson-gs",
    ),
}


def candidates_for(kind: str, n_observed: int, fits_in_memory: bool = True) -> tuple[str, ...]:
    """Return the methods that `nbmf fit` tries for a kind of matrix, by its name, with so many observed entries.

    `fits_in_memory` says whether the first of them may take the memory that it needs.
    """
    if not fits_in_memory and kind in IF_MEMORY_IS_SHORT:
        return IF_MEMORY_IS_SHORT[kind]
    usual = CANDIDATES.get(kind, ())
    tried = tuple(method for method in usual if n_observed <= TRIED_UP_TO.get(method, math.inf))
    return tried if n_observed <= LARGE else tried + TRIED_IF_LARGE.get(kind, ())


def compared_for(kind: str, n_observed: int) -> tuple[str, ...]:
    """Return the methods that `nbmf compare` compares: COMPARED, and what else `nbmf fit` tries."""
    usual = COMPARED.get(kind, COMPARED["BinaryMatrix"])
    return usual + tuple(method for method in candidates_for(kind, n_observed) if method not in usual)


def usual_components(method: str) -> int | str:
    """Return n_components of a method where no number is given."""
    from nbmf import registry

    entry = METHODS[method]
    if "default_K" in entry:
        return entry["default_K"]
    return entry["K"][0] if len(entry["K"]) == 1 else registry.estimator_class(entry["class"])().n_components


def matrix_kind(method: str) -> "type[NamedMatrix]":
    """Return the kind of matrix that a method takes: that of its likelihood."""
    from nbmf import registry

    return registry.estimator_class(METHODS[method]["class"]).likelihoods[0].matrix


def methods_for(matrix: "type[NamedMatrix]") -> list[str]:
    """Return the methods that take such matrices."""
    if matrix.dense is not None:
        return [name for name in methods_for(matrix.dense) if takes_sparse(name)]
    return [name for name in METHODS if matrix_kind(name) is matrix]


def takes_sparse(method: str) -> bool:
    """Return whether a method takes a sparse matrix without making it dense."""
    from nbmf import registry

    return registry.estimator_class(METHODS[method]["class"]).takes_sparse


def colours_of(methods: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the colour of each method (hexadecimal), the same in every figure.

    A method of one's own whose entry states none has one of the catalogue's, by its place among `methods`.
    """
    palette = [entry["colour"] for entry in METHODS.values()]
    return {
        name: entry.get("colour", palette[number % len(palette)])
        for number, (name, entry) in enumerate(methods.items())
    }
