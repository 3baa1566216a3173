"""The one way to make any figure or table: load what is needed, call the function, return it.

What a study declares, and how a request comes of it, is not imported here: jobs start sooner.
"""

import importlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from nbmf_studies.framework.needs import from_description


def make(asked: str, files: Mapping[str, Iterable[str] | str]) -> Any:
    """Load what a request needs, call its function, and return what that returns.

    Parameters
    ----------
    asked : str
        As `nbmf_studies.pipeline.products.request` makes it.
    files : mapping
        From role to path or paths, in the order of `Need.files`; more roles may be in it.
    """
    job = json.loads(asked)
    loaded = {role: from_description(need).load(_listed(files[role])) for role, need in job["needs"].items()}
    return call(job, loaded)


def call(job: Mapping[str, Any], loaded: Mapping[str, Any]) -> Any:
    """Call the function of a parsed request with what has been loaded and its arguments."""
    module, _, name = job["make"].partition(":")
    return getattr(importlib.import_module(module), name)(**loaded, **job["arguments"])


def _listed(files: Iterable[str] | str) -> list[str]:
    return [files] if isinstance(files, str) else list(files)
