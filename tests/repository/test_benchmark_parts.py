"""Every part of the benchmarks, on tiny matrices: they run, and measure what they say."""

import json

import numpy as np
import pytest
import scipy.sparse as sparse
from tiny_benchmarks import BRIEF, CODES, MASK, MATRIX, column, numbers

import blocks
import buffet
import candidates
import common
import counts
import kernels
import large
import large_sparse
import learning
import logistic
import membership
import memory
import memory_worker
import mixing
import peers
import poisson
import scaling
import startup
import threads
import traits
from nbmf.data.feature_table import FeatureTable
from nbmf.data.matrix import BinaryMatrix
from nbmf.numerics.compilation import cache_home

pytestmark = pytest.mark.workflow

TINY_SIZE = memory.Size(F=40, N=30, K=4, K_that_fits=2, sweeps=1)


def test_what_is_taken_is_one_of_the_candidates(monkeypatch):
    codes = np.random.default_rng(2).integers(0, 2, (14, 10))
    found = candidates.losses_of(BinaryMatrix.from_array(codes), 0)
    names = candidates.candidates_for("BinaryMatrix", codes.size)
    assert {found[name] for name in ("taken", "without beta-dir-vb-finite")} <= {found[name] for name in names}
    monkeypatch.setattr(candidates, "method_to_show", lambda tested, chance, places: places[-1])
    assert candidates.default_method(None, [4, 2]) == 2


def test_defaults_for_counts_and_answers_are_measured(monkeypatch):
    monkeypatch.setattr(counts, "METHODS", dict(list(counts.METHODS.items())[:2]))
    monkeypatch.setattr(counts, "KINDS", {"parts": lambda rng: counts.parts(12, 8, rng)})
    monkeypatch.setattr(counts, "SHAPES", ((12, 8),))
    assert counts.losses(1).shape == (2, 1)
    assert counts.count_structure_found(1).to_numpy().max() <= 1
    rng = np.random.default_rng(1)
    found = traits.measured(traits.questionnaire(30, 8, 1, rng), rng)
    assert len(found) == len(traits.SETTINGS)
    assert min(kept for _, kept in found) >= 1


def test_kernels():
    table = kernels.kernel_table({"tiny": CODES}, 3, BRIEF)
    assert len(table.rows) == 9
    assert (numbers(table, "minimum") <= numbers(table, "median")).all()
    assert column(table, "plain loop / kernel").count("–") == 5
    assert "K = 3" in table.markdown()
    widths = kernels.width_table({"tiny": CODES}, 3, BRIEF)
    assert column(widths, "bits") == ["same"]
    assert numbers(widths, "ratio") > 0


def test_indian_buffets():
    datasets, made = buffet.tiny()
    table = buffet.sweep_table((12,), BRIEF)
    assert column(table, "prior") == list(buffet.PRIORS)
    np.testing.assert_allclose(
        numbers(table, "ratio"), numbers(table, "by cells") / numbers(table, "by sums"), rtol=0.02
    )
    assert (numbers(buffet.logit_table(datasets, BRIEF), "minimum") > 0).all()
    late = buffet.late_table(12, 1, (5, 10))
    assert column(late, "steps") == ["none", "columns"]
    moved = buffet.moves_table(made, buffet.WAYS, 20, 100)
    assert column(moved, "steps") == list(buffet.WAYS)
    (row,) = buffet.mixing_table(made, 20, 100).rows
    assert row[0] == "tiny"
    assert len(row[1].split("/")) == len(buffet.STARTS)
    assert 0 < float(row[-1]) < 100


def test_gibbs_sampling_of_logistic_factors():
    table = logistic.gibbs_table(logistic.simulated((12, 10)), (2,), BRIEF)
    kinds = ["binary", "binary, rows that move", "binary, explicit noise", "counts", "categories"]
    assert column(table, "cells") == kinds
    assert column(table, "state") == ["identical"] * 5


def test_variational_logistic_factors():
    codes = logistic.simulated((12, 10))
    table = logistic.variational_table(codes, (2,), BRIEF)
    assert len(table.rows) == 10
    assert (numbers(table, "minimum") <= numbers(table, "median")).all()
    table = logistic.convergence_table(codes, 2, most=40)
    assert column(table, "step") == ["best", 0.3, "best"]


def test_lda_compared_with_scikit_learn():
    table = kernels.lda_table({"tiny": CODES}, 2, BRIEF)
    assert column(table, "tokens") == [np.count_nonzero(CODES == 1)]
    assert (numbers(table, "ratio") > 0).all()


def test_threads_of_sparse_fits_are_compared():
    V = sparse.csr_array((np.random.default_rng(0).random((30, 20)) < 0.2).astype(float))
    table = threads.sparse_table([("tiny", V, 3), ("newsgroups", None, 20)], BRIEF)
    assert [row[:4] for row in table.rows[:2]] == [["tiny", V.nnz, 3, method] for method in threads.SPARSE]
    assert [row[-1] for row in table.rows[:2]] == ["identical"] * 2
    assert table.rows[2][0] == "newsgroups: the raw file is not at hand"


