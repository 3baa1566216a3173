"""The convergent Indian buffet process (CIBP) and the two-parameter one (IBP), corrected.

Customers are the rows, dishes the columns of a binary matrix Ξ (p, K+). Customer j takes a dish
that m earlier customers took with probability (m + a) / (j + κ + a), and Poisson(λ_j) new ones:

    CIBP(γ, α, κ)   a = α   λ_j = γ B(α + 1, κ + j) / B(α, κ + 1)
    IBP(ω, κ)       a = 0   λ_j = ωκ / (κ + j), of the first customer as well

Dishes are a Poisson process of probabilities q with the intensity mass c q^{a-1} (1 - q)^κ, where
the mass is γ or ω, and c is 1 / B(α, κ + 1) or κ: every formula below is the same for both. (The
paper gives the IBP's first customer Poisson(ω) dishes, with which rows are not exchangeable.)
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from nbmf.errors import Message, Setting, not_allowed
from nbmf.inference.parameters import is_number

CIBP, IBP = "cibp", "ibp"
PRIORS = (CIBP, IBP)


class BuffetPrior(NamedTuple):
    """A distribution of binary matrices with a random number of columns; `buffet_prior` makes one.

    name : str, "cibp" or "ibp"
    mass : float, γ of the CIBP, ω of the IBP
    alpha : float, α; 0 of the IBP
    kappa : float, κ
    """

    name: str
    mass: float
    alpha: float
    kappa: float

    @property
    def log_c(self) -> float:
        """The logarithm of c, the constant of the intensity."""
        if self.name == IBP:
            return math.log(self.kappa)
        return float(-betaln(self.alpha, self.kappa + 1.0))

    def log_rate(self, customer: int) -> float:
        """Return log λ_j, eq. (1.2): large α and j would make λ_j itself zero."""
        a, kappa = self.alpha, self.kappa
        first = kappa if self.name == IBP else a
        earlier = np.log1p(a / (kappa + np.arange(1, customer))).sum()
        return float(math.log(self.mass) + math.log(first / (a + kappa + customer)) - earlier)

    def features_per_mass(self, p: int) -> float:
        """Return E[K+] per unit of mass after p customers, eq. (2.1): 1 - φ_p, or κ Σ 1/(κ + j)."""
        j = self.kappa + np.arange(1, p + 1)
        if self.name == IBP:
            return float(self.kappa * (1.0 / j).sum())
        return float(-np.expm1(-np.log1p(self.alpha / j).sum()))

    def expected_features(self, p: int) -> float:
        """Return the mean of K+ after p customers; its distribution is Poisson."""
        return self.mass * self.features_per_mass(p)

    @property
    def expected_row_sum(self) -> float:
        """The mean number of dishes of a customer; its distribution is Poisson."""
        first = self.kappa if self.name == IBP else self.alpha
        return self.mass * first / (self.alpha + self.kappa + 1.0)

    def log_weights(self, p: int) -> np.ndarray:
        """Return log c B(a + m, κ + 1 + p - m) of a dish that m customers took, float array (p + 1,).

        Of no taker it is -inf: such a dish is not there.
        """
        m = np.arange(1, p + 1)
        weights = self.log_c + betaln(self.alpha + m, self.kappa + 1.0 + p - m)
        return np.concatenate([[-np.inf], weights])

    def log_odds(self, p: int) -> np.ndarray:
        """Return log((m + a) / (κ + p - m)), the odds of taking a dish that m others took, (p,).

        Of m = 0 it is -inf: such dishes are born and die as a block.
        """
        m = np.arange(1, p)
        return np.concatenate([[-np.inf], np.log((m + self.alpha) / (self.kappa + p - m))])

    def log_density(self, feature_counts: np.ndarray, p: int) -> float:
        """Return the log density of K+ dishes that so many customers took each, (K+,): labelled, no K!."""
        feature_counts = np.asarray(feature_counts, int)
        total = feature_counts.size * math.log(self.mass) - self.expected_features(p)
        return float(total + self.log_weights(p)[feature_counts].sum())

    def draw(self, p: int, rng: np.random.Generator) -> np.ndarray:
        """Draw Ξ customer by customer, eqs. (1.1)-(1.2): int8 array (p, K+), left-ordered."""
        rows, feature_counts = [], np.zeros(0, int)
        for j in range(1, p + 1):
            chance = (feature_counts + self.alpha) / (j + self.kappa + self.alpha)
            known = rng.random(feature_counts.size) < chance
            new = rng.poisson(math.exp(self.log_rate(j)))
            rows.append(np.concatenate([known, np.ones(new, bool)]))
            feature_counts = np.concatenate([feature_counts, np.zeros(new, int)]) + rows[-1]
        Xi = np.zeros((p, feature_counts.size), np.int8)
        for j, row in enumerate(rows):
            Xi[j, : row.size] = row
        return Xi[:, left_order(Xi)]


def buffet_prior(name: str, mass: float, alpha: float, kappa: float) -> BuffetPrior:
    """Return CIBP(mass, alpha, kappa) or, with alpha = 0, IBP(mass, kappa).

    Raises
    ------
    ConfigError
        If there is no such prior; the message says which one was meant.
    """
    if name not in PRIORS:
        raise not_allowed("prior", name, "'cibp' or 'ibp'")
    for parameter, value in (("mass", mass), ("alpha", alpha), ("kappa", kappa)):
        if not (is_number(value) and 0 <= value < math.inf):
            raise not_allowed(parameter, value, "a number of at least 0")
    if mass == 0:
        raise not_allowed("mass", 0, "a number above 0: with 0 nobody takes a dish")
    if name == CIBP and alpha == 0:
        allowed = Message(
            "a number above 0, so that θ ~ Beta(α, κ + 1) is a distribution; if the limit α -> 0 was meant, "
            "with γα/κ -> ω, that is ",
            Setting("prior", IBP),
        )
        raise not_allowed("alpha", 0, allowed)
    if name == IBP and alpha != 0:
        raise not_allowed("alpha", alpha, Message("0, as the IBP has none, or ", Setting("prior", CIBP)))
    if name == IBP and kappa == 0:
        allowed = Message(
            "a number above 0: IBP(ω, κ) with λ_j = ωκ / (κ + j) would never make a dish; if the one-parameter buffet "
            "was meant, with λ_j = mass / j, that is the limit κ -> 0 with ωκ fixed; a concentration c of other texts "
            "is κ + 1; and ",
            Setting("prior", CIBP),
            " allows ",
            Setting("kappa", 0),
        )
        raise not_allowed("kappa", 0, allowed)
    return BuffetPrior(name, float(mass), float(alpha), float(kappa))


def left_order(Xi: np.ndarray) -> np.ndarray:
    """Return the order of columns in which those that an early row takes come first, (K,)."""
    return np.lexsort(-np.asarray(Xi, np.int8)[::-1]) if Xi.shape[1] else np.zeros(0, int)
