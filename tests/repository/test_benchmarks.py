"""Every part of the benchmarks, on tiny matrices: they run, and measure what they say."""

import json
import subprocess
import sys
from pathlib import Path

import naive
import numpy as np
import pytest
import scipy.sparse as sparse

from nbmf.data.feature_table import FeatureTable
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.evaluation.sparse_comparison import rank_scores
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir
from nbmf.numerics.compilation import cache_home
from nbmf.posterior.diagnostics import chain_diagnostics
from nbmf.seeds import seed_sequence

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))  # last: tests/support/sbc.py has a namesake there

import blocks  # noqa: E402
import buffet  # noqa: E402
import candidates  # noqa: E402
import code_lines  # noqa: E402
import common  # noqa: E402
import counts  # noqa: E402
import kernels  # noqa: E402
import large  # noqa: E402
import large_sparse  # noqa: E402
import learning  # noqa: E402
import logistic  # noqa: E402
import membership  # noqa: E402
import memory  # noqa: E402
import memory_worker  # noqa: E402
import mixing  # noqa: E402
import peers  # noqa: E402
import plain_loops  # noqa: E402
import poisson  # noqa: E402
import popularity  # noqa: E402
import process_memory  # noqa: E402
import recommender_worker  # noqa: E402
import recommenders  # noqa: E402
import run  # noqa: E402
import scaling  # noqa: E402
import startup  # noqa: E402
import threads  # noqa: E402
import traits  # noqa: E402

BRIEF = common.Rounds(count=2, seconds=0.0, warm_up=3)
TINY_SIZE = memory.Size(F=40, N=30, K=4, K_that_fits=2, sweeps=1)
RNG = np.random.default_rng(5)
MATRIX = BinaryMatrix.from_array(RNG.integers(0, 2, (12, 10)))
MASK = draw_mask(MATRIX, 0.25, seed_sequence("mask"))
CODES = training_codes(MATRIX, MASK)


def column(table, name):
    return [row[list(table.columns).index(name)] for row in table.rows]


def numbers(table, name):
    return np.array([float(text) for text in column(table, name)])


LOAD_EACH = """
import runpy, sys
for path in sys.argv[1:]:
    before, known = list(sys.path), set(sys.modules)
    sys.path.insert(0, path.rpartition("/")[0])
    runpy.run_path(path, run_name="loaded")
    sys.path[:] = before
    for name in set(sys.modules) - known:  # the next folder has its own of that name
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(path.rpartition("/")[0]):
            del sys.modules[name]
"""


