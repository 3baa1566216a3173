"""Figure 3: what is known of log p(X) for each number of sources, by bound, Chib and annealing."""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from nbmf.errors import NotConvergedWarning
from nbmf.families.poisson_gamma import evidence
from nbmf.families.poisson_gamma.evidence import Evidence
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaGibbs, PoissonGammaVB
from nbmf.seeds import seed_sequence
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB
from nbmf_studies.cemgil2009.simulation import Truth, draw

TIES = ("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H")


def estimates(
    seed: int,
    truth: list,
    orders: list[int],
    bound: dict[str, Any],
    chib: dict[str, Any],
    annealing: dict[str, int],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Estimate the evidence of one matrix for every order.

    Parameters
    ----------
    seed : int
        Of the matrix.
    truth : list
        The values of a Truth, whose priors the models have too.
    orders : list of int
    bound : dict
        `starts`, `max_iter` and `relative_gain_tol` of the variational fits.
    chib : dict
        `runs` and their `sweeps`, as nbmf.families.poisson_gamma.evidence.chib takes them.
    annealing : dict
        `temperatures` and `chains`.
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        A row per order, kind and run: seed, order, kind, run, value and error in nats,
        effective_size (see nbmf.families.poisson_gamma.evidence.Evidence), seconds (CPU). The
        adapted bound is that with all four numbers of the priors learned, each shared by a factor.
    """
    truth, rows = Truth(*truth), []
    X = draw(truth, seed)
    for K in orders:
        for kind, run, estimate in _estimates(X, truth, K, seed, bound, chib, annealing):
            started = time.process_time()
            found: Evidence = estimate()
            key = {"seed": seed, "order": K, "kind": kind, "run": run}
            values = {name: getattr(found, name) for name in ("value", "error", "effective_size")}
            rows.append({**key, **values, "seconds": time.process_time() - started})
        log(f"matrix {seed}, order {K}: bound {rows[-1]['value']:.1f}")
    return pd.DataFrame(rows)


def _estimates(X, truth, K, seed, bound, chib, annealing) -> Iterator[tuple]:
    """Yield kind, run and the function that estimates it; the bound comes last."""
    fixed = dict.fromkeys(TIES, "fixed")

    def stream(*key):
        return seed_sequence("cemgil2009", "evidence", seed, K, *key)

    def chain(*key):
        return PoissonGammaGibbs(K, **truth.priors, **fixed, random_state=stream(*key))

    for run in range(chib["runs"]):
        yield CHIB, run, lambda run=run: evidence.chib(chain(CHIB, run), X, **chib["sweeps"])
    yield ANNEALED, 0, lambda: evidence.annealed(chain(ANNEALED), X, **annealing)
    for kind, ties in ((ADAPTED, dict.fromkeys(TIES, "all")), (BOUND, fixed)):
        yield kind, 0, lambda kind=kind, ties=ties: _bound(X, truth, K, ties, stream(kind), bound)


def _bound(X, truth, K, ties, stream, bound) -> Evidence:
    lengths = {name: bound[name] for name in ("max_iter", "relative_gain_tol")}
    model = PoissonGammaVB(K, **truth.priors, **ties, **lengths, random_state=stream)
    with warnings.catch_warnings():  # the paper stops there too: any iterate has a valid bound
        warnings.simplefilter("ignore", NotConvergedWarning)
        return evidence.bound(model, X, starts=bound["starts"])
