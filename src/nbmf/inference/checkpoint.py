"""Checkpoints: a fit that is killed goes on from its last one and ends with the same bits."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from nbmf.errors import DataError
from nbmf.files import atomic_path, read_arrays
from nbmf.inference.progress import FitRecorder
from nbmf.inference.state import State
from nbmf.sources import source_files

SWEEPS_BETWEEN_LOOKS = 25  # at the clock; what a look costs vanishes compared to so many sweeps
TRACE, STATE = "trace ", "state "  # begin the names of their arrays


class Checkpoint:
    """A monitor that records traces as `recorder` does, and saves the state now and then.

    Only resumable states are saved, those of chains: they run for long, and their state is small
    compared to the time it took.

    Parameters
    ----------
    path : path
        Of the checkpoint, an NPZ file of plain arrays.
    fingerprint : function
        Returns a text that stands for all that decides the outcome of the fit. A file that has
        another one is not used. It is called for resumable states alone.
    recorder : FitRecorder
        Its trace belongs to what is saved.
    seconds : float
        Between checkpoints.
    log : function
        Takes a line of text.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        fingerprint: Callable[[], str],
        recorder: FitRecorder,
        seconds: float = 60.0,
        log=print,
    ):
        self._path, self._make_fingerprint = Path(path), fingerprint
        self._recorder, self._seconds, self._log = recorder, seconds, log
        self._recorder_is_due = recorder.next_after(0)
        self._last_save = time.monotonic()
        self._fingerprint = None  # until a resumable state asks whether it may go on

    def resume(self, state: State) -> int:
        """Put the saved state back; return its iteration, 0 if there is none that fits.

        Only resumable states ask: what does not is not saved.
        """
        self._fingerprint = self._make_fingerprint()
        try:
            saved = read_arrays(self._path, "checkpoint")
        except FileNotFoundError:
            return 0
        except DataError as error:
            self._log(f"{error}: starting anew")
            return 0
        if str(saved.pop("fingerprint", "")) != self._fingerprint:
            self._log(f"{self._path}: checkpoint of another fit, or of other sources: not used")
            return 0
        iteration = int(saved.pop("iteration"))
        state.restore({name.removeprefix(STATE): saved[name] for name in saved if name.startswith(STATE)})
        trace = {name.removeprefix(TRACE): saved[name].tolist() for name in saved if name.startswith(TRACE)}
        self._recorder.go_on_from(iteration, float(saved["seconds"]), float(saved["cpu_seconds"]), trace)
        self._recorder_is_due = self._recorder.next_after(iteration)
        self._log(f"{self._path}: going on after iteration {iteration}")
        return iteration

    def next_after(self, iteration: int) -> float:
        """Return the next iteration at which to look at the clock, or to record."""
        look = (iteration // SWEEPS_BETWEEN_LOOKS + 1) * SWEEPS_BETWEEN_LOOKS
        return min(look, self._recorder.next_after(iteration))

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Record if it is time to; save if it is."""
        if iteration in (self._recorder_is_due, total):
            self._recorder(iteration, total, state)
            self._recorder_is_due = self._recorder.next_after(iteration)
        is_resumable = self._fingerprint is not None
        is_due = time.monotonic() - self._last_save >= self._seconds
        if is_resumable and is_due and iteration < total:
            self._save(iteration, state)
            self._last_save = time.monotonic()

    def _save(self, iteration: int, state: State) -> None:
        """Write the file; a full disk, say, is logged and costs no more than the checkpoint."""
        trace = {TRACE + name: np.array(values) for name, values in self._recorder.trace.items()}
        parts = {STATE + name: array for name, array in state.snapshot().items()}
        about = {
            "fingerprint": np.array(self._fingerprint),
            "iteration": np.array(iteration),
            "seconds": np.array(self._recorder.seconds),
            "cpu_seconds": np.array(self._recorder.cpu_seconds),
        }
        try:
            with atomic_path(self._path) as temporary, open(temporary, "wb") as file:
                np.savez(file, **about, **trace, **parts)
        except OSError as error:
            self._log(f"no checkpoint after iteration {iteration}: {error}")


def digest_of(*modules: str) -> str:
    """Return a checksum of the source files of some modules and of all that they import."""
    digest = hashlib.sha256()
    for source in source_files(*modules):
        digest.update(Path(source).read_bytes())
    return digest.hexdigest()
