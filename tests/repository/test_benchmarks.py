"""The benchmarks: their scripts, clock, tables and pages; their parts are run in test_benchmark_parts.py."""

import importlib
import json
import subprocess
import sys

import naive
import numpy as np
import pytest
from tiny_benchmarks import BENCHMARKS, CODES

import code_lines
import common
import kernels
import large
import memory
import memory_worker
import mixing
import peers
import plain_loops
import process_memory
import recommenders
import run
import threads
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir
from nbmf.posterior.diagnostics import chain_diagnostics

RNG = np.random.default_rng(5)

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


def test_digests_differ_with_the_bits():
    one, other = np.zeros(3), np.array([0.0, 0.0, -0.0])
    assert threads.digest([one]) == threads.digest([one.copy()]) != threads.digest([other])


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


def test_chains_apart_have_no_effective_draws_together_but_within():
    draws = RNG.standard_normal((4, 200)) + 100 * np.arange(4)[:, None]
    assert chain_diagnostics(draws).ess_bulk < 20
    assert 500 < mixing.ess_within(draws) < 1100


def test_memory_says_when_there_is_too_little(monkeypatch):
    size = memory.Size(F=40, N=30, K=4, K_that_fits=2, sweeps=1)
    assert memory.lack_of_memory("Beta-Dir CVB0", size, 2) is None
    monkeypatch.setattr(memory, "available_gb", lambda: 0.0)
    assert "0.0 GB are available" in memory.lack_of_memory("Beta-Dir CVB0", size, 2)


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
    assert all(hasattr(importlib.import_module(part), "run") for part in run.PARTS)


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
