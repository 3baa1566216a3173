"""What several methods predict together, and how much of it the one that is shown explains."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nbmf.evaluation.baselines import LABELS
from nbmf.evaluation.held_out import HeldOutLosses
from nbmf.numerics.clustered_errors import format_error, format_p, one_sided_p
from nbmf.numerics.percent import percent
from nbmf.seeds import seed_sequence
from nbmf.stacking.weights import mixture_losses, mixture_weights

CHANCE = 0.05  # that a mixture without any gain is said to have one
PARTS = 10  # of the entries of a single fold
LEAST_SHOWN = 0.005  # of a weight: a smaller one would be shown as 0%


class Stacked(NamedTuple):
    """A mixture of methods on held-out entries, its weights learned on those of other folds.

    - members : tuple of str, the methods in words
    - weights : tuple of float, theirs, learned on all held-out entries
    - loss : float, of the mixture, in nats per held-out entry
    - shown : str, the method that is shown, in words
    - baseline : str, the best baseline, in words
    - baseline_loss : float, nats per held-out entry
    - gain, error, p : float, by how much the mixture predicts better than that, its standard error, and the
      probability of so large a gain if there were none (one-sided)
    - share : float or None, (baseline - shown) / (baseline - mixture) of the losses, not clipped: the share of the
      predictable structure that the method that is shown explains; None where the gain can be chance
    - share_error : float or None, its standard error
    """

    members: tuple[str, ...]
    weights: tuple[float, ...]
    loss: float
    shown: str
    baseline: str
    baseline_loss: float
    gain: float
    error: float
    p: float
    share: float | None = None
    share_error: float | None = None

    @property
    def is_more(self) -> bool:
        """Whether the mixture gains something, has other methods, and predicts better than the one that is shown."""
        return self.share is not None and self.share < 1 and not self.is_shown_alone

    @property
    def is_shown_alone(self) -> bool:
        """Whether the method that is shown has all the weight."""
        return not any(w for name, w in zip(self.members, self.weights, strict=True) if name != self.shown)

    @property
    def lead(self) -> str:
        """By how much the mixture predicts better than the best baseline, in words."""
        return f"but {self._mixture} predicts better than {self.baseline} ({self._gain})"

    @property
    def _mixture(self) -> str:
        return f"the best mixture of {len(self.members)} methods"

    @property
    def _gain(self) -> str:
        return f"{format_error(self.gain, self.error)} nats per held-out entry, {format_p(self.p)}"

    def __str__(self) -> str:
        if self.share is None:
            return (
                f"{self._mixture} gains nothing over {self.baseline} that could not be chance ({self._gain}), so that "
                "no share of it can be said to be explained"
            )
        losses = f"{self.loss:.4f} nats per held-out entry, {self.baseline} {self.baseline_loss:.4f}"
        return f"{self._explained_share()} of the structure that {self._mixture} predicts ({losses})"

    def _explained_share(self) -> str:
        """Return the share that the method that is shown explains, from 0 to 100 %."""
        computed = f"{format_error(100 * self.share, 100 * self.share_error)} %"
        if self.share > 1:
            return f"{self.shown} explains 100 % (clipped: it predicts better than the mixture, {computed})"
        if self.share < 0:
            return f"{self.shown} explains 0 % (clipped: it predicts worse than {self.baseline}, {computed})"
        return f"{self.shown} explains {computed}"

    @property
    def described_members(self) -> str:
        """The methods with a weight of at least half a per cent, the largest first."""
        order = sorted(range(len(self.weights)), key=lambda m: -self.weights[m])
        return "; ".join(
            f"{percent(self.weights[m])} {self.members[m]}" for m in order if self.weights[m] >= LEAST_SHOWN
        )


def stack_methods(tested: HeldOutLosses, members: Sequence[str], shown: int, baseline: str, seed: int) -> Stacked:
    """Return what a mixture of methods predicts, by the losses of each of them.

    Entries of a fold are predicted with weights that are learned on the other folds. Of a single fold, that of a
    large matrix or one with all of few entries, ten random parts of its entries take their place: no fit has seen any.

    Parameters
    ----------
    tested : HeldOutLosses
        Of a dense matrix.
    members : sequence of str
        Its methods, in words.
    shown : int
        The place of the method that is shown.
    baseline : str
        The name of the baseline with the smallest loss.
    seed : int
        Of the random parts.
    """
    held_out = ~np.isnan(tested.fold_of)
    losses = np.column_stack([each[held_out] for each in tested.losses])
    parts = tested.fold_of[held_out].astype(int)
    if np.ptp(parts) == 0:
        rng = np.random.default_rng(seed_sequence("stack", seed))
        parts = rng.permutation(np.arange(len(losses)) % PARTS)
    mixed = np.full(tested.fold_of.shape, np.nan)
    mixed[held_out] = _cross_fit(losses, parts)
    measure, baseline_losses = tested.measure, tested.baselines[baseline]
    gain = baseline_losses - mixed
    mean, error = measure.mean(gain), measure.error(gain)
    p = one_sided_p(mean, error, measure.degrees_of_freedom(gain)) if error > 0 else float(mean <= 0)
    share = share_error = None
    if p < CHANCE:
        shown_gain = baseline_losses - tested.losses[shown]
        share = measure.mean(shown_gain) / mean
        share_error = measure.error(shown_gain - share * gain) / mean
    return Stacked(
        members=tuple(members),
        weights=tuple(mixture_weights(losses).tolist()),
        loss=measure.mean(mixed),
        shown=members[shown],
        baseline=LABELS[baseline],
        baseline_loss=measure.mean(baseline_losses),
        gain=mean,
        error=error,
        p=p,
        share=share,
        share_error=share_error,
    )


def _cross_fit(losses: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return the losses of mixtures, (n,): of each part with weights that are learned on the others.

    losses : float array (n, M)
    parts : int array (n,)
    """
    mixed = np.empty(len(losses))
    for part in np.unique(parts):
        weights = mixture_weights(losses[parts != part])
        mixed[parts == part] = mixture_losses(losses[parts == part], weights)
    return mixed