def test_threads_give_the_same_bits():
    table = threads.threads_table("tiny", CODES, 3, BRIEF)
    assert column(table, "kernel") == list(common.KERNELS)
    assert all(text.startswith("identical") for text in column(table, "state of one and two"))


def test_scaling():
    in_K = scaling.table_in_K({"tiny": CODES}, [2, 3, 4], 6, BRIEF)
    assert column(in_K, "K") == ["2", "3", "4", "6"] + ["2", "3", "4"] * 3
    assert [ratio for K, ratio in zip(column(in_K, "K"), column(in_K, "K / 3"), strict=True) if K == "3"] == [
        "1.00"
    ] * 4
    in_size = scaling.table_in_size("tiny", CODES, 3, BRIEF)
    assert column(in_size, "F")[:5] == [12, 6, 3, 12, 12]
    assert column(in_size, "N")[:5] == [10, 10, 10, 5, 3]
    dense = scaling.dense_table("tiny", CODES, [(20, 1.0), (3, 0.1)], BRIEF)
    assert (numbers(dense, "components a row uses") <= [10, 3]).all()
    assert column(dense, "rows above the rule")[1] == "0%"
    for table in (in_K, in_size, dense):
        assert table.title in table.markdown()


def test_cost_of_learning():
    cases = {name: (*case[:2], 60) for name, case in learning.CASES.items()}
    blocks = np.kron(np.eye(2), np.ones((20, 15))).astype(np.int8)
    table = learning.cost_of_learning({"tiny": blocks}, cases)
    assert [row[1] for row in table.rows] == list(learning.CASES)
    for row in table.rows:
        assert all(float(cell) > 0 for cell in row[2:])  # it has renewed, and it has chosen


def test_membership(monkeypatch):
    """gensim's process answers at once; once it is missing."""

    def stand_in(peer, codes, settings):
        assert codes.shape == (40, 60)  # documents to fit, and new ones after them
        if settings["given"] == {"passes": 3}:
            raise peers.PeerMissingError("gensim cannot be installed: no index")
        words = settings["fitted"] - 14
        tables = np.hstack([np.full((2, words), 1 / words), np.full((2, 6), 0.5)])
        return {"seconds": [0.5] * 3}, np.array([tables] * 3)

    monkeypatch.setattr(membership, "run_peer", stand_in)
    corpus = membership.halved("tiny", membership.drawn(60, 40, 12, 2))
    assert corpus.fitted.shape[0] == 54
    assert corpus.seen.nnz + corpus.rest.nnz + corpus.fitted.nnz > 60 * 3
    documents = FeatureTable.from_documents(corpus.fitted)
    for table in (documents, membership.drawn_features(30, 8, 2)):
        speed = membership.speed_table("a model", "tiny", table, 2, 2)
        assert numbers(speed, "full / this")[0] == 1
    fits = membership.fits_table(corpus, 2, 3)
    gensim = [row for row in fits.rows if "gensim" in row[0]]
    assert gensim[0][1:3] == ["1.50", "40"]  # of 40 words, all alike
    assert gensim[1][1] == "skipped: gensim cannot be installed: no index"
    found = [float(row[2]) for row in fits.rows if row[2] != "–"]
    assert len(found) == 6
    assert 1 < min(found) < 40


def test_counts_compared_with_scikit_learn(monkeypatch):
    monkeypatch.setattr(poisson, "ROUNDS", 1)
    times, objectives = poisson.dense([(12, 10, 2)], 3)
    assert len(times.rows) == 5
    assert float(column(objectives, "relative difference")[0]) < 1e-12
    table = poisson.sparse_table((20, 15, 0.2), (3,), 2)
    assert (numbers(table, "minimum") <= numbers(table, "median")).all()


def test_large_sparse_matrices(monkeypatch, tmp_path):
    """In this process, and without the newsgroups, whose file may be anywhere."""
    monkeypatch.setattr(large, "newsgroups", lambda: None)
    monkeypatch.setattr(large, "answer_of", lambda command, timeout: large.fit(*command[2:4], *map(int, command[4:])))
    what = large.Run(large.Size(60, 40, 300, 2), 2, 6, 4)
    table = large.fits_table(what, tmp_path)
    assert column(table, "method") == [*large.METHODS, "–"]
    for name in ("ns per one and component", "held out: nats per one", "by popularity", "truth"):
        assert (np.array(column(table, name)[:2], float) > 0).all()
    memory_table = large.memory_table(what, tmp_path)
    assert column(memory_table, "ones") == [300, 150, 300, 300]
    assert "expectation_" in memory_table.markdown()


def test_block_moves():
    cases = [("Beta-Dir", True), ("Dir-Beta", False)]
    table = blocks.blocks_table({"tiny": CODES}, cases, 3, blocks.Budget(sweeps=80, draws=16))
    assert [row[:4] for row in table.rows] == [
        ["tiny", model, priors, way]
        for model, priors in (("Beta-Dir", "learned"), ("Dir-Beta", "the paper's"))
        for way in blocks.WAYS
    ]
    assert "Block moves" in table.markdown()


