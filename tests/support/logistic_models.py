"""Small matrices and ascents of the logistic family, for its tests."""

import numpy as np

from nbmf.families.logistic import logistic_gibbs as family
from nbmf.families.logistic.factor_posteriors import FactorizedPosterior, FullPosterior
from nbmf.families.logistic.factors import EFFECT_SCALE, Effects
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.group_means import GroupMeans
from nbmf.families.logistic.kernels import gibbs as kernels
from nbmf.families.logistic.learned_prior import Coordinates
from nbmf.families.logistic.logistic_factor_vb import LogisticFactorVB
from nbmf.families.logistic.logistic_variational import clamped_places
from nbmf.families.logistic.matrices import Ascent, Matrix, SharedLevel
from nbmf.families.logistic.quadratic import Bohning, ExplicitNoise, NormalEntries, PolyaGamma
from nbmf.families.logistic.quadratic_counts import NegativeBinomial, SoftplusPoisson
from nbmf.families.logistic.row_groups import RowGroups

WEAK, SIZES = Gamma(0.5, 0.5), Gamma(1.0, 1.0)
KINDS = {"factorized": FactorizedPosterior, "full": FullPosterior}


def small_data(F=9, N=7, seed=0, p_missing=0.2, scale=1.0):
    """Return binary, count and real matrices of the same log-odds, with missing entries."""
    rng = np.random.default_rng(seed)
    psi = scale * rng.normal(size=(F, 2)) @ rng.normal(size=(2, N))
    missing = rng.random((F, N)) < p_missing
    return {
        "binary": np.where(missing, -1, rng.random((F, N)) < 1 / (1 + np.exp(-psi))).astype(np.int8),
        "counts": np.where(missing, -1, rng.poisson(np.exp(np.minimum(psi, 3)))).astype(np.int32),
        "real": np.where(missing, np.nan, psi + 0.3 * rng.normal(size=(F, N))),
    }


DATA = small_data()

LIKELIHOODS = {
    "polya-gamma": lambda data: PolyaGamma(data["binary"]),
    "bohning": lambda data: Bohning(data["binary"]),
    "noise": lambda data: ExplicitNoise(PolyaGamma(data["binary"]), WEAK),
    "negative binomial": lambda data: NegativeBinomial(data["counts"], SIZES),
    "its noise": lambda data: ExplicitNoise(NegativeBinomial(data["counts"], SIZES), WEAK),
    "softplus": lambda data: SoftplusPoisson(data["counts"]),
    "normal": lambda data: NormalEntries(data["real"], WEAK),
}


GROUPS = ("a", "b", "", "a", "b", "b", "", "c", "a")  # of the rows of small_data


def sides(kind, shape, K, effects="none", ard=True, seed=0, learns_effects=False, groups=None):
    """Return random q of rows and of columns, of rows in groups if these are labels."""
    model = LogisticFactorVB(K, effects=effects, ard=ard, a0=WEAK.shape, b0=WEAK.rate, effect_scale="learned")
    rng, effects = np.random.default_rng(seed), Effects.named(effects)
    R = K + effects.rows + effects.columns
    precision = np.r_[np.ones(K), np.full(R - K, 1 / EFFECT_SCALE**2)]
    found = []
    places = (0, K if ard else 0), clamped_places(K, effects), (True, False)
    for n, learned, clamped, are_rows in zip(shape, *places, strict=True):
        mean = rng.normal(size=(n, R))
        mean[:, clamped] = 1.0
        free = np.ones(R, bool)
        free[clamped] = False
        own = Coordinates(precision, free, np.arange(learned), WEAK)
        if learns_effects:
            own = model._coordinates(are_rows)
        found.append(KINDS[kind](mean, own, 0.5))
    if groups is not None:
        level = GroupMeans(RowGroups.of(np.array(groups)), np.arange(K + effects.rows), R)
        level.mean[:, level.coordinates] = rng.normal(size=(len(level.mean), level.coordinates.size))
        level.variance[:, level.coordinates] = rng.gamma(2.0, 0.1, (len(level.mean), level.coordinates.size))
        found[0].groups = level
    return found


def ascent(kind, quadratic, K=3, effects="none", ard=True, seed=0, step=0.0, learns_effects=False, groups=None):
    rows, columns = sides(kind, quadratic.seen.shape, K, effects, ard, seed, learns_effects, groups)
    has_level = learns_effects and effects == "both"
    levels = [SharedLevel(rows, columns, K, K + 1).move] if has_level else []
    if groups is not None and learns_effects and effects in ("rows", "both"):
        levels.append(lambda: rows.groups.pass_level(rows, columns, K, K + 1 if effects == "both" else None))
    return Ascent([Matrix(quadratic, rows, columns)], step, levels)