def test_every_script_finds_what_it_imports():
    """Also those that no other test runs: they take hours, or data that are not here."""
    folders = BENCHMARKS, BENCHMARKS.parent / "docs"
    scripts = [str(path) for folder in folders for path in sorted(folder.glob("*.py")) if "worker" not in path.name]
    assert len(scripts) > 40
    done = subprocess.run([sys.executable, "-c", LOAD_EACH, *scripts], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_is_taken_is_one_of_the_candidates(monkeypatch):
    codes = np.random.default_rng(2).integers(0, 2, (14, 10))
    found = candidates.losses_of(BinaryMatrix.from_array(codes), 0)
    names = candidates.candidates_for("BinaryMatrix", codes.size)
    assert {found[name] for name in ("taken", "without beta-dir-vb-finite")} <= {found[name] for name in names}
    monkeypatch.setattr(candidates, "method_to_show", lambda tested, chance, places: places[-1])
    assert candidates.taken(None, [4, 2]) == 2


def test_defaults_for_counts_and_answers_are_measured(monkeypatch):
    monkeypatch.setattr(counts, "METHODS", dict(list(counts.METHODS.items())[:2]))
    monkeypatch.setattr(counts, "KINDS", {"parts": lambda rng: counts.parts(12, 8, rng)})
    monkeypatch.setattr(counts, "SHAPES", ((12, 8),))
    assert counts.losses(1).shape == (2, 1)
    assert counts.found(1).to_numpy().max() <= 1
    rng = np.random.default_rng(1)
    found = traits.measured(traits.questionnaire(30, 8, 1, rng), rng)
    assert len(found) == len(traits.SETTINGS)
    assert min(kept for _, kept in found) >= 1


def test_a_table_is_markdown():
    table = common.Table("Title", "Note.", ["a", "b"], [["x|y", 1], ["two\nlines", 2]])
    assert table.markdown().splitlines() == [
        "### Title",
        "",
        "Note.",
        "",
        "| a | b |",
        "| --- | --- |",
        "| x/y | 1 |",
        "| two lines | 2 |",
    ]
    with pytest.raises(ValueError, match="a row has not 2 cells"):
        common.Table("Title", "Note.", ["a", "b"], [["x"]]).markdown()


def test_numbers_have_significant_digits_and_no_exponent():
    given = [0.0123456, 1.23456, 99.96, 12345.6, 0, np.nan]
    assert [common.number(value) for value in given] == ["0.0123", "1.23", "100", "12346", "0.00", "–"]


def test_the_clock_counts_sweeps_and_takes_turns():
    calls = []
    runs = {name: (lambda sweeps, name=name: calls.append((name, sweeps)), 4) for name in "ab"}
    times = common.Rounds(count=3).alternate(runs)
    assert calls == [("a", 4), ("b", 4)] * 3
    assert {name: values.shape for name, values in times.items()} == {"a": (3,), "b": (3,)}
    done = []
    common.Rounds(warm_up=7).sweeps_after_warm_up(done.append)
    assert sum(done) == 7


def test_environment_names_machine_and_versions():
    text = common.environment()
    assert all(word in text for word in (common.cpu_model(), "Python 3", "numba ", "load before"))


def test_plain_loops_keep_their_counts():
    Z = np.where(CODES >= 0, RNG.integers(0, 3, CODES.shape), -1)
    C = np.where(CODES == 0, (Z + 1) % 3, Z)
    one = plain_loops.PlainBetaDir(CODES, 3, 1.0, 2.0, 0.5, common.SEED, Z=Z)
    two = plain_loops.PlainDirDir(CODES, 3, 0.5, 1.0, common.SEED, Z=Z, C=C)
    before = one.log_joint(), two.log_joint()
    assert before[0] == pytest.approx(beta_dir.log_joint(CODES, Z, 3, 1.0, 2.0, 0.5))
    assert before[1] == pytest.approx(dir_dir.log_joint(CODES, Z, C, 3, 0.5, 1.0))
    one.sweep(5)
    two.sweep(5)
    assert (one.log_joint(), two.log_joint()) != before
    Z, C = (np.full(CODES.shape, -1) for _ in range(2))
    Z[CODES >= 0] = one._z
    assert one.log_joint() == pytest.approx(beta_dir.log_joint(CODES, Z, 3, 1.0, 2.0, 0.5))
    Z[CODES >= 0], C[CODES >= 0] = two._z, two._c
    assert two.log_joint() == pytest.approx(dir_dir.log_joint(CODES, Z, C, 3, 0.5, 1.0))


def test_the_plain_loop_of_cvb0_is_that_of_the_slow_twin():
    Z = np.where(CODES >= 0, RNG.integers(0, 3, CODES.shape), -1)
    C = np.where(CODES == 0, (Z + 1) % 3, Z)
    plain = plain_loops.PlainDirDirCVB0(CODES, 3, 0.5, 1.0, Z=Z, C=C)
    plain.update(2)
    RZ, RC = (naive.one_hot(CODES, x, 3) for x in (Z, C))
    for _ in range(2):
        RZ, RC = naive.dir_dir_cvb0_update(CODES, RZ, RC, 0.5, 1.0, order=naive.row_scan(CODES))
    np.testing.assert_allclose(plain._a, 0.5 + RZ.sum(axis=1), atol=1e-5)
    np.testing.assert_allclose(plain._b, 1.0 + RC.sum(axis=0), atol=1e-5)


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


def test_digests_differ_with_the_bits():
    one, other = np.zeros(3), np.array([0.0, 0.0, -0.0])
    assert threads.digest([one]) == threads.digest([one.copy()]) != threads.digest([other])


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


def test_what_is_held_out_of_a_large_matrix():
    """Every entry of a drawn matrix: the estimated loss is the loss, whatever was held out."""
    V, chances = large.drawn(large.Size(60, 40, 300, 2))
    assert V.nnz == 300
    part = large.split(V)
    assert np.count_nonzero(np.isnan(part.V.data)) == 60
    assert np.isnan(part.V[tuple(part.ones)]).all()
    assert (V.toarray()[tuple(part.ones)] == 1).all()
    assert (V.toarray()[tuple(part.zeros)] == 0).all()
    p = chances(*np.indices((60, 40)).reshape(2, -1)).reshape(60, 40)
    assert p.sum() == pytest.approx(300, rel=0.1)
    ones = V.toarray() == 1
    kept = 1 - large.HELD_OUT  # as a method would say it that has seen all zeros
    seen = p * kept / (p * kept + 1 - p)
    whole = large.Split(V, np.array(np.nonzero(ones))[:, :30], np.array(np.nonzero(~ones)))
    of_ones, of_zeros = np.array([seen[ones]]), seen[~ones]
    expected = -(np.log(p[ones]).sum() + np.log1p(-p[~ones]).sum()) / 300
    assert large.loss(whole, of_ones, of_zeros) == pytest.approx(expected, rel=1e-9)


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


def test_chains_apart_have_no_effective_draws_together_but_within():
    draws = RNG.standard_normal((4, 200)) + 100 * np.arange(4)[:, None]
    assert chain_diagnostics(draws).ess_bulk < 20
    assert 500 < mixing.ess_within(draws) < 1100


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


def test_memory_says_when_there_is_too_little(monkeypatch):
    assert memory.lack_of_memory("Beta-Dir CVB0", TINY_SIZE, 2) is None
    monkeypatch.setattr(memory, "available_gb", lambda: 0.0)
    assert "0.0 GB are available" in memory.lack_of_memory("Beta-Dir CVB0", TINY_SIZE, 2)


def test_a_refusal_is_shown(monkeypatch):
    """The budget is not an argument of the worker: a matrix above it is what it takes."""
    monkeypatch.setattr(memory_worker, "draw_matrix", lambda F, N: np.zeros((F, N), np.int8))
    found = memory_worker.refusal("BetaDirVB", 1000, 1000, 1001, 1)
    assert "max_memory_gb = 4.0" in found["message"]
    with pytest.raises(SystemExit, match="was not refused"):
        memory_worker.refusal("BinaryICA", 4, 4, 2, 1)


def test_the_large_matrix_has_one_percent_ones():
    codes = memory_worker.draw_matrix(200, 300)
    assert codes.dtype == np.int8
    assert set(np.unique(codes)) == {0, 1}
    assert 0.005 < codes.mean() < 0.015


def test_memory_of_a_process_leaves_out_the_one_that_started_it():
    ballast = np.ones(25_000_000)  # 200 MB
    code = "import json, process_memory; print(json.dumps(process_memory.megabytes()))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=BENCHMARKS)
    assert process_memory.megabytes()["most"] > ballast.nbytes / 1e6
    assert json.loads(ran.stdout)["most"] < 100


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


def test_every_peer_is_pinned():
    for peer in ("nbmf-mm", "tomotopy", "lda", "gensim", *(one.peer for one in recommenders.METHODS if one.peer)):
        assert peers.requirement(peer).startswith(f"{peer}==")


def test_parts_write_pages_and_one_that_fails_stops_no_other(monkeypatch, tmp_path, capsys):
    def broken():
        raise RuntimeError("no luck")

    monkeypatch.setattr(kernels, "run", broken)
    monkeypatch.setattr(threads, "run", lambda: [common.Table("Bits", "All of them.", ["a"], [[1]])])
    monkeypatch.setattr(sys, "argv", ["run.py", "kernels", "threads", "--output", str(tmp_path)])
    with pytest.raises(SystemExit, match="failed: kernels"):
        run.main()
    assert [path.name for path in tmp_path.iterdir()] == ["threads.md"]
    page = (tmp_path / "threads.md").read_text(encoding="utf-8")
    assert "## Bits" in page
    assert page in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["run.py", "kernel"])
    with pytest.raises(SystemExit):
        run.main()


