"""The names of the engines among the methods of config/studies/klami2015.yaml."""

PREFIX = "klami2015-"

GAUSSIAN = "klami2015-gaussian"
BOHNING = "klami2015-bohning"
PG_F = "klami2015-pg-f"
SEARCH = "klami2015-pg-f-search"
NAIVE = "klami2015-pg-naive"
NOISE = "klami2015-pg-noise-f"
GIBBS = "klami2015-pg-gibbs"
NOISE_GIBBS = "klami2015-pg-noise-gibbs"
NB_F = "klami2015-nb-f"
NB_SEARCH = "klami2015-nb-f-search"
NB_NAIVE = "klami2015-nb-naive"
NB_NOISE = "klami2015-nb-noise-f"
NB_GIBBS = "klami2015-nb-gibbs"
SOFTPLUS = "klami2015-softplus"


def short(method: str) -> str:
    """Return the name of an engine without the study's."""
    return method.removeprefix(PREFIX)
