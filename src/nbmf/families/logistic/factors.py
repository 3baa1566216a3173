"""Factors and effects in log-odds: ψ = row effects + column effects + W H, and its one best form.

ψ does not distinguish (W, H) from (W R, R⁻¹ H), nor an effect from a factor that all rows and columns share. What is
reported has the form that `canonical` gives.
"""

from typing import NamedTuple

import numpy as np

from nbmf.inference.state import Factors

ROWS, COLUMNS = "row effects", "column effects"  # the names of effects among the factors
INTERCEPT = "intercept"  # and what else is learned of effects
ROW_VARIANCE, COLUMN_VARIANCE = "row effect variance", "column effect variance"
GROUP_MEANS, GROUP_EFFECTS = "group means", "group effects"  # of groups of rows: (G, K) and (G,)
GROUP_VARIANCE = "group effect variance"
BETWEEN_GROUPS = "share between groups"  # of the variance that positions have
SIZES = "sizes"  # of the columns of counts, there too
CUTS = "cut points"  # of categories
NOISE = "noise variance"
PATHS, PERIODS = "paths", "periods of columns"  # of rows that move, see moving_rows
PRUNED = 1e-5  # root mean square of W H, below which nothing is left of it
EFFECT_SCALE = 10.0  # the standard deviation of an effect a priori, in units of ψ, unless it is learned
LEARNED = "learned"


class Effects(NamedTuple):
    """Which rows or columns have effects of their own."""

    rows: bool
    columns: bool

    @classmethod
    def named(cls, effects: str) -> "Effects":
        """Return those of the parameter `effects`: "none", "rows", "columns" or "both"."""
        return cls(effects in ("rows", "both"), effects in ("columns", "both"))


def psi_of(factors: Factors, rows=slice(None), columns=slice(None)) -> np.ndarray:
    """Return ψ of some rows and columns, float array (rows, columns)."""
    psi = _product(factors, rows, columns)
    if ROWS in factors.others:
        psi += factors.others[ROWS][rows][:, None]
    if COLUMNS in factors.others:
        psi += factors.others[COLUMNS][columns]
    return psi


def _product(factors: Factors, rows, columns) -> np.ndarray:
    """Return W H of some rows and columns, of rows that move W of each column's period."""
    if PATHS not in factors.others:
        return factors.W[rows] @ factors.H[:, columns]
    paths, H = factors.others[PATHS][rows], factors.H[:, columns]
    periods = factors.others[PERIODS][columns]
    product = np.empty((len(paths), H.shape[1]), np.result_type(paths, H))
    for t in np.unique(periods):
        here = periods == t
        product[:, here] = paths[:, t] @ H[:, here]
    return product