def test_all_parts_are_there():
    assert all(hasattr(sys.modules[part], "run") for part in run.PARTS)


def test_the_document_is_made_of_the_pages(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "DOCUMENT", tmp_path / "published.md")
    for part in run.PARTS:
        (tmp_path / f"{part}.md").write_text(run.page(part, [], "A machine", 3.0), "utf-8")
    monkeypatch.setattr(sys, "argv", ["run.py", "--publish", "--output", str(tmp_path)])
    run.main()
    headings = [s for s in run.DOCUMENT.read_text("utf-8").splitlines() if s.startswith("#")]
    assert headings == ["# Benchmarks", *(f"## Part: {part}" for part in run.PARTS)]


def test_parts_that_were_not_run_stay_in_the_document(monkeypatch, tmp_path):
    before = "# Benchmarks\n\nBy hand.\n\n## Part: kernels\n\nOld.\n\n## Part: peers\n\nKept.\n"
    monkeypatch.setattr(run, "DOCUMENT", tmp_path / "published.md")
    run.DOCUMENT.write_text(before, "utf-8")
    run.publish(tmp_path / "none")
    assert run.DOCUMENT.read_text("utf-8") == before
    for part in ("kernels", "threads"):
        (tmp_path / f"{part}.md").write_text(f"## Part: {part}\n\nNew.\n", "utf-8")
    run.publish(tmp_path)
    expected = before.replace("Old.\n", "New.\n\n## Part: threads\n\nNew.\n")
    assert run.DOCUMENT.read_text("utf-8") == expected


