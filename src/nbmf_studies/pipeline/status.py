"""Which fits exist, which failed and why, and how long the rest will take."""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nbmf.fit_key import FitKey
from nbmf_studies.framework.experiment import origin
from nbmf_studies.pipeline.attempts import FAILED, INTERRUPTED, read_attempt
from nbmf_studies.pipeline.paths import Paths

START_SECONDS = 0.6  # of a job before its fit begins (docs/performance.md)
KILLED = "ended without a message: killed, or out of memory or time"


class FitFiles(NamedTuple):
    """One fit of the configuration: its key (dataset, method, K, ...), its report, the last attempt and the log."""

    key: dict
    report: str
    attempt: str
    log: str


class FitState(NamedTuple):
    """How it stands with one fit.

    state : "done", "failed", "begun" (running, or interrupted), "missing", or "interrupted" at the end of a run
    seconds : float, what a finished fit took; None for others
    reason : str, why a failed fit failed, in a line, or INTERRUPTED of one that was; "" for others
    time : float, when one that has begun or failed did so, in seconds since 1970; None for others
    """

    fit: FitFiles
    state: str
    seconds: float | None = None
    reason: str = ""
    time: float | None = None


def fits_to_show(runs: Mapping[str, Any], studies: Iterable[str], paths: Paths) -> list[FitKey]:
    """Return the fits of some studies, and what else was begun: all fits of another study, or all made on request.

    `runs` are nbmf_studies.pipeline.targets.StudyRun by the keys of their studies.
    """
    looked_at = dict.fromkeys(key for study in studies for key in runs[study].fits())
    usual = set(looked_at)
    for run in runs.values():
        for keys in (run.fits(), run.fits_on_request()):
            own = (key for key in keys if key not in usual)
            if any(os.path.exists(file) for key in own for file in (paths.report(key), paths.attempt(key))):
                looked_at |= dict.fromkeys(keys)
    return list(looked_at)


def files_of(keys: Iterable[FitKey], paths: Paths) -> list[FitFiles]:
    """Return the files of each fit, once."""
    return [
        FitFiles(key.columns(), paths.report(key), paths.attempt(key), paths.log(key)) for key in dict.fromkeys(keys)
    ]


def states_of(fits: Iterable[FitFiles]) -> list[FitState]:
    """Look at the files of each fit; nothing is changed."""
    return [_state_of(fit) for fit in fits]


def _state_of(fit: FitFiles) -> FitState:
    if os.path.exists(fit.report):
        return FitState(fit, "done", _seconds_of(fit.report))
    last = read_attempt(fit.attempt)
    if last is None:
        return FitState(fit, "missing")
    return FitState(fit, "failed" if last.state == FAILED else "begun", reason=last.reason, time=last.seconds)


def _seconds_of(report: str) -> float | None:
    try:
        return float(json.loads(Path(report).read_text(encoding="utf-8"))["seconds"])
    except (ValueError, KeyError, TypeError):
        return None  # the rules that read it will say what is wrong with it


def summary(states: list[FitState], entries: dict[str, int], cores: int, threads: Mapping[str, int] = {}) -> str:
    """Return the text that `make status` prints.

    Parameters
    ----------
    states : list of FitState
    entries : dict
        From dataset to the number of its entries, where known: it scales the time of a method
        from one dataset to another.
    cores : int
        Over which the time left is divided; on a cluster the jobs that run at once.
    threads : dict
        From a method to the threads of its fits, 1 where it is not there.
    """
    groups = defaultdict(list)
    for state in states:
        groups[origin(state.fit.key["dataset"]), state.fit.key["method"]].append(state)
    estimate = _Estimate(states, entries, {method: min(n, cores) for method, n in threads.items()})
    header = ["dataset", "method", "fits", "done", "failed", "begun", "missing", "time left"]
    rows = [[*names, *_counts(group), estimate.time_left(group, cores)] for names, group in groups.items()]
    total = ["all", "", *_counts(states), estimate.time_left(states, cores)]
    lines = _aligned([header, *rows, total])
    unknown = estimate.unknown(states)
    if unknown:
        lines.append(f"{unknown} fits of methods that have no finished fit yet are not estimated.")
    lines += ["", *failures(states)] if failures(states) else []
    return "\n".join(lines)


