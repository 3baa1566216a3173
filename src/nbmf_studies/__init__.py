"""The papers that are reproduced, and the pipeline that does it. No part of the wheel.

A folder here with a module `study` that has a `STUDY` is a study: one paper, or one question, with
its figures, tables and claims. Nothing else lists them. Next to them are `framework`, in which
studies declare what they show, `pipeline`, what Snakemake needs, and `recipes` of public data.
"""

import functools
import importlib
from pathlib import Path


@functools.cache
def study_keys() -> tuple[str, ...]:
    """Return the keys of all studies, sorted: the names of their folders. Nothing is imported."""
    return tuple(sorted(path.parent.name for path in Path(__file__).parent.glob("*/study.py")))


def all_studies() -> dict:
    """Return every study (nbmf_studies.framework.declaration.Study) by its key.

    Raises
    ------
    ValueError
        If the key of a study is not the name of its folder.
    """
    studies = {}
    for key in study_keys():
        study = importlib.import_module(f"{__name__}.{key}.study").STUDY
        if study.key != key:
            raise ValueError(f"the study in {key}/ has the key {study.key!r}")
        studies[key] = study
    return studies
