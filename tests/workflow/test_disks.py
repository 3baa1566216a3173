"""A results folder on a disk that is full, or read-only: a clear error, and nothing lost."""

import json
import subprocess

import pandas as pd
import pytest
from checkout import Checkout
from finished_run import studying, target

pytestmark = pytest.mark.workflow

FEW = {"datasets": ["beta_dir_1"], "methods": ["bica", "logpca"], "unmasked": None}
CONFIG, MORE = (studying(**FEW, masks=masks) for masks in (2, 3))
SCORES = target("table_scores")
FITS = 2 * 3


class Disk:
    """A file system in memory, mounted on a folder."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)

    def mount(self, options):
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")

    def change(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.folder], check=True)

    def unmount(self):
        subprocess.run(["umount", "--lazy", self.folder], check=False, capture_output=True)


@pytest.fixture
def disk(tmp_path):
    disk = Disk(tmp_path / "results/tiny")
    yield disk
    disk.unmount()


def written(folder):
    """Return the fits that are there, complete, and when each was written."""
    fits = {path: path.stat().st_mtime_ns for path in folder.glob("fits/*/*/*.json")}
    assert all(json.loads(path.read_text())["n_iter"] > 0 for path in fits)
    return fits


def test_a_full_and_a_read_only_disk_stop_the_run_clearly_and_it_goes_on_later(tmp_path, disk):
    checkout = Checkout(tmp_path)
    disk.mount("size=64k")
    full = checkout.snakemake(SCORES, config=CONFIG)
    assert full.returncode != 0
    assert "No space left on device" in full.stdout
    finished = written(disk.folder)
    assert 0 < len(finished) < FITS

    disk.change("size=50m")
    assert checkout.snakemake(SCORES, config=CONFIG).returncode == 0
    assert len(written(disk.folder)) == FITS
    assert finished.items() <= written(disk.folder).items()
    scores = pd.read_csv(disk.folder / "lumbreras2020/tables/scores.csv")

    disk.change("ro")
    read_only = checkout.snakemake(SCORES, config=MORE)
    assert read_only.returncode != 0
    assert "Write-protected output files for rule table" in read_only.stdout
    assert "results/tiny/lumbreras2020/tables/scores.csv" in read_only.stdout
    assert "Traceback" not in read_only.stdout
    disk.change("rw")
    pd.testing.assert_frame_equal(pd.read_csv(disk.folder / "lumbreras2020/tables/scores.csv"), scores)
    assert len(written(disk.folder)) == FITS
    assert checkout.snakemake(SCORES, config=MORE).returncode == 0
    assert finished.items() <= written(disk.folder).items()
