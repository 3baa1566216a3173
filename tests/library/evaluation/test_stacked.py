"""The share of the predictable structure that one method explains: cross-fitted, told with its limits."""

import numpy as np
import pytest

import nbmf
from nbmf.evaluation.held_out import EntryMeasure, HeldOutLosses, held_out_losses
from nbmf.evaluation.stacked import PARTS, Stacked, stack_methods
from nbmf.evaluation.verdict import candidates, choose
from nbmf.numerics.clustered_errors import clustered_error
from nbmf.stacking.weights import mixture_losses, mixture_weights

NAMES = ("one", "two", "three")


def drawn(n_folds=4, F=30, N=20, seed=0):
    """Draw the losses of three methods and of a baseline, with folds by column."""
    rng = np.random.default_rng(seed)
    odds = 2 + rng.normal(size=(F, N))
    methods = [np.logaddexp(0, -(odds + rng.normal(size=(F, N)) + shift)) for shift in (0.5, 0.0, -0.5)]
    fold_of = np.broadcast_to(np.arange(N) % n_folds, (F, N)).astype(float).copy()
    baseline = np.logaddexp(0, -(odds - 1.5))
    for each in (*methods, fold_of, baseline):
        each[:2] = np.nan  # not held out
    return HeldOutLosses(
        methods, {"effects": baseline}, fold_of[2:].size, n_folds, fold_of.size, EntryMeasure(), fold_of
    )


def test_each_fold_is_predicted_with_the_weights_of_the_others():
    """By hand, fold by fold."""
    tested = drawn()
    by_hand = np.full(tested.fold_of.shape, np.nan)
    for fold in range(4):
        here, others = tested.fold_of == fold, np.isin(tested.fold_of, [k for k in range(4) if k != fold])
        weights = mixture_weights(np.column_stack([losses[others] for losses in tested.losses]))
        by_hand[here] = mixture_losses(np.column_stack([losses[here] for losses in tested.losses]), weights)
    found = stack_methods(tested, NAMES, 1, "effects", seed=0)
    gain, of_shown = tested.baselines["effects"] - by_hand, tested.baselines["effects"] - tested.losses[1]
    assert found.loss == pytest.approx(np.nanmean(by_hand))
    assert found.gain == pytest.approx(np.nanmean(gain))
    share = np.nanmean(of_shown) / np.nanmean(gain)
    assert found.share == pytest.approx(share)
    assert found.share_error == pytest.approx(clustered_error(of_shown - share * gain) / np.nanmean(gain))
    every = np.column_stack([losses[2:].ravel() for losses in tested.losses])
    np.testing.assert_allclose(found.weights, mixture_weights(every))
    assert (found.shown, found.baseline) == ("two", "row and column effects")


def test_entries_of_a_single_fold_are_predicted_in_tenths():
    tested = drawn(n_folds=1)
    found = stack_methods(tested, NAMES, 0, "effects", seed=3)
    assert found == stack_methods(tested, NAMES, 0, "effects", seed=3)
    other = stack_methods(tested, NAMES, 0, "effects", seed=4)
    assert other.loss != found.loss
    assert other.loss == pytest.approx(found.loss, abs=0.005)
    in_sample = np.column_stack([losses[2:].ravel() for losses in tested.losses])
    assert found.loss > mixture_losses(in_sample, mixture_weights(in_sample)).mean()
    assert PARTS == 10


@pytest.mark.parametrize("entries", [1, 7])
def test_entries_that_are_left_of_one_fold_are_predicted_in_parts(entries):
    """Where the others follow from margins: it ended in a division by zero."""
    rng = np.random.default_rng(0)
    losses, fold_of = rng.gamma(2.0, 0.2, (2, 6, 5)), np.full((6, 5), np.nan)
    fold_of.flat[:entries] = 1.0
    masked = np.where(np.isnan(fold_of), np.nan, losses)
    tested = HeldOutLosses(list(masked), {"effects": masked[0] + 0.1}, entries, 2, 30, EntryMeasure(), fold_of)
    found = stack_methods(tested, ["one", "other"], 0, "effects", 0)
    if entries == 1:
        assert found.loss == pytest.approx(-np.log(np.exp(-losses[:, 0, 0]).mean()))  # of equal weights
        assert found.share is None
    assert np.isfinite([found.loss, *found.weights]).all()


def test_a_mixture_that_gains_nothing_has_no_share():
    tested = drawn()
    best = np.minimum.reduce(tested.losses) - 0.1
    for baseline in (best, best + 1e-3 * np.random.default_rng(0).normal(size=best.shape)):
        found = stack_methods(tested._replace(baselines={"effects": baseline}), NAMES, 0, "effects", seed=0)
        assert (found.share, found.is_more) == (None, False)
        assert str(found).startswith("the best mixture of 3 methods gains nothing over row and column effects that")
        assert str(found).endswith("), so that no share of it can be said to be explained")  # not that there is nothing


LIKE = Stacked(
    ("one, K = 2", "two, K = 3", "three"),
    (0.25, 0.75, 0.0),
    loss=0.4,
    shown="one, K = 2",
    baseline="row and column effects",
    baseline_loss=0.6,
    gain=0.2,
    error=0.02,
    p=1e-6,
    share=0.75,
    share_error=0.04,
)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.75, "one, K = 2 explains 75.0 ± 4.0 % of the structure that the best mixture of 3 methods predicts (0.4000"),
        (1.02, "one, K = 2 explains 100 % (clipped: it predicts better than the mixture, 102.0 ± 4.0 %) of the"),
        (-0.1, "one, K = 2 explains 0 % (clipped: it predicts worse than row and column effects, -10.0 ± 4.0 %) of"),
    ],
)
def test_a_share_is_reported_from_0_to_100_percent(share, said):
    assert str(LIKE._replace(share=share)).startswith(said)
    assert str(LIKE).endswith("(0.4000 nats per held-out entry, row and column effects 0.6000)")


def test_members_are_described_by_their_weights():
    assert LIKE.described_members == "75% two, K = 3; 25% one, K = 2"
    tiny = LIKE._replace(weights=(0.247, 0.75, 0.003))
    assert tiny.described_members == "75% two, K = 3; 25% one, K = 2"
    assert LIKE.is_more
    assert not LIKE._replace(weights=(1.0, 0.0, 0.0)).is_more
    assert [LIKE._replace(share=share).is_more for share in (-0.1, 0.999, 1.0, 1.11)] == [True, True, False, False]


def test_further_methods_are_mixed_and_never_taken(quick_choice):
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 2, (30, 1))
    V = (rng.random((30, 16)) < np.where(kind == np.arange(16) % 2, 0.8, 0.2)).astype(int)
    methods = candidates(V)
    further = [nbmf.IndianBuffetLogistic(burn_in=50, n_samples=50, random_state=0)]
    plain, mixed = choose(V, methods), choose(V, methods, stacked_with=further)
    assert mixed.verdict._replace(stack=None) == plain.verdict
    assert (mixed.index, mixed.other) == (plain.index, plain.other)
    stack = mixed.verdict.stack
    assert stack.members == (*(each.title for each in methods), "Indian buffet, K = 10")
    assert (stack.shown, stack.baseline_loss) == (plain.verdict.method, plain.verdict.gains[0].loss)
    tested = held_out_losses(V, [*methods, *further], 0, None)
    assert stack == stack_methods(tested, stack.members, mixed.index, plain.verdict.gains[0].baseline, 0)
    assert plain.verdict.stack is None
    assert np.nanmax(tested.fold_of) == tested.folds - 1
