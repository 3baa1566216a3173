"""By how much methods predict better than baselines on held-out entries."""

from collections.abc import Sequence

import numpy as np

from nbmf.evaluation.held_out import HeldOutLosses, Measure
from nbmf.evaluation.structure_result import Gain, LossDifference
from nbmf.numerics.clustered_errors import one_sided_p


def gains_of(chosen: np.ndarray, tested: HeldOutLosses) -> list[Gain]:
    """Return the gains of a method over each baseline, the best baseline first, by its losses, float array (F, N)."""
    gains = [gain_over(name, losses, chosen, tested.measure) for name, losses in tested.baselines.items()]
    return sorted(gains, key=lambda gain: gain.loss)


def gain_over(baseline: str, losses: np.ndarray, chosen: np.ndarray, measure: Measure) -> Gain:
    """Return by how much the chosen method predicts better than a baseline, by their losses, float arrays (F, N)."""
    lead = loss_difference(baseline, losses, chosen, measure)
    p = float(lead.mean <= 0)
    if lead.error > 0:
        p = one_sided_p(lead.mean, lead.error, measure.degrees_of_freedom(losses))
    return Gain(baseline, lead.loss, lead.mean, lead.error, p)


def passes(gains: Sequence[Gain], chance: float) -> bool:
    """Return whether each gain is too large for chance."""
    return all(gain.mean > 0 and gain.p < chance for gain in gains)


def loss_difference(what: str, losses: np.ndarray, chosen: np.ndarray, measure: Measure) -> LossDifference:
    """Return by how much losses are larger than those of the chosen method, float arrays (F, N)."""
    difference = losses - chosen
    return LossDifference(what, measure.mean(losses), measure.mean(difference), measure.error(difference))


def leave_out_if_decisive(
    tested: HeldOutLosses, entries: np.ndarray, candidates: int, chance: float
) -> tuple[HeldOutLosses, float]:
    """Return losses without some entries, if the best method passes by these alone, and their proportion.

    Otherwise all losses and 0; if there are no other entries, all losses and 1.

    Parameters
    ----------
    tested : HeldOutLosses
    entries : bool array (F, N)
    candidates : int
        The first methods, of which the best is tested.
    chance : float
    """

    def best_passes(losses: HeldOutLosses) -> bool:
        best = min(losses.losses[:candidates], key=losses.measure.mean)
        return passes(gains_of(best, losses), chance)

    left_out = entries & ~np.isnan(tested.fold_of)
    proportion = np.count_nonzero(left_out) / tested.entries
    if proportion == 0.0 or not best_passes(tested):
        return tested, 0.0
    if proportion == 1.0:
        return tested, 1.0
    rest = tested.without(left_out)
    return (tested, 0.0) if best_passes(rest) else (rest, proportion)
