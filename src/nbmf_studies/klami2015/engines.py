"""The names of the engines among the methods of config/studies/klami2015.yaml."""

from typing import Any

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

USUAL_SCALE = 0.1  # of the start of V
DRAWS, EXACT, LINE_SEARCH, FIXED_STEP = "draws", "exact", "line search", "step 0.3"  # how factors are updated


def short_name(method: str) -> str:
    """Return the name of an engine without the study's."""
    return method.removeprefix(PREFIX)


def describe_update(settings: dict[str, Any], is_sampler: bool) -> str:
    """Return in words how an engine with some settings updates its factors."""
    if is_sampler:
        return DRAWS
    if settings.get("covariance") == "full":
        return EXACT
    return f"step {settings['step']:g}" if settings.get("step") else LINE_SEARCH
