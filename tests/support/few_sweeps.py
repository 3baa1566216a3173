"""Less of the sampler that `nbmf fit` tries on small matrices, for tests of what else it does."""

from nbmf.catalogue import METHODS

SAMPLER = "logistic-gs-learned-effects"


def take_few_sweeps(monkeypatch):
    """Make the sampler quick; it still takes part in every test of structure."""
    few = METHODS[SAMPLER]["settings"] | {"burn_in": 20, "n_samples": 40}
    monkeypatch.setitem(METHODS[SAMPLER], "settings", few)
