"""The methods that are stacked: few, different from each other, and as many as a budget of visits allows."""

from collections.abc import Iterable, Mapping

from nbmf.inference.component_search import GRID
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import AUTO

# The cheap ones first: of a matrix that is too large for all of them the last are left out.
MEMBERS = (
    "logistic-vb-columns",
    "bernoulli-poisson-vb",
    "logistic-vb",
    "logistic-map",
    "indian-buffet",
    "beta-dir-vb-learned",
    "logistic-gs-learned-effects",
    "beta-dir-gs-learned",
)
MEAN_CHANGE, GAIN = 1e-4, 1e-5  # tolerances of Beta-Dir VB, and of the others that climb


def make_members(names: Iterable[str], K: int, max_iter: int) -> dict[str, Factorization]:
    """Return some of MEMBERS, not fitted, under their names in the catalogue of methods.

    Parameters
    ----------
    names : iterable of str
        Of MEMBERS.
    K : int
        Components of the members that do not find them: of logistic VB and GS, and of Bernoulli-Poisson.
    max_iter : int
        Iterations or sweeps at most; half of the sweeps are burn-in. Of logistic-map, whose iterations are steps of
        Newton's method, a quarter.
    """
    # Named here, so that a fit of the workflow knows which files it depends on; loaded where they are used.
    from nbmf.families.beta_dirichlet.beta_dir_gibbs import BetaDirGibbs
    from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB
    from nbmf.families.buffet.buffet_logistic import IndianBuffetLogistic
    from nbmf.families.logistic.logistic_factor_gibbs import LogisticFactorGibbs
    from nbmf.families.logistic.logistic_factor_map import LogisticFactorMAP
    from nbmf.families.logistic.logistic_factor_vb import LogisticFactorVB
    from nbmf.families.poisson_gamma.bernoulli_poisson import BernoulliPoissonVB

    learned = {"alpha": "learn-columns", "beta": "learn-columns", "gamma": "1/K", "orientation": "auto"}
    logistic = {"ard": False, "max_iter": max_iter, "bound_gain_tol": GAIN}
    effects = {"effects": "both", "effect_scale": "learned", "ard": True}
    sweeps = {"burn_in": max_iter // 2, "n_samples": max_iter - max_iter // 2}
    made = {
        "logistic-vb-columns": lambda: LogisticFactorVB(K, effects="columns", **logistic),
        "bernoulli-poisson-vb": lambda: BernoulliPoissonVB(K, max_iter=max_iter, relative_gain_tol=GAIN),
        "logistic-vb": lambda: LogisticFactorVB(K, effects="none", **logistic),
        "logistic-map": lambda: LogisticFactorMAP(max_iter=max(1, max_iter // 4)),
        "indian-buffet": lambda: IndianBuffetLogistic(prior="cibp", start="dense", **sweeps),
        "beta-dir-vb-learned": lambda: BetaDirVB(100, **learned, max_iter=max_iter, mean_change_tol=MEAN_CHANGE),
        "logistic-gs-learned-effects": lambda: LogisticFactorGibbs(K, **effects, **sweeps),
        "beta-dir-gs-learned": lambda: BetaDirGibbs(100, **learned, **sweeps),
    }
    return {name: made[name]() for name in names}


def visits(estimator: Factorization, n_observed: int) -> float:
    """Return how often a fit visits an entry and a component at most: entries x updates x components.

    It is a budget's measure of time that depends on no clock, without the fits with which a method finds its K or its
    penalty: logistic-map visits some six times as many on a small matrix, fewer where components fade.
    """
    K = max(GRID) if estimator.n_components == AUTO else estimator.n_components
    return float(n_observed) * estimator.n_iterations * K


def members_within_budget(
    members: Mapping[str, Factorization], n_observed: int, fits: int, max_visits: float
) -> dict[str, Factorization]:
    """Return the members, in their order, of which so many fits each stay within the budget together.

    One that would exceed what is left of it is passed over.
    """
    taken, left = {}, max_visits
    for name, member in members.items():
        needed = fits * visits(member, n_observed)
        if needed <= left:
            taken[name] = member
            left -= needed
    return taken
