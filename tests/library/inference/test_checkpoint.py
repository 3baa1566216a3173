"""A chain that is interrupted anywhere goes on from its checkpoint and ends with the same bits."""

import errno
import functools
import re

import numpy as np
import pytest
from matrices import classes_of_means
from short_fits import QUICK_MEMBERS

from nbmf import registry
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.fits import FitRequest, run_fit
from nbmf.inference import checkpoint, progress
from nbmf.inference.progress import FitRecorder

CHAINS = [name for name in classes_of_means() if registry.is_sampler(name)]
LENGTHS = {"burn_in": 100, "n_samples": 100}


def example(seed=1):
    rng = np.random.default_rng(seed)
    codes = (rng.random((30, 40)) < 0.4).astype(np.int8)
    codes[rng.random(codes.shape) < 0.1] = -1
    return BinaryMatrix.from_array(codes)


MATRIX = example()
FLIPPED = BinaryMatrix.from_array(np.where(MATRIX.observed, 1 - MATRIX.codes, -1))
MASK = draw_mask(MATRIX, 0.25, np.random.SeedSequence(2))


class Killed(BaseException):
    """Stands in for SIGKILL: nothing of the package catches it."""


def run(name, path, *, matrix=MATRIX, mask=MASK, seed=0, lines=None, **settings):
    """Fit with a checkpoint at every look at the clock."""
    key = ["fit", "example", name, seed]
    return run_fit(
        matrix,
        mask,
        FitRequest(name, 20, LENGTHS | settings, key, trace_points=20, chain_points=40),
        checkpoint=path,
        checkpoint_seconds=0,
        log=[].append if lines is None else lines.append,
    )


def run_until(name, path, iteration, monkeypatch, **options):
    """Fit, and be killed in a record of the trace at or after `iteration`."""
    record = FitRecorder.__call__

    def record_or_die(self, done, total, state):
        if done >= iteration:
            raise Killed
        record(self, done, total, state)

    with monkeypatch.context() as patch:
        patch.setattr(FitRecorder, "__call__", record_or_die)
        with pytest.raises(Killed):
            run(name, path, **options)


def assert_same(one, other):
    reports = [{**result.report, "seconds": None} for result in (one, other)]
    assert reports[0] == reports[1]
    for attribute in ("W_", "H_", "expectation_"):
        np.testing.assert_array_equal(getattr(one.estimator, attribute), getattr(other.estimator, attribute))


@pytest.mark.parametrize("name", CHAINS)
def test_a_killed_chain_ends_with_the_same_bits(name, tmp_path, monkeypatch):
    """In the burn-in, at the first sweep that is kept, and at the last."""
    whole = run(name, tmp_path / "other.npz")
    for iteration in (60, 101, 200):
        path, lines = tmp_path / f"{iteration}.npz", []
        run_until(name, path, iteration, monkeypatch)
        resumed = run(name, path, lines=lines)
        (gone_on_after,) = re.findall(r"going on after iteration (\d+)", "\n".join(lines))
        assert iteration - 25 <= int(gone_on_after) < iteration
        assert_same(resumed, whole)


def test_a_chain_may_be_killed_again_and_again(tmp_path, monkeypatch):
    path = tmp_path / "chain.npz"
    for iteration in (40, 80, 120, 130, 180):
        run_until("BetaDirGibbs", path, iteration, monkeypatch)
    assert_same(run("BetaDirGibbs", path), run("BetaDirGibbs", tmp_path / "other.npz"))


@pytest.mark.parametrize("name", classes_of_means())
def test_checkpoints_change_nothing_and_only_chains_have_them(name, tmp_path):
    brief = {"max_iter": 60} if name not in CHAINS else LENGTHS
    if name == "Stacking":
        brief = brief | {"members": QUICK_MEMBERS}
    one, other = (
        run_fit(
            MATRIX,
            MASK,
            FitRequest(name, 5, brief, ["fit", name], trace_points=20, chain_points=40),
            checkpoint=path,
            checkpoint_seconds=0,
            log=[].append,
        )
        for path in (tmp_path / "chain.npz", None)
    )
    assert_same(one, other)
    assert (tmp_path / "chain.npz").exists() == (name in CHAINS)


