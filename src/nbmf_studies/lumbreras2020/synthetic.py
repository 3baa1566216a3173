"""synthetic: 100 x 100 matrices drawn from the three models (Figure 2); nothing to download."""

import math

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.simulation import MODELS, simulate
from nbmf.seeds import seed_sequence

SIZE = 100  # rows and columns
K = 4


def build(*, model: str, concentration: float) -> BinaryMatrix:
    """Draw the matrix that belongs to `model` and `concentration`, the same one every time.

    Parameters
    ----------
    model : str
        One of MODELS.
    concentration : float > 0
        The value of all the parameters of the priors.

    Raises
    ------
    ConfigError
        If one of them is not allowed.
    """
    if model not in MODELS:
        raise ConfigError(f"model is {model!r}; allowed: {', '.join(MODELS)}")
    if isinstance(concentration, bool) or not isinstance(concentration, int | float):
        raise ConfigError(f"concentration is {concentration!r}; allowed: a number above 0")
    if not 0 < concentration < math.inf:
        raise ConfigError(f"concentration is {concentration}; allowed: a number above 0")
    # As text of a float: 1 and 1.0 in a configuration are the same matrix.
    seed = seed_sequence("dataset", "synthetic", model, str(float(concentration)))
    _, V = simulate(model, (SIZE, SIZE), K, concentration, np.random.default_rng(seed))
    return BinaryMatrix.from_array(V)