def test_lines_of_code_are_without_blanks_comments_and_docstrings():
    head = '"""Module.\n\nMore.\n"""\n\nx = """text\nof two lines"""  # kept\n# no code\n\n\n'
    source = head + 'def f():\n    """Doc."""\n    return (\n        x\n    )\n'
    assert code_lines.code_lines(source) == 6


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


def test_popularity_compared_with_factors():
    """An area under the curve by pairs; an inner fold has nothing of what is held out; every method has a row."""
    rng = np.random.default_rng(0)
    ones, zeros = rng.integers(0, 6, 9), rng.integers(0, 5, 7)
    pairs = np.sign(ones[:, None] - zeros).mean() / 2 + 0.5
    assert popularity.auc(ones, zeros) == pytest.approx(pairs, rel=1e-12)
    outer = large.split(large.drawn(large.Size(60, 40, 300, 2))[0])
    inner = popularity.inner(outer)
    before, now = (np.nan_to_num(part.V.toarray(), nan=-1) for part in (outer, inner))
    assert (now[before == -1] == -1).all()
    assert (before[tuple(inner.ones)] == 1).all()
    assert (before[tuple(inner.zeros)] == 0).all()
    assert (now[tuple(inner.ones)] == -1).all()
    found, of_shapes = popularity.run(popularity.Run(large.Size(60, 40, 300, 2), 6))
    assert len(found.rows) == 2 + len(list(popularity.methods(6)))
    assert column(found, "")[6] == "bernoulli-poisson-vb-scales"
    assert column(of_shapes, "shapes of W and H")[2:] == [
        "1 and 2",
        "2 and 2",
        "4 and 4",
        "learned, by source",
        "learned, by all",
    ]
    ended = list(zip(column(of_shapes, "median of W"), column(of_shapes, "of H"), strict=True))
    assert ended[2] == ("1.00", "2.00")
    assert ended[2] not in ended[-2:]


SPARSE = large.drawn(large.Size(60, 40, 500, 2))[0]


def fold_of_sparse():
    return recommenders.fold_of(SPARSE, sparse.csr_array(SPARSE.shape), "test")


