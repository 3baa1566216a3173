"""Positions that move, with draws of them: what bands are made of."""

from nbmf.families.logistic.dynamic_ordinal_factor_gibbs import DynamicOrdinalFactorGibbs
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import at_least
from nbmf.posterior.draws import Draws
from nbmf.posterior.observer import Observer
from nbmf.posterior.store import DrawStore, kept_sweeps

MEMORY = 1.0  # GB, of the draws


@with_parameters
class DrawnPaths(DynamicOrdinalFactorGibbs):
    """DynamicOrdinalFactorGibbs that keeps draws of its factors, in its checkpoints too.

    Parameters
    ----------
    n_draws : int
        How many, at most n_samples.

    The other parameters are those of DynamicOrdinalFactorGibbs.

    Attributes
    ----------
    draws_ : Draws
    """

    rules = DynamicOrdinalFactorGibbs.rules | {"n_draws": at_least(1)}

    n_draws: int = 200

    def _run(self, V, monitor):
        store = DrawStore(self, MEMORY)
        observer = Observer([(kept_sweeps(self, self.n_draws), store.draw)], monitor, [store])
        rule = super()._run(V, observer)
        observer.finish()
        self.draws_ = Draws(self, store.factors)
        return rule
