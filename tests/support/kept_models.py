"""Models as each release saved them, and what they predicted: later versions have to read them alike.

    python tests/support/kept_models.py --release
    python tests/support/kept_models.py my-method MyClass

The first keeps a model of every method and class in a folder of the present version, and removes the folder
`unreleased`; the second keeps those of new methods, or of classes without one, in that folder. What a release has
written stays.
"""

import argparse
import shutil
import warnings
from pathlib import Path

import numpy as np
from matrices import values_for

import nbmf
from nbmf import registry
from nbmf.analysis.settings import configured_estimator
from nbmf.catalogue import METHODS
from nbmf.inference.estimator import Factorization

FOLDER = Path(__file__).parent / "kept_models"
UNRELEASED = "unreleased"
PREDICTED = "predictions.npz"
SHAPE, NEW = (9, 7), 3
ROUNDS = {"max_iter": 15, "burn_in": 4, "n_samples": 6}


def names() -> list[str]:
    """Return the ids of all methods of a matrix, and the names of the classes that no method has."""
    methods = [name for name in METHODS if class_of(name) in registry.all_classes()]
    with_method = set(map(class_of, methods))
    return [*methods, *(name for name in registry.all_classes() if name not in with_method)]


def class_of(name: str) -> str:
    """Return the name of the class of a method, which may name its module too, or of a class."""
    return METHODS[name]["class"].rpartition(":")[2] if name in METHODS else name


def made(name: str) -> Factorization:
    """Return a short fit, of two components where their number is given."""
    settings = {key: value for key, value in ROUNDS.items() if key in registry.settings_of(class_of(name))}
    if name in METHODS:
        estimator = configured_estimator(name, seed=0, components=2).set_params(**settings)
    else:
        estimator = registry.make_estimator(name, 2, settings, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that so short a fit has not converged
        return estimator.fit(values_for(class_of(name), SHAPE))


def predicted(name: str, model: Factorization) -> dict[str, np.ndarray]:
    """Return what a model predicts of all entries and, where it can, of new rows."""
    rows, columns = np.indices(SHAPE)
    found = {"entries": model.predict(rows, columns)}
    if hasattr(model, "predict_rows"):
        F, N = SHAPE
        found["rows"] = model.predict_rows(values_for(class_of(name), (F + NEW, N))[F:])
    return found


def keep(folder: Path, kept: list[str]) -> None:
    """Save fits of methods and classes in a folder, next to those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    known = dict(np.load(folder / PREDICTED)) if (folder / PREDICTED).exists() else {}
    for name in kept:
        model = made(name)
        model.save(folder / f"{name}.npz")
        known |= {f"{name} {what}": values for what, values in predicted(name, model).items()}
    np.savez_compressed(folder / PREDICTED, **known)


def main() -> None:
    """Keep what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a method, or a class without one")
    parser.add_argument("--release", action="store_true", help="every method and class, for the present version")
    asked = parser.parse_args()
    if asked.release == bool(asked.names):
        parser.error("either names or --release")
    if unknown := set(asked.names) - set(names()):
        parser.error(f"{', '.join(sorted(unknown))}: allowed: {', '.join(names())}")
    if not asked.release:
        keep(FOLDER / UNRELEASED, asked.names)
        return
    if (FOLDER / nbmf.__version__).exists():
        parser.error(f"{nbmf.__version__} has been kept: what a release has written stays")
    keep(FOLDER / nbmf.__version__, names())
    shutil.rmtree(FOLDER / UNRELEASED, ignore_errors=True)


if __name__ == "__main__":
    main()