def test_what_recommenders_do_not_see():
    """Held-out ones are no training ones; zeros are no ones of the whole matrix; weights make up for both."""
    V, fold = SPARSE.toarray(), fold_of_sparse()
    ones, zeros = fold.places[:, : fold.n_ones], fold.places[:, fold.n_ones :]
    assert fold.n_ones == 50
    assert V[tuple(ones)].all()
    assert not fold.ones.toarray()[tuple(ones)].any()
    assert not V[tuple(zeros)].any()
    assert fold.ones.sum() == 450
    assert fold.zeros * zeros.shape[1] == pytest.approx((V == 0).sum())
    assert (fold.held().sum(axis=1) > 0).all()
    hidden = sparse.csr_array(SPARSE - fold.ones)
    hidden.eliminate_zeros()
    inner = recommenders.fold_of(fold.ones, hidden, "test, inner")
    assert not V[tuple(inner.places[:, inner.n_ones :])].any()
    assert inner.zeros * (inner.places.shape[1] - inner.n_ones) == pytest.approx((V == 0).sum())


def test_the_loss_of_recommenders_is_that_of_the_whole_matrix():
    """A constant chance has a loss that can be told: of nine tenths of the ones a training matrix says p."""
    fold, p = fold_of_sparse(), 0.2
    loss = recommenders.losses(fold, np.full(fold.places.shape[1], (1 - recommenders.HELD_OUT) * p)).sum() / fold.n_ones
    n_zeros = SPARSE.shape[0] * SPARSE.shape[1] - SPARSE.nnz
    assert loss == pytest.approx(-np.log(p) - n_zeros / SPARSE.nnz * np.log1p(-p), rel=1e-12)


def test_calibrated_chances_add_up_and_keep_the_order():
    """Sums of chances are those of the ones, but for the half entries; a score without meaning has one chance."""
    fold = fold_of_sparse()
    scores = RNG.normal(size=fold.places.shape[1]) + 3 * (np.arange(fold.places.shape[1]) < fold.n_ones)
    zeros = scores.size - fold.n_ones
    chances = recommenders.calibration(fold, scores)(scores)
    assert (np.diff(chances[np.argsort(scores)]) >= 0).all()
    weight = np.where(np.arange(scores.size) < fold.n_ones, 9, fold.zeros)
    assert weight @ chances == pytest.approx(fold.ones.sum(), rel=0.05)
    same = recommenders.calibration(fold, np.ones(scores.size))(np.ones(3))
    ones, zeros = (fold.n_ones + 1) * 9, (zeros + 1) * weight[-1]  # half entries of two classes, one of them empty
    np.testing.assert_allclose(same, ones / (ones + zeros))


def test_scores_of_recommenders():
    """The first value is of all rows: the area under the curve by pairs, means over rows, sums of losses."""
    fold = fold_of_sparse()
    rates = RNG.integers(1, 5, fold.places.shape[1]) / 10
    found = np.array([RNG.permutation(SPARSE.shape[1]) for _ in fold.rows])
    scores = recommenders.Scores(fold, rates, found, True, lambda given: given, 400)
    ones, zeros = rates[: fold.n_ones], rates[fold.n_ones :]
    assert scores.values["AUC"][0] == pytest.approx(popularity.auc(ones, zeros), rel=1e-12)
    assert scores.values["NDCG@100"][0] == pytest.approx(rank_scores(found, fold.held()).ndcg, rel=1e-12)
    assert scores.values["recall@20"][0] == pytest.approx(rank_scores(found, fold.held()).recall, rel=1e-12)
    loss = recommenders.losses(fold, 1 - np.exp(-rates)).sum() / fold.n_ones
    assert scores.values["own loss"][0] == pytest.approx(loss, rel=1e-12)
    assert all(values[1:].std() > 0 for values in scores.values.values())
    assert scores.values["own loss"][1:].mean() == pytest.approx(loss, rel=0.05)


def test_recommended_columns_are_the_best_that_are_no_ones():
    ones = sparse.csr_matrix(SPARSE)
    A, B = RNG.normal(size=(60, 2)), RNG.normal(size=(40, 2))
    rows = np.array([3, 17])
    found = recommender_worker.Factors(A, B).recommended(ones, rows)
    for row, columns in zip(rows, found, strict=True):
        unknown = np.flatnonzero(SPARSE.toarray()[row] == 0)
        expected = unknown[np.argsort(-(A[row] @ B[unknown].T), kind="stable")]
        np.testing.assert_array_equal(columns[columns >= 0], expected)
    places = np.array([[3, 4], [5, 6]])
    np.testing.assert_allclose(recommender_worker.Factors(A, B).scores(places), (A @ B.T)[tuple(places)])


