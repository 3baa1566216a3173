"""synthetic: 100 x 100 matrices drawn from the three models (Figure 2); nothing to download."""

import math

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir
from nbmf.seeds import seed_sequence

MODELS = ("beta-dir", "dir-beta", "dir-dir")
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
        raise ConfigError(f"model is {model!r}; allowed are {', '.join(MODELS)}")
    if isinstance(concentration, bool) or not isinstance(concentration, int | float):
        raise ConfigError(f"concentration is {concentration!r}; allowed is a number above 0")
    if not 0 < concentration < math.inf:
        raise ConfigError(f"concentration is {concentration}; allowed is a number above 0")
    # As text of a float: 1 and 1.0 in a configuration are the same matrix.
    seed = seed_sequence("dataset", "synthetic", model, str(float(concentration)))
    return BinaryMatrix.from_array(_draw(model, concentration, np.random.default_rng(seed)))


def _draw(model: str, concentration: float, rng: np.random.Generator) -> np.ndarray:
    if model == "dir-dir":
        return dir_dir.simulate(SIZE, SIZE, K, concentration, concentration, rng)[2]
    V = beta_dir.simulate(SIZE, SIZE, K, concentration, concentration, concentration, rng)[2]
    return V.T if model == "dir-beta" else V
