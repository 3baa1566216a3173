"""Which of several methods to take, from their held-out log losses on the same masks."""

import math
from typing import NamedTuple

import numpy as np

from nbmf.evaluation.replications import interval
from nbmf.numerics.clustered_errors import format_interval

HELD_OUT_UNITS = {"entry": "held-out entry"}  # losses of sparse matrices are of the whole matrix, per one
WORTHWHILE = 10.0  # seconds a fit that a method has to save to be taken for its speed


class Candidate(NamedTuple):
    """A method with its best K.

    name : str, for a person
    perplexities : float array (J,), nats per held-out entry, one for each mask
    seconds : float, of a fit
    """

    method: str
    K: int
    name: str
    perplexities: np.ndarray
    seconds: float

    @property
    def mean(self) -> float:
        """The mean log loss over masks."""
        return float(np.mean(self.perplexities))


class Margin(NamedTuple):
    """How much worse another prediction is than the best.

    mean : float, nats per entry
    uncertainty : float, half the width of its 95 % interval; NaN from a single mask
    """

    mean: float
    uncertainty: float

    @property
    def is_significant(self) -> bool:
        """Whether the interval lies above zero."""
        return self.mean > self.uncertainty

    def in_words(self, unit: str) -> str:
        """Return the mean in nats per `unit` with its interval: what is behind a ± is a standard error elsewhere."""
        return format_interval(self.mean, self.uncertainty, f"nats per {unit}")


class Recommendation(NamedTuple):
    """Which method to take, and how sure that is.

    - method, K : the method with the smallest mean log loss over masks, and its best K
    - perplexity : float, that mean, in nats per held-out entry
    - runner_up, runner_up_K : the best of the other methods; None if there is none
    - margin : float, how much larger the runner-up's mean is, in nats per entry
    - uncertainty : float, half the width of the margin's 95 % interval; NaN from a single mask
    - is_significant : bool, whether the margin to every other method has its interval above zero
    - take, take_K : that method; or the fastest of those that are not significantly worse, if it
      saves ten seconds a fit
    - sentence : str, all this for a person
    """

    method: str
    K: int
    perplexity: float
    runner_up: str | None
    runner_up_K: int | None
    margin: float
    uncertainty: float
    is_significant: bool
    take: str
    take_K: int
    sentence: str


def margin_of(differences: np.ndarray, test_ratio: float) -> Margin:
    """Return the mean of paired differences and its uncertainty, see `replications.interval`.

    Parameters
    ----------
    differences : float array (J,)
        Perplexity of the other prediction minus that of the best, mask by mask, in nats per entry.
    test_ratio : float
        Held-out entries per training entry.
    """
    estimate = interval(differences, test_ratio)
    return Margin(estimate.mean, estimate.high - estimate.mean)


def recommend(
    candidates: list[Candidate], baselines: dict[str, np.ndarray], test_ratio: float, unit: str = "entry"
) -> Recommendation:
    """Return the method with the smallest mean, and whether the others are significantly worse.

    Parameters
    ----------
    candidates : list of Candidate
        At least one, all on the same masks.
    baselines : dict of float arrays (J,)
        Log losses of baselines, by what they are.
    test_ratio : float
        Held-out entries per training entry.
    unit : str
        "entry", or "one" of sparse matrices: nats are per one of these.
    """
    winner, *others = sorted(candidates, key=lambda candidate: candidate.mean)
    margins = [margin_of(o.perplexities - winner.perplexities, test_ratio) for o in others]
    alike = [o for o, margin in zip(others, margins, strict=True) if not margin.is_significant]
    take = _choose_method(winner, alike)
    sentence = _sentence(winner, others, margins, alike, take, unit)
    runner_up = others[0] if others else None
    margin = margins[0] if others else Margin(math.nan, math.nan)
    return Recommendation(
        method=winner.method,
        K=winner.K,
        perplexity=winner.mean,
        runner_up=runner_up and runner_up.method,
        runner_up_K=runner_up and runner_up.K,
        margin=margin.mean,
        uncertainty=margin.uncertainty,
        is_significant=bool(others) and not alike,
        take=take.method,
        take_K=take.K,
        sentence=sentence + _baseline_sentence(baselines, winner),
    )


def _choose_method(winner: Candidate, alike: list[Candidate]) -> Candidate:
    """Return the best, or a much faster method that is as good for all that is known."""
    fastest = min(alike, key=lambda candidate: candidate.seconds, default=winner)
    is_known = len(winner.perplexities) > 1
    return fastest if is_known and winner.seconds - fastest.seconds > WORTHWHILE else winner


def _sentence(winner, others, margins, alike, take, unit) -> str:
    J, unit = len(winner.perplexities), HELD_OUT_UNITS.get(unit, unit)
    mean = f"{winner.mean:.4f} nats per {unit}, mean over {J} mask{'s' * (J > 1)}"
    if not others:
        return f"{winner.name} is the only method compared: {mean}."
    if J == 1:
        return (
            f"{winner.name} predicts best on the one mask that was drawn, {others[0].name} is "
            f"{margins[0].mean:.4f} nats per {unit} behind; one mask does not say how certain that "
            "is."
        )
    rival = alike[0] if alike else others[0]
    margin = margins[others.index(rival)]
    lead = f"its lead over {rival.name} is {margin.in_words(unit)}"
    if not alike:
        return f"{winner.name} predicts best ({mean}); {lead}."
    names = [candidate.name for candidate in (winner, *alike)]
    text = f"{_list_names(names)} do not differ significantly: {winner.name} has the best mean ({mean}), {lead}."
    if take is winner:
        return f"{text} None of the others saves more than {WORTHWHILE:g} s a fit, so take {take.name}."
    speeds = f"{take.seconds:.2g} s a fit instead of {winner.seconds:.2g}"
    return f"{text} Take the fastest of them, {take.name} ({speeds})."


def _list_names(names: list[str]) -> str:
    """Return "a, b and c"; with semicolons where a name has commas of its own."""
    mark, end = ("; ", "; and ") if any("," in name for name in names) else (", ", " and ")
    return f"{mark.join(names[:-1])}{end}{names[-1]}"


def _baseline_sentence(baselines: dict[str, np.ndarray], winner: Candidate) -> str:
    """Return which baselines predict as well as the best method; structure is tested elsewhere."""
    better = [what for what, perplexities in baselines.items() if perplexities.mean() <= winner.mean]
    return f" But on average {' and '.join(better)} predict as well or better, without components." if better else ""