def test_recommenders_compared(monkeypatch):
    """A peer that fails is skipped, and the others are compared."""

    def missing(peer):
        raise peers.PeerMissingError(f"{peer} cannot be installed: no index")

    monkeypatch.setattr(recommenders, "python_of", missing)
    chosen = [recommenders.VB._replace(settings=recommenders.VB.settings[:2]), *recommenders.METHODS[2:4]]
    table = recommenders.compared("tiny", SPARSE, 2, tuple(chosen))
    assert column(table, "method") == [recommenders.VB.name, "popularity", "hpfrec"]
    assert column(table, "AUC")[-1] == "skipped: hpfrec cannot be installed: no index"
    assert " to " in column(table, "NDCG@100")[1]
    assert " to " not in column(table, "NDCG@100")[0]


def test_our_fits_score_as_they_predict():
    ones = sparse.csr_matrix(SPARSE)
    fitted = recommender_worker.nbmf(ones, 2, 1, "BernoulliPoissonGibbs", burn_in=5, n_samples=5)
    places = np.array([[3, 4], [5, 6]])
    np.testing.assert_allclose(1 - np.exp(-fitted.scores(places)), fitted.model.predict(*places))
    found = fitted.recommended(ones, np.array([3]))[0]
    chances = fitted.model.predict(np.full(40, 3), np.arange(40))
    unknown = np.flatnonzero(SPARSE.toarray()[3] == 0)
    np.testing.assert_array_equal(found[found >= 0], unknown[np.argsort(-chances[unknown], kind="stable")])


def test_settings_are_chosen_on_the_inner_fold(monkeypatch):
    """The first settings are best on the outer fold, the second on the inner one, by which they are chosen."""
    inner, outer = fold_of_sparse(), recommenders.fold_of(SPARSE, sparse.csr_array(SPARSE.shape), "another")

    def stand_in(fold, method, settings, K, threads=1):
        is_good = (fold is inner) == settings["second"]
        order = 1.0 if is_good else -1.0
        scores = 0.5 + 0.1 * order * (np.arange(fold.places.shape[1]) < fold.n_ones)
        held = fold.held().toarray()
        found = np.argsort(-order * held, axis=1, kind="stable")
        return recommenders.Fit(1.0, 1.0, scores, found)

    monkeypatch.setattr(recommenders, "fit", stand_in)
    method = recommenders.METHODS[3]._replace(settings=({"second": False}, {"second": True}))
    found = recommenders.outcome(method, inner, outer, 2)
    assert found.settings == {"second": True}
    assert found.of["AUC"].values["AUC"][0] == 0.0  # as it is on the outer fold
    rates = stand_in(outer, method, found.settings, 2).scores
    loss = recommenders.losses(outer, 1 - np.exp(-rates)).sum() / outer.n_ones
    assert found.of["own loss"].values["own loss"][0] == pytest.approx(loss)  # the smaller one was chosen


def test_the_package_index_is_a_matrix(monkeypatch):
    """Versions, alternatives and architectures are left out; a dependency of one package alone is no column."""
    index = (
        "Package: a\nDepends: libc (>= 2), x | y\nSize: 1\n\nPackage: b\nDepends: libc:any, y\n"
        "Description: text\n Depends: no\n\nPackage: c\nDepends: z\n\nPackage: d\nSize: 3\n"
    )
    ran = subprocess.CompletedProcess([], 0, stdout=index)
    monkeypatch.setattr(recommenders.subprocess, "run", lambda *args, **kwargs: ran)
    np.testing.assert_array_equal(recommenders.debian().toarray(), np.ones((2, 2)))  # a, b need libc, y

    def absent(*args, **kwargs):
        raise FileNotFoundError("apt-cache")

    monkeypatch.setattr(recommenders.subprocess, "run", absent)
    assert recommenders.debian() is None
