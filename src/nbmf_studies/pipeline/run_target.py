"""One figure or table as a job: the text that asks for it, and what the job does with that.

The scheduler makes the text (`request`), Snakemake compares it with that of the last run, and the job reads it
(`run_target`): the names of the function and of its arguments, and for each further argument, by its role, what it is
loaded from. What studies declare is not imported here, so that jobs start sooner.
"""

import importlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from nbmf_studies.framework.needs import Need, description_of, need_from
from nbmf_studies.pipeline.parameters import as_text


def request(make: str, needs: Mapping[str, Need], arguments: Mapping[str, Any]) -> str:
    """Return what decides all of a job besides its input files; keys keep the order of the configuration.

    Parameters
    ----------
    make : str
        The function, "module:function".
    needs : mapping
        From the role of an argument to what it is loaded from.
    arguments : mapping
        The other arguments, by their names: values that JSON can hold.
    """
    described_needs = {role: description_of(need) for role, need in needs.items()}
    return as_text({"arguments": arguments, "make": make, "needs": described_needs}, keep_order=True)


def run_target(asked: str, files: Mapping[str, Iterable[str] | str]) -> Any:
    """Load what a request needs, call its function, and return what that returns: a figure or a table.

    Parameters
    ----------
    asked : str
        As `request` makes it.
    files : mapping
        From role to path or paths, in the order of `Need.files`; more roles may be in it.
    """
    needs = json.loads(asked)["needs"]
    return call(asked, {role: need_from(need).load(_listed(files[role])) for role, need in needs.items()})


def call(asked: str, loaded: Mapping[str, Any]) -> Any:
    """Call the function of a request with what has been loaded, by role, and its other arguments."""
    job = json.loads(asked)
    module, _, name = job["make"].partition(":")
    return getattr(importlib.import_module(module), name)(**loaded, **job["arguments"])


def _listed(files: Iterable[str] | str) -> list[str]:
    return [files] if isinstance(files, str) else list(files)
