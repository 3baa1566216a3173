"""One folder per paper that is reproduced: its figures, tables and claims.

A folder here with a module `study` that has a `STUDY` is a study; nothing else lists them.
"""

import importlib
import pkgutil


def all_studies() -> dict:
    """Return every study (nbmf.studies.declaration.Study) by its key, which is its folder's name.

    Raises
    ------
    ValueError
        If the key of a study is not the name of its folder.
    """
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg:
            study = importlib.import_module(f"{__name__}.{module.name}.study").STUDY
            if study.key != module.name:
                raise ValueError(f"the study in {module.name}/ has the key {study.key!r}")
            found[study.key] = study
    return found