def test_mixing():
    length = mixing.Length(chains=2, burn_in=2, draws=16, thin=1)
    table = mixing.mixing_table({"tiny": CODES, "other": CODES}, 3, length, ["tiny"])
    assert column(table, "way").count("row lists") == 2
    assert column(table, "way").count("plain loop") == 1
    assert set(column(table, "sweeps")) == {32, 16}
    assert (numbers(table, "µs per sweep") > 0).all()
    assert "per second" in table.markdown()


def test_memory(monkeypatch):
    idle, found = (
        common.answer_of(common.worker("memory_worker", *task))
        for task in (["idle"], ["kernel", "Beta-Dir Gibbs", 40, 30, 4, 1])
    )
    assert idle["most"] <= found["set_up_most"] <= found["most"] < idle["most"] + 100
    assert found["per_sweep"] > 0

    def in_this_process(command):
        task, *rest = command[2:]
        if task == "idle":
            return idle
        if task == "refusal":
            return {"message": "too large", "most": 1.0}
        return getattr(memory_worker, task)(rest[0], *map(int, rest[1:]))

    monkeypatch.setattr(memory, "answer_of", in_this_process)
    kernel_table, fit_table, refusal_table = memory.run(TINY_SIZE)
    assert column(kernel_table, "kernel") == list(common.KERNELS)
    assert (numbers(kernel_table, "sweep: seconds") > 0).all()
    assert column(fit_table, "estimator") == ["BetaDirGibbs", "DirDirGibbs", "BetaDirVB"]
    assert "40 × 30" in kernel_table.markdown()
    assert column(refusal_table, "error") == ["too large"]


def test_startup(tmp_path):
    empty = tmp_path / "cache"
    empty.mkdir()
    (row,) = startup.import_table(empty, 2).rows
    assert row[2:] == ["none of " + ", ".join(startup.LIBRARIES), 0]
    classes = startup.classes_of_binary_matrices()
    assert {"BetaDirGibbs", "LDA"} < set(classes)
    assert not {"GaussianFactorVB", "PoissonGammaEM"} & set(classes)
    table = startup.job_table(cache_home(), tmp_path, classes[:1], 1)
    assert (numbers(table, "wall: seconds") > numbers(table, "matrix, fit and report")).all()
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["n_iter"] == 1


def test_peers_without_a_peer(monkeypatch):
    def missing(peer, homes=None):
        raise peers.PeerMissingError(f"{peer} cannot be installed: no index")

    monkeypatch.setattr(peers, "python_of", missing)
    table = peers.fits_table({"tiny": (MATRIX, MASK)}, 2, seeds=(0, 1))
    assert column(table, "method") == [*peers.OURS, "nbmf-mm"]
    assert column(table, "seconds")[-1] == "skipped: nbmf-mm cannot be installed: no index"
    losses = np.array([float(text) for text in column(table, "perplexity: median")[:-1]])
    assert ((losses > 0.3) & (losses < 3)).all()
    context = peers.sweeps_table("tiny", MATRIX.codes, 3, BRIEF)
    assert [text.startswith("skipped") for text in column(context, "items")] == [True] * 2 + [False] * 2
    assert "another model" in context.markdown()


def test_peers_with_a_peer(monkeypatch):
    """A stand-in that answers at once takes the place of the peer's process."""
    asked = []

    def stand_in(peer, codes, settings):
        asked.append((peer, settings))
        answer = {"seconds": 0.5, "iterations": 10, "per_sweep": [0.1, 0.2], "tokens": 50}
        return answer, np.full(codes.shape, 0.5)

    monkeypatch.setattr(peers, "run_peer", stand_in)
    table = peers.fits_table({"tiny": (MATRIX, MASK)}, 2, seeds=(0,))
    assert column(table, "perplexity: median")[-2:] == [f"{np.log(2):.4f}"] * 2
    assert [settings.get("tol") for _, settings in asked] == [None, 0.0]
    context = peers.sweeps_table("tiny", MATRIX.codes, 3, BRIEF)
    assert context.rows[0][2:] == ["2000000", "3000000", "150000"]


def test_large_lists_of_ones(tmp_path):
    """All formats have the same ones, as many as were asked for; memory and seconds are measured in processes."""
    size = large_sparse.Size(300, 2, 3)
    read = []
    for suffix in large_sparse.FORMATS:
        large_sparse.write(path := tmp_path / f"ones.{suffix}", size)
        read.append(large_sparse.read_file(path, size.shape).toarray())
    assert read[0].shape == (30, 50)
    assert read[0].sum() == 300
    assert all((other == read[0]).all() for other in read[1:])
    found, fitted, lost = large_sparse.run(size, large.Size(60, 40, 300, 2), 5)
    assert column(found, "format") == list(large_sparse.FORMATS)
    assert (numbers(found, "matrix") > 5).all()
    assert list(zip(column(fitted, "precision"), column(fitted, "threads"), strict=True)) == list(large_sparse.FITS)
    assert (numbers(fitted, "by the clock") > 0).all()
    assert (numbers(fitted, "seconds an update") >= 0).all()
    assert (numbers(lost, "held out: nats per one") > 0).all()
    assert column(lost, "predictions differ by at most")[0] == "0 %"