def failures(states: list[FitState]) -> list[str]:
    """Return a line per failed fit: which, why, and its log."""
    return [
        f"failed: {describe(state.fit.key)}: {state.reason} ({state.fit.log})"
        for state in states
        if state.state == "failed"
    ]


def interruptions(states: list[FitState]) -> list[str]:
    """Return a line per fit that was interrupted."""
    return [f"{INTERRUPTED}: {describe(state.fit.key)}" for state in states if state.state == INTERRUPTED]


def states_at_end(states: list[FitState], start: float) -> list[FitState]:
    """Return how it stands at the end of a run that began at `start` (seconds since 1970).

    What has begun has failed without a word, unless a person interrupted it. What only an earlier run has tried is
    missing.
    """
    return [_state_at_end(state, start) for state in states]


def _state_at_end(state: FitState, start: float) -> FitState:
    if state.state not in ("begun", "failed"):
        return state
    if state.time < start:
        return FitState(state.fit, "missing")
    if state.reason == INTERRUPTED and state.state == "begun":
        return state._replace(state=INTERRUPTED)
    return state._replace(state="failed", reason=state.reason or KILLED)


def describe(key: dict) -> str:
    """Return a key as "beta-dir-gs, K = 100, mask 0, seed 0 of animals"."""
    parts = [key["method"], f"K = {key['K']}"]
    parts += [f"{name} {key[name]}" for name in ("mask", "seed") if name in key]
    return f"{', '.join(parts)} of {key['dataset']}"


class _Estimate:
    """How long fits will take, from those that are done."""

    def __init__(self, states: list[FitState], entries: dict[str, int], threads: Mapping[str, int]):
        self._entries, self._threads = entries, threads
        self._known = defaultdict(list)  # from what a fit is, ever less exactly, to its seconds and their unit
        for state in states:
            if state.seconds is not None:
                for name, scale in self._names(state.fit.key):
                    self._known[name].append((state.seconds, scale))

    def _names(self, key: dict):
        """Yield what to look for, the most exact first, each with the unit of its seconds."""
        dataset, method, K = key["dataset"], key["method"], key["K"]
        yield (dataset, method, K), 1
        yield (dataset, method), 1
        yield (origin(dataset), method), 1
        if dataset in self._entries:
            yield method, self._entries[dataset]

    def _expected_seconds(self, key: dict) -> float | None:
        for name, scale in self._names(key):
            if self._known[name]:
                seconds, scales = map(sum, zip(*self._known[name], strict=True))
                return seconds / scales * scale  # large matrices count most: on small ones loading takes the time
        return None

    def seconds(self, states: list[FitState]) -> float:
        """Return for how long the fits that are not done take a core, those of several threads as many cores."""
        keys = [state.fit.key for state in states if state.state != "done"]
        estimates = [(self._expected_seconds(key), self._threads.get(key["method"], 1)) for key in keys]
        return sum((seconds + START_SECONDS) * threads for seconds, threads in estimates if seconds is not None)

    def time_left(self, states: list[FitState], cores: int) -> str:
        """Return how long fits take, in words: "?" if nothing is known of any, "> " before what is of some."""
        known = _duration(self.seconds(states) / cores)
        unknown, left = self.unknown(states), sum(state.state != "done" for state in states)
        if not unknown:
            return known
        return "?" if unknown == left else f"> {known}"

    def unknown(self, states: list[FitState]) -> int:
        """Return how many fits that are not done have no estimate."""
        return sum(s.state != "done" and self._expected_seconds(s.fit.key) is None for s in states)


def _counts(states: list[FitState]) -> list[str]:
    count = Counter(state.state for state in states)
    return [str(len(states)), *(str(count[s]) for s in ("done", "failed", "begun", "missing"))]


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _aligned(rows: list[list[str]]) -> list[str]:
    """Return a line per row: two columns of text, then numbers."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