def psi_at(factors: Factors, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return ψ of single entries, float array (n,)."""
    others = factors.others
    W = others[PATHS][rows, others[PERIODS][columns]] if PATHS in others else factors.W[rows]
    psi = np.einsum("ek,ke->e", W, factors.H[:, columns])
    if ROWS in others:
        psi += others[ROWS][rows]
    if COLUMNS in others:
        psi += others[COLUMNS][columns]
    return psi


def centred(factors: Factors) -> Factors:
    """Return the same ψ with all that effects can express moved into them.

    With column effects the columns of W have mean 0: the effect of a column is the log-odds of an
    average row. With row effects the rows of H have mean 0. With both, row effects have mean 0, and
    the intercept, around which column effects vary, is that of an average row too. Means of groups
    follow: they are those of the positions and effects that rows then have.
    """
    W, H, others = factors.W, factors.H, dict(factors.others)
    if COLUMNS in others:
        mean = W.mean(axis=0)
        W, others[COLUMNS] = W - mean, others[COLUMNS] + mean @ H
        if GROUP_MEANS in others:
            others[GROUP_MEANS] = others[GROUP_MEANS] - mean
    if ROWS in others:
        mean = H.mean(axis=1)
        H, others[ROWS] = H - mean[:, None], others[ROWS] + W @ mean
        if GROUP_MEANS in others:
            others[GROUP_EFFECTS] = others[GROUP_EFFECTS] + others[GROUP_MEANS] @ mean
    if {ROWS, COLUMNS} <= others.keys():
        mean = others[ROWS].mean()
        others |= {ROWS: others[ROWS] - mean, COLUMNS: others[COLUMNS] + mean}
        if GROUP_EFFECTS in others:
            others[GROUP_EFFECTS] = others[GROUP_EFFECTS] - mean
        if INTERCEPT in others:
            others[INTERCEPT] = others[INTERCEPT] + mean
    return Factors(W, H, others)


def slopes_of_row_effects(W: np.ndarray, effects: np.ndarray, variance: float) -> np.ndarray:
    """Return by how much the effect of a row rises with its positions, float array (K,).

    A priori effects do not depend on positions. Those of the form that is reported do: `centred` moves W h̄ into them,
    where h̄ are the means of the rows of H, which are large where all columns rise with an axis. It is what a
    regression of the effects on W finds, shrunk (James and Stein 1961) as residuals of the learned variance say.

    Parameters
    ----------
    W : float array (F, K)
    effects : float array (F,)
        Of the rows, from their mean a priori.
    variance : float
        The learned variance of effects given positions.
    """
    slopes, _, rank, _ = np.linalg.lstsq(W, effects, rcond=None)
    explained = np.square(W @ slopes).sum()
    return slopes * max(0.0, 1.0 - rank * variance / explained) if explained > 0 else np.zeros(len(slopes))


def canonical(factors: Factors) -> Factors:
    """Return the same ψ, centred, with orthogonal components by decreasing size.

    The columns of W are orthogonal with mean square 1, as their prior has it; the rows of H are
    orthogonal, and the entry of largest magnitude in each is positive. Where W H has a rank below
    K, the rows of H that are left are 0.
    """
    factors = centred(factors)
    F, K = factors.W.shape
    if K == 0:
        return factors
    # W H = Q (R S') P' by two small decompositions, of the rank that there can be at most.
    Q, R = np.linalg.qr(factors.W)
    P, S = np.linalg.qr(factors.H.T)
    left, sizes, right = np.linalg.svd(R @ S.T)
    rank = sizes.size
    W, H = np.zeros((F, K)), np.zeros((K, factors.H.shape[1]))
    W[:, :rank] = np.sqrt(F) * (Q @ left)[:, :rank]
    H[:rank] = (sizes[:, None] * (P @ right.T).T[:rank]) / np.sqrt(F)
    signs = np.sign(H[np.arange(K), np.abs(H).argmax(axis=1)])
    signs[signs == 0] = 1.0
    W, H, others = W * signs, H * signs[:, None], dict(factors.others)
    if GROUP_MEANS in others:
        others[GROUP_MEANS] = others[GROUP_MEANS] @ _coordinates(factors.H, H)
    return Factors(W, H, others)


def _coordinates(H: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return T (K, K) for which T times the axes is H, as far as these span it: orthogonal rows, or of zeros."""
    squares = (axes**2).sum(axis=1)
    return np.divide(H @ axes.T, squares, out=np.zeros((len(H), len(axes))), where=squares > 0)


def best_of_rank(psi: np.ndarray, K: int, effects: Effects) -> Factors:
    """Return the canonical factors of rank K and effects next to ψ, float array (F, N).

    Effects are the means of rows and columns of ψ (of the columns of a model that has those
    alone); the rest is cut to its K largest singular values.
    """
    others, rest = {}, psi
    if effects.columns:
        others[COLUMNS] = rest.mean(axis=0)
        rest = rest - others[COLUMNS]
    if effects.rows:
        others[ROWS] = rest.mean(axis=1)
        rest = rest - others[ROWS][:, None]
    W, H = np.zeros((psi.shape[0], K)), np.zeros((K, psi.shape[1]))
    if K:
        left, sizes, right = np.linalg.svd(rest, full_matrices=False)
        rank = min(K, sizes.size)
        W[:, :rank], H[:rank] = left[:, :rank] * sizes[:rank], right[:rank]
    return canonical(Factors(W, H, others))


def shares(factors: Factors) -> np.ndarray:
    """Return the squared singular values of W H, centred, over their sum, decreasing, (K,).

    They do not depend on how W and H are rotated; of `canonical` factors they are the sums of
    squares of the rows of H. All are 0 if W H is, but for what is left of pruned components.
    """
    factors = centred(factors)
    K = factors.W.shape[1]
    squares = np.zeros(K)
    if K:
        sizes = np.linalg.svd(np.linalg.qr(factors.W, mode="r") @ factors.H, compute_uv=False)
        squares[: sizes.size] = sizes**2
    total, entries = squares.sum(), len(factors.W) * factors.H.shape[1]
    return squares / total if total > PRUNED**2 * entries else np.zeros(K)
