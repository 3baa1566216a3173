"""Fits of one engine to the matrices of one set-up, with errors along their CPU time."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from nbmf.likelihoods.bernoulli import perplexity
from nbmf.registry import is_sampler, length_settings, make_estimator
from nbmf.seeds import seed_sequence
from nbmf_studies.klami2015.simulation import Drawn, SetUp, draw, draw_patterns

POINTS = 40  # of a trace, evenly spread on a logarithmic axis
PRESENT = 0.01  # mean v² of a factor that has not been pruned
EXTREME = 0.05  # probabilities below it, and above 1 - it
WARM_UP = 40  # rows of the matrix that an engine is compiled on


class Watch:
    """A monitor: CPU seconds of the fit alone, and what `look` says, at points of a schedule.

    Parameters
    ----------
    iterations : int
        Of the fit.
    look : function of the state
        Returns a dict, a row of the trace; its time is not counted.
    """

    def __init__(self, iterations: int, look: Callable[[Any], dict[str, float]]):
        points = np.geomspace(1, iterations, min(POINTS, iterations))
        self._points = np.unique(points.round().astype(int))
        self._look, self.rows = look, []
        self._spent, self._since = 0.0, time.process_time()

    def resume(self, state) -> int:
        """Begin at the beginning."""
        return 0

    def next_after(self, iteration: int) -> float:
        """Return the next point."""
        later = self._points[self._points > iteration]
        return later[0] if later.size else np.inf

    def __call__(self, iteration: int, total: int, state) -> None:
        """Write down a row."""
        self._spent += time.process_time() - self._since
        self.rows.append({"iteration": iteration, "seconds": self._spent, **self._look(state)})
        self._since = time.process_time()


def engine(class_name: str, K: int, settings: dict, iterations: int, left_out: int, seed):
    """Return an estimator that does so many iterations, of a sampler `left_out` before averages."""
    before = min(left_out, iterations // 2) if is_sampler(class_name) else 0
    lengths = length_settings(class_name, before, iterations - before)
    return make_estimator(class_name, K, settings | lengths, seed)


def watched(make: Callable[[int], Any], X: np.ndarray, iterations: int, look) -> list[dict]:
    """Fit what `make` returns for a number of iterations; return the rows of the trace.

    A short fit goes before, so that no compilation is in the time.
    """
    make(2).fit(X[:WARM_UP])
    watch = Watch(iterations, look)
    make(iterations).fit(X, monitor=watch)
    return watch.rows


def trace(
    set_up: str,
    setup: list,
    method: str,
    engine_of: list,
    iterations: int,
    left_out: int,
    seeds: list[int],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Fit one engine to the matrices of one set-up.

    Parameters
    ----------
    set_up, method : str
        What they are called.
    setup : list
        The values of a SetUp.
    engine_of : list
        Class, K and settings.
    iterations : int
    left_out : int
        Sweeps of a sampler that its averages leave out.
    seeds : list of int
        A matrix each; an engine's random numbers are those of all engines on that matrix.
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        A row per seed and point of the trace: set_up, method, seed, iteration, seconds (CPU), and
        what `errors_of` finds.
    """
    setup, (class_name, K, settings), rows = SetUp(*setup), engine_of, []
    for seed in seeds:
        drawn = draw(setup, seed)
        stream = seed_sequence("klami2015", "fit", *setup.key(seed))

        def make(steps, stream=stream):
            return engine(class_name, K, settings, steps, left_out, stream)

        found = watched(make, drawn.X, iterations, errors_of(drawn, setup.law))
        rows += [{"set_up": set_up, "method": method, "seed": seed, **row} for row in found]
        last = found[-1]
        log(f"{set_up}, {method}, seed {seed}: {last['error']:.4f}, {last['seconds']:.2f} s")
    return pd.DataFrame(rows)


def errors_of(drawn: Drawn, law: str) -> Callable[[Any], dict[str, float]]:
    """Return a function of a state: how far it is from the truth.

    error : mean of |E x - its true value|, E x being cut to what the law allows
    extreme_error, high_error : the same where the true probability is below .05 or above .95, and
        above .95
    log_likelihood : mean of log p(x) under E x, in nats per entry, of binary data
    factors : how many have a mean v² above 0.01
    """
    top = 1.0 if law == "bernoulli" else np.inf
    high = drawn.mean > 1 - EXTREME
    extreme, every = high | (drawn.mean < EXTREME), np.ones(drawn.X.shape, bool)

    def look(state) -> dict[str, float]:
        mean = np.clip(state.expectation(), 0.0, top)
        away = np.abs(mean - drawn.mean)
        row = {"error": away.mean()}
        if law == "bernoulli":
            row["extreme_error"] = away[extreme].mean() if extreme.any() else np.nan
            row["high_error"] = away[high].mean() if high.any() else np.nan
            row["log_likelihood"] = -perplexity(drawn.X, mean, every)
        squares = (state.factors().H ** 2).mean(axis=1)
        return row | {"factors": int(np.count_nonzero(squares > PRESENT))}

    return look


def patterns(
    prototypes: int, iterations: int, seeds: list[int], engines: dict[str, list], log: Callable[[str], None] = print
) -> pd.DataFrame:
    """Fit every engine to repeated patterns with flipped bits (section 6.1).

    Parameters
    ----------
    prototypes : int
    iterations : int
    seeds : list of int
        A matrix each.
    engines : dict
        Name to class, K and settings.
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        A row per method, seed and iteration: seconds (CPU), and `wrong`, the share of entries in
        which E x is on the other side of 1/2 than the clean pattern. `flipped` is that of the data.
    """
    rows = []
    for seed in seeds:
        drawn = draw_patterns(prototypes, seed)
        flipped = float((drawn.mean != drawn.X).mean())
        stream = seed_sequence("klami2015", "fit", "patterns", prototypes, seed)
        for method, (class_name, K, settings) in engines.items():

            def make(steps, of=(class_name, K, settings), stream=stream):
                return engine(*of, steps, 0, stream)

            def look(state, truth=drawn.mean):
                return {"wrong": float(((state.expectation() > 0.5) != truth).mean())}

            found = watched(make, drawn.X, iterations, look)
            key = {"method": method, "seed": seed, "flipped": flipped}
            rows += [{**key, **row} for row in found]
            log(f"patterns, {method}, seed {seed}: {found[-1]['wrong']:.4f} of {flipped:.4f}")
    return pd.DataFrame(rows)


def ends(traces: pd.DataFrame) -> pd.DataFrame:
    """Return the last row of every fit."""
    fits = traces.groupby(["set_up", "method", "seed"], sort=False)
    return traces.loc[fits["iteration"].idxmax()]
