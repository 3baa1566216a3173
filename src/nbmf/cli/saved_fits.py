"""What a command has written, for others that take it up: a model, its data, and how they were made."""

import copy
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import nbmf
from nbmf.analysis.tables import CHAINS, EXPECTATION, POSITIONS
from nbmf.data.loading import load_matrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError, naming_file
from nbmf.files import read_arrays
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.output.folder import MATRIX, MODEL, record_of, refuse_incomplete
from nbmf.posterior.scale import Scale, scale_of
from nbmf.posterior.scale_axes import MOST_KEPT, MOST_KEPT_BEFORE, has_scale
from nbmf.posterior.scale_intervals import Spread
from nbmf.posterior.scale_rotation import AS_NOW, Reported
from nbmf.posterior.scale_tables import positions_in

DRAWS_FILE = "W_lower.csv"  # is written where a fit had draws
SAME_AXES = 0.9999  # correlation of saved positions with those of the same axes, where they are no means of draws
TESTING_COMMANDS = ("fit", "cluster", "topics")  # commands that may find nothing


class SavedFit(NamedTuple):
    """A fit of a matrix.

    path : path, of a folder or a file
    model : Factorization
    matrix : NamedMatrix, what it was fitted to; None of a file alone
    record : dict, the options of the command; empty of a file alone
    """

    path: Path
    model: Factorization
    matrix: NamedMatrix | None
    record: dict[str, Any]


def load_model(path: Path) -> Any:
    """Return the model in a folder or a file."""
    if not path.exists():
        raise DataError(f"{path}: there is no such folder or file; nbmf fit FILE makes one")
    if path.is_file() and not zipfile.is_zipfile(path):
        raise DataError(f"{path}: no fit, which is a folder that nbmf fit has written, or the file of a model")
    if path.is_dir():
        refuse_incomplete(path)
    if path.is_dir() and not (path / MODEL).exists():
        command = record_of(path).get("command")
        if command in TESTING_COMMANDS:
            raise DataError(
                f"{path}: nothing was found there, so there are no components to draw; "
                f"nbmf {command} --no-check shows some whatever they are worth"
            )
        raise DataError(f"{path}: no {MODEL} in this folder; nbmf fit FILE makes one")
    return nbmf.load(path / MODEL if path.is_dir() else path)


def load_fit(path: Path) -> SavedFit:
    """Return the fit of a matrix; DataError if it is one of a table or of documents.

    The model's file in a folder of results is taken with what lies next to it, like the folder.
    """
    if path.name == MODEL and record_of(path.parent):
        path = path.parent
    if path.name in ("", ".."):  # the folder one is in has no name of its own, which results are called by
        path = path.resolve()
    model = load_model(path)
    if not isinstance(model, Factorization):
        raise DataError(f"{path}: a model of a table or of documents; needed is one of a matrix, which nbmf fit makes")
    is_folder = path.is_dir()
    has_matrix = is_folder and (path / MATRIX).exists()
    matrix, record = load_matrix(path / MATRIX) if has_matrix else None, record_of(path) if is_folder else {}
    return SavedFit(path, model, matrix, record)


def saved_scale(path: Path, model: Factorization, matrix: NamedMatrix) -> Scale | None:
    """Return the scale of a fit with the axes of its folder; None if it has no table of positions.

    Positions of draws, which are not saved, are those of the table.
    """
    file = path / f"{POSITIONS}.csv"
    if not (has_scale(model) and file.exists()):
        return None
    is_drawn = model.inference is Inference.SAMPLER and (path / DRAWS_FILE).exists()
    try:
        positions = positions_in(pd.read_csv(file))
        high = record_of(path).get("high") or ()
        as_saved = _saved_axis_options(model, matrix, positions[..., 0], high)
        drawn = {}
        if is_drawn:
            drawn = {"draws": Spread.of(positions), "expectation": _saved_expectation(path, matrix)}
        return scale_of(model, matrix, **drawn, **as_saved)
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: not the table of positions of this fit ({error!r})") from error


def with_mean_of_chains(fit: SavedFit) -> Factorization | None:
    """Return the model of a folder with the E[V] that is the mean over several chains of a sampler; None of others.

    The model is the chain that predicts its own data best; the mean predicts better than chains do on average.
    """
    several = fit.model.inference is Inference.SAMPLER and (fit.path / f"{CHAINS}.csv").exists()
    mean = _saved_expectation(fit.path, fit.matrix) if several and fit.matrix is not None else None
    if mean is None:
        return None
    if mean.shape != fit.matrix.shape:
        raise DataError(f"{fit.path}: {EXPECTATION} has shape {mean.shape}, the matrix {fit.matrix.shape}")
    model = copy.copy(fit.model)
    model._expectation = mean
    return model


def _saved_expectation(path: Path, matrix: NamedMatrix) -> np.ndarray | None:
    """Return E[V] of a folder, (F, N): of several chains it is none that their models have; None if it was removed."""
    arrays, table, lowest = path / f"{EXPECTATION}.npz", path / f"{EXPECTATION}.csv", getattr(matrix, "lowest", 0)
    if arrays.exists():
        saved = read_arrays(arrays, EXPECTATION)
        if EXPECTATION not in saved:
            raise DataError(f"{arrays}: not a complete {EXPECTATION} file (no array {EXPECTATION!r})")
        return saved[EXPECTATION] - lowest
    if not table.exists():
        return None
    with naming_file(table, ValueError):
        return pd.read_csv(table, index_col=0).to_numpy(float) - lowest


def _saved_axis_options(
    model: Factorization, matrix: NamedMatrix, saved: np.ndarray, high: Sequence[str]
) -> dict[str, Any]:
    """Return with which options of scale_of the axes are those of positions (F, A) that were saved.

    In version 1.0.0 they did not correlate, and fewer were rotated.
    """
    versions = AS_NOW, Reported(may_correlate=False), Reported(MOST_KEPT_BEFORE, may_correlate=False)
    ways = [{"reported": reported, "high": high} for reported in versions]
    agreements = []
    for way in ways:
        positions = scale_of(model, matrix, **way).positions
        pairs = zip(positions.T[:MOST_KEPT], saved.T, strict=False)
        agreements.append(min(float(np.corrcoef(a, b)[0, 1]) for a, b in pairs if min(a.std(), b.std()) > 0))
        if agreements[-1] >= SAME_AXES:
            break
    return ways[int(np.argmax(agreements))]
