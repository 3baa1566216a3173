"""Fits as jobs: which fit a job is, what decides its outcome, and what it may use."""

from collections.abc import Mapping
from typing import Any

from nbmf import registry
from nbmf.fit_key import FitKey
from nbmf.fits import modules_of
from nbmf_studies.pipeline.parameters import as_text

CHAIN_POINTS = 1000  # enough draws of the log joint for effective sample sizes
LOOKS = ("observe", "measure")  # functions that look at every fit to a dataset: nbmf.fits
LIBRARIES_MB = 2000  # of a job that fits or draws: what it imports and compiles, and its data


def modules(method: Mapping[str, Any], dataset: Mapping[str, Any]) -> list[str]:
    """Return the modules that compute a fit and look at it; editing what they do not import runs none again."""
    looks = _looks(dataset)
    functions = [looks[name] for name in LOOKS if name in looks]
    return modules_of(method["class"], method.get("told_by", ""), *functions)


def request(key: FitKey, method: Mapping[str, Any], dataset: Mapping[str, Any]) -> str:
    """Return all that decides the outcome of a fit besides its input files, a FitRequest as text.

    `method` and `dataset` are its entries of the configuration, as in all functions here.
    """
    is_chain = key.mask is None and registry.is_sampler(method["class"])
    return as_text(
        {
            "class_name": method["class"],
            "K": key.K,
            "settings": method["settings"],
            "seed_key": key.stream(method.get("starts_as")),
            "chain_points": CHAIN_POINTS if is_chain else 0,
            **({"told_by": method["told_by"]} if "told_by" in method else {}),
            **({"starts": method["starts"]} if method.get("starts", 1) > 1 else {}),
            **_looks(dataset),
        }
    )


def threads(method: Mapping[str, Any], most: int) -> int:
    """Return the threads of a fit: one where its method could not use more."""
    return most if registry.takes_threads(method["class"]) else 1


def memory(method: Mapping[str, Any], attempt: int) -> int:
    """Return the megabytes of a fit at an attempt: what its method may take, besides the libraries and the data."""
    budget = registry.memory_budget(method["class"], method["settings"])
    return attempt * LIBRARIES_MB + round(1000 * budget)


def _looks(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Return the function that looks at a fit and its arguments, which hold the truth of simulated data."""
    looks = {name: dataset[name] for name in LOOKS if name in dataset}
    return {**looks, "arguments": dataset.get("arguments", dataset["options"])} if looks else {}