def test_seconds_include_those_before_the_interruption(tmp_path, monkeypatch):
    path = tmp_path / "chain.npz"
    monkeypatch.setattr(FitRecorder, "seconds", 1000.0)
    run_until("BetaDirGibbs", path, 60, monkeypatch)
    assert 1000 < run("BetaDirGibbs", path).report["seconds"] < 1100


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"matrix": FLIPPED}, {"mask": draw_mask(MATRIX, 0.25, np.random.SeedSequence(3))}, {"alpha": 2.0}],
    ids=lambda change: next(iter(change)),
)
def test_the_checkpoint_of_another_fit_is_not_used(change, tmp_path, monkeypatch):
    path, lines = tmp_path / "chain.npz", []
    run_until("BetaDirGibbs", path, 60, monkeypatch, **change)
    result = run("BetaDirGibbs", path, lines=lines)
    assert f"{path}: checkpoint of another fit, or of other sources: not used" in lines
    assert_same(result, run("BetaDirGibbs", tmp_path / "other.npz"))


def test_the_checkpoint_of_other_sources_is_not_used(tmp_path, monkeypatch):
    path, lines = tmp_path / "chain.npz", []
    run_until("BetaDirGibbs", path, 60, monkeypatch)
    monkeypatch.setattr("nbmf.fits.digest_of", lambda *modules: "edited")
    run("BetaDirGibbs", path, lines=lines)
    assert any("not used" in line for line in lines)


def test_a_damaged_checkpoint_is_not_used(tmp_path, monkeypatch):
    path, lines = tmp_path / "chain.npz", []
    run_until("BetaDirGibbs", path, 60, monkeypatch)
    path.write_bytes(path.read_bytes()[:-100])
    result = run("BetaDirGibbs", path, lines=lines)
    assert any("not a complete checkpoint file" in line for line in lines)
    assert_same(result, run("BetaDirGibbs", tmp_path / "other.npz"))


def test_a_full_disk_costs_the_checkpoint_not_the_fit(tmp_path, monkeypatch):
    def full(*arguments, **arrays):
        raise OSError(errno.ENOSPC, "No space left on device")

    path, lines = tmp_path / "chain.npz", []
    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", full)
        result = run("BetaDirGibbs", path, lines=lines)
    assert any("no checkpoint after iteration 25: [Errno 28] No space" in line for line in lines)
    assert list(tmp_path.iterdir()) == []  # no temporary file either
    assert_same(result, run("BetaDirGibbs", path))


def test_it_is_saved_only_now_and_then(tmp_path, monkeypatch):
    saved = []
    monkeypatch.setattr(checkpoint.Checkpoint, "_save", lambda self, i, state: saved.append(i))
    run_fit(
        MATRIX,
        MASK,
        FitRequest("BetaDirGibbs", 20, LENGTHS, ["x"]),
        checkpoint=tmp_path / "chain.npz",
        checkpoint_seconds=3600,
        log=[].append,
    )
    assert saved == []
    run("BetaDirGibbs", tmp_path / "chain.npz")
    assert {25, 50, 75, 100, 125, 150, 175} <= set(saved)


def factors(matrix):
    """Observe the mean of the factors."""
    return lambda state: {"mean": state.factors().W.mean()}


def test_what_was_observed_before_an_interruption_is_kept(tmp_path, monkeypatch):
    looks = {"observe": f"{__name__}:factors"}
    request = FitRequest("BetaDirGibbs", 5, LENGTHS, ["fit"], trace_points=20, **looks)
    fit = functools.partial(run_fit, MATRIX, MASK, request, checkpoint_seconds=0, log=[].append)
    whole = fit(checkpoint=tmp_path / "other.npz").report["trace"]
    record = FitRecorder.__call__

    def record_or_die(self, done, total, state):
        if done >= 120:
            raise Killed
        record(self, done, total, state)

    with monkeypatch.context() as patch:
        patch.setattr(FitRecorder, "__call__", record_or_die)
        with pytest.raises(Killed):
            fit(checkpoint=tmp_path / "one.npz")
    with monkeypatch.context() as patch:  # time stands still, so that all there is was before
        patch.setattr(progress.time, "process_time", lambda: 0.0)
        resumed = fit(checkpoint=tmp_path / "one.npz").report["trace"]
    assert resumed["mean"] == whole["mean"]
    assert resumed["cpu_seconds"] == sorted(resumed["cpu_seconds"])
    assert resumed["cpu_seconds"][-1] > 0
