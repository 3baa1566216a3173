"""Matrices without structure, and what a fit with learned priors makes of them.

    python tests/support/structureless.py [vb|gibbs]

prints, for three shapes, three kinds of shares and two orientations, the weight outside the
heaviest group of near-identical components, and the held-out loss over that of the shares.
"""

import sys

import numpy as np

import nbmf

SHAPES = ((18, 14), (435, 16), (4000, 27))
KINDS = ("equal", "row-wise", "column-wise")
HELD_OUT = 0.25  # of the entries
NEAR = 0.05  # root mean square difference of the probabilities of near-identical components
PSEUDO_OBSERVATIONS = 2.0  # with which shares of lines are shrunk to the common one
METHODS = {"vb": (nbmf.BetaDirVB, {}), "gibbs": (nbmf.BetaDirGibbs, {"burn_in": 300, "n_samples": 300})}


def drawn(shape, kind, rng):
    """Draw V (F, N, int8): every entry has the share of its row, of its column, or one of all."""
    F, N = shape
    of = {"equal": (1, 1), "row-wise": (F, 1), "column-wise": (1, N)}[kind]
    shares = np.full(of, 0.3) if kind == "equal" else rng.uniform(0.1, 0.9, of)
    return (rng.random(shape) < shares).astype(np.int8)


def loss_of(mean, V, held_out):
    """Return the mean loss of held-out entries, in nats."""
    return -np.log(np.where(V == 1, mean, 1 - mean)[held_out]).mean()


def shares_of_lines(V, held_out, axis):
    """Return the shares of columns (axis 0) or rows (1) in the training entries, as a matrix."""
    training = ~held_out
    common = V[training].mean()
    ones = (V * training).sum(axis=axis, keepdims=True) + PSEUDO_OBSERVATIONS * common
    shares = ones / (training.sum(axis=axis, keepdims=True) + PSEUDO_OBSERVATIONS)
    return np.broadcast_to(shares, V.shape)


def weight_outside(weights, probabilities):
    """Return the share of weight outside the heaviest group of near-identical components.

    Parameters
    ----------
    weights : float array (lines, K)
    probabilities : float array (K, lines of the other side)
    """
    difference = probabilities[:, None] - probabilities
    is_near = np.sqrt((difference**2).mean(axis=2)) <= NEAR
    return 1.0 - (is_near @ weights.mean(axis=0)).max()


def measure(method, shape, kind, orientation, seed, **options):
    """Fit to a drawn matrix; return weight outside one group, loss over shares, orientation.

    The shares are those of columns; of rows, if they differ and columns have got the weights.
    """
    rng = np.random.default_rng([seed, *shape, KINDS.index(kind)])
    V, held_out = drawn(shape, kind, rng), rng.random(shape) < HELD_OUT
    cls, settings = METHODS[method]
    learned = {"alpha": "learn-columns", "beta": "learn-columns", "orientation": orientation}
    model = cls(100, **learned, random_state=seed, **(settings | options))
    model.fit(np.where(held_out, -1, V))
    is_rows = model.orientation_ == "rows"
    weights, probabilities = (model.W_, model.H_) if is_rows else (model.H_.T, model.W_.T)
    shares = shares_of_lines(V, held_out, 1 if kind == "row-wise" and not is_rows else 0)
    ratio = loss_of(model.expectation_, V, held_out) / loss_of(shares, V, held_out)
    return weight_outside(weights, probabilities), ratio, model.orientation_


if __name__ == "__main__":
    for method in sys.argv[1:] or METHODS:
        for shape, replications in zip(SHAPES, (20, 5, 3), strict=True):
            for kind in KINDS:
                for orientation in ("rows", "auto"):
                    runs = [measure(method, shape, kind, orientation, seed) for seed in range(replications)]
                    outside, ratio, sides = zip(*runs, strict=True)
                    print(
                        f"{method:6} {shape[0]:4} x {shape[1]:2} {kind:12} {orientation:5} outside "
                        f"{np.mean(outside):.3f} (largest {np.max(outside):.3f}) loss ratio "
                        f"{np.mean(ratio):.4f} (largest {np.max(ratio):.4f}) "
                        f"rows {sides.count('rows')} of {replications}",
                        flush=True,
                    )