def assert_no_block_lowers(blocks, bound, rounds, gain):
    """Update each block of an ascent in turn: its bound never falls, and rises by more than `gain` in all."""
    before = start = bound()
    for _ in range(rounds):
        for block in blocks():
            block()
            now = bound()
            assert now >= before - 1e-9 * abs(before)
            before = now
    assert before > start + gain


class Twin:
    """A sweep with given weights, normal numbers and gamma numbers, cells and lines in order.

    Effects are factors: u = 1 where the other side has the effect, with nothing to draw. Those of rows and of columns
    have the means and the variances `priors` a priori. Rows with groups vary around `row_centers`, (F, K and 1 for the
    effect), besides.
    """

    def __init__(
        self, seen, U, V, row_effects, column_effects, effects, alpha, priors=((0, 100), (0, 100)), row_centers=0.0
    ):
        self.priors, self.row_centers = priors, row_centers
        self.seen, self.K, self.alpha = seen, U.shape[1], alpha
        self.U, self.V = U.copy(), V.copy()
        self.own_U, self.own_V = list(range(self.K)), list(range(self.K))
        if effects.rows:
            self.own_U.append(self.U.shape[1])
            self.U = np.column_stack([self.U, row_effects])
            self.V = np.column_stack([self.V, np.ones(len(self.V))])
        if effects.columns:
            self.own_V.append(self.U.shape[1])
            self.U = np.column_stack([self.U, np.ones(len(self.U))])
            self.V = np.column_stack([self.V, column_effects])

    def psi(self):
        """Return ψ of the observed cells."""
        return np.array([self.U[f] @ self.V[n] for f, n in np.argwhere(self.seen)])

    def sweep(self, kappa, omegas, normals):
        """Return ψ of the observed cells before the sweep, and go on, α as it is."""
        observed, psi = np.argwhere(self.seen), self.psi()
        omega = np.zeros(self.seen.shape)
        for f, n in observed:
            omega[f, n] = next(omegas)
        kappa = np.where(self.seen, kappa, 0.0)
        ones = np.ones(self.K)
        around = np.zeros((len(self.U), len(self.own_U))) + self.row_centers
        self._lines(self.U, self.V, self.own_U, ones, self.priors[0], omega, kappa, normals, around)
        self._lines(self.V, self.U, self.own_V, self.alpha, self.priors[1], omega.T, kappa.T, normals)
        return psi

    def _lines(self, lines, others, own, precision, of_effect, omega, kappa, normals, around=None):
        clamped = [r for r in range(lines.shape[1]) if r not in own]
        mean, variance = of_effect
        prior = np.array([*precision, *[1 / variance] * (len(own) - self.K)])
        center = np.array([*[0.0] * self.K, *[mean] * (len(own) - self.K)])
        for i in range(len(lines)):
            x, rest = others[:, own], others[:, clamped] @ lines[i, clamped]
            P = np.diag(prior) + x.T @ np.diag(omega[i]) @ x
            b = prior * (center if around is None else center + around[i]) + x.T @ (kappa[i] - omega[i] * rest)
            epsilon = np.array([next(normals) for _ in own])[::-1]
            lines[i, own] = np.linalg.solve(P, b) + np.linalg.solve(np.linalg.cholesky(P).T, epsilon)


def scripted(monkeypatch):
    """Let kernels run uncompiled on given random numbers; return where b and ψ are recorded."""
    seen = []
    rng = np.random.default_rng(3)
    omegas, normals = rng.gamma(1.0, 0.3, 10_000), rng.standard_normal(10_000)

    def polya_gamma(generator, b, z):
        seen.append((b, z))
        return next(given[0])

    given = [iter(omegas), iter(normals)]
    for name in (
        "add_cells",
        "draw_normal",
        "pack_products",
        "_dot",
        "_draw_weights",
        "_add_four",
        "_update_block",
        "_collect",
    ):
        monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    monkeypatch.setattr(kernels, "update_rows_serial", kernels.update_rows)
    monkeypatch.setattr(kernels, "polya_gamma", polya_gamma)
    monkeypatch.setattr(kernels, "standard_normal", lambda generator: next(given[1]))
    monkeypatch.setattr(family, "draw_relevance", lambda *arguments: None)
    return seen, iter(omegas), iter(normals)


def assert_goes_on(one, other):
    """Let `other` take over the snapshot of `one` after six sweeps: four sweeps later, both have the same bits."""
    one.advance(6)
    other.restore({name: array.copy() for name, array in one.snapshot().items()})
    for state in (one, other):
        state.advance(4)
    for name, array in one.snapshot().items():
        np.testing.assert_array_equal(array, other.snapshot()[name], err_msg=name)
