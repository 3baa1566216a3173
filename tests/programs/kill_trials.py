"""SIGKILL at random moments: whatever was killed, the next run ends with the same results.

    python tests/programs/kill_trials.py --trials 50

A trial starts a small workflow in a fresh checkout and, at a random moment, kills the whole
workflow, its main process alone, one job (a fit, most often), or the download while it runs; one
that finds nothing left to kill does not count. Then it does what docs/workflow.md says - the same
command again, after `--unlock` if Snakemake asks for it - and checks that

- every result equals that of a run that was not interrupted, bit for bit,
- no job that had finished before was run again,
- neither a temporary file nor a checkpoint is left.
"""

import argparse
import base64
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import yaml

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from checkout import ROOT, Checkout

VICTIMS = ("workflow", "main process", "job", "download")
POLL = 0.005  # seconds
CHAINS = ("beta-dir-gs", "dir-dir-gs")
CHAIN = {"K": [30], "settings": {"burn_in": 3000, "n_samples": 1000}}
PAPER = yaml.safe_load((ROOT / "config/studies/lumbreras2020.yaml").read_text())
CONFIG = {
    "run": {"checkpoint_seconds": 0},
    "results": "results/trial",
    "mirrors": [str(ROOT / "data/raw"), str(ROOT / "data/mirror"), str(ROOT / "../shared/mirror")],
    "methods": {**dict.fromkeys(CHAINS, CHAIN), "bica": {"K": [2], "settings": {"max_iter": 200}}},
    "studies": {
        "lumbreras2020": {
            "datasets": ["animals", "beta_dir_1"],
            "methods": ["beta-dir-gs", "bica"],
            "masks": 1,
            "unmasked": {
                **dict.fromkeys(PAPER["studies"]["lumbreras2020"]["unmasked"]),
                "animals": {name: {"K": [30], "seeds": 1} for name in CHAINS},
            },
        }
    },
}
TARGETS = ("lumbreras2020_table_scores", "lumbreras2020_table_unmasked_scores")


class Workflow:
    """One run of Snakemake that can be killed."""

    def __init__(self, checkout: Checkout):
        self._checkout = checkout
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            checkout.command("--cores", "2", *TARGETS, config=CONFIG),
            cwd=checkout.folder,
            env=checkout.environment(),
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def jobs(self, script: str = "") -> list[int]:
        """Return the processes that run a rule's script."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                command = (entry / "cmdline").read_bytes().decode().split("\0")
                folder = os.readlink(entry / "cwd")
            except OSError:  # it has just ended
                continue
            if folder == str(self._checkout.folder) and any(
                ".snakemake/scripts/" in word and word.endswith(f"{script}.py") for word in command
            ):
                found.append(int(entry.name))
        return found

    def kill(self, victim: str, after: float, rng: random.Random) -> str | None:
        """Kill the victim `after` seconds; return what was killed, None if it had ended."""
        if victim == "download":
            return self._kill_a_job("download", rng)
        time.sleep(max(0.0, self.started + after - time.monotonic()))
        if victim == "job":
            return self._kill_a_job("", rng)
        if self.process.poll() is not None:
            return None
        if victim == "workflow":
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            os.kill(self.process.pid, signal.SIGKILL)
        return victim

    def _kill_a_job(self, script: str, rng: random.Random) -> str | None:
        """Wait for a job of the script, and a moment more, then kill it."""
        while not self.jobs(script):
            if self.process.poll() is not None:
                return None
            time.sleep(POLL)
        pid = rng.choice(self.jobs(script) or [0])
        time.sleep(rng.uniform(0, 0.2 if script else 1.0))
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            os.kill(pid, signal.SIGKILL)
        except (OSError, ProcessLookupError):
            return None
        return next(word for word in words if word.endswith(".py")).rsplit(".", 2)[-2]

    def wait(self) -> tuple[int, str]:
        """Return the exit code and the output, once nothing of it runs any more."""
        output = self.process.communicate()[0]
        while self.jobs():  # of a main process that was killed alone
            time.sleep(POLL)
        return self.process.returncode, output


def results(folder: Path) -> dict[str, object]:
    """Return the content of every result, without the seconds that fits took."""
    found = {}
    for path in sorted((folder / "results/trial").rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".json":
            found[name] = {**json.loads(path.read_text()), "seconds": None}
        elif path.suffix == ".npz":
            with np.load(path) as arrays:
                found[name] = {key: arrays[key].tobytes() for key in arrays.files}
        elif path.suffix == ".csv":
            rows = [line.split(",") for line in path.read_text().splitlines()]
            timed = [i for i, column in enumerate(rows[0]) if column.startswith("seconds")]
            found[name] = [[c for i, c in enumerate(r) if i not in timed] for r in rows]
    return found


def finished_fits(folder: Path) -> dict[Path, int]:
    """Return the fits that Snakemake knows to be complete, and when each was written."""
    marked = {
        base64.b64decode(path.name.replace("-", "/") + "==").decode(errors="ignore")
        for path in (folder / ".snakemake/incomplete").glob("*")
        if path.is_file()
    }
    fits = folder.glob("results/trial/fits/*/*/*.json")
    return {path: path.stat().st_mtime_ns for path in fits if path.relative_to(folder).as_posix() not in marked}


def leftovers(folder: Path) -> list[str]:
    """Return temporary files and checkpoints below results and data."""
    return [
        path.relative_to(folder).as_posix()
        for part in ("results", "data")
        for path in (folder / part).rglob("*")
        if path.is_file()
        and (path.name.startswith(".") or path.name.endswith(".checkpoint.npz"))
        and path.name != ".gitignore"
    ]


def complete(checkout: Checkout) -> tuple[str, bool]:
    """Run to the end as the documentation says; return the output, and whether it had to unlock."""
    code, output = Workflow(checkout).wait()
    locked = "--unlock" in output
    if locked:
        checkout.snakemake("--unlock", config=CONFIG)
        code, output = Workflow(checkout).wait()
    if code != 0:
        raise AssertionError(f"the run after the kill failed:\n{output[-3000:]}")
    return output, locked


def trial(victim: str, after: float, expected: dict, rng: random.Random) -> tuple[str, str]:
    """Kill, run again, check; return what was killed, and what happened in a line.

    What was killed is empty if everything had ended before.
    """
    with tempfile.TemporaryDirectory(prefix="nbmf-kill-") as temporary:
        checkout = Checkout(Path(temporary).resolve())
        workflow = Workflow(checkout)
        killed = workflow.kill(victim, after, rng) or ""
        moment = time.monotonic() - workflow.started
        workflow.wait()
        before = finished_fits(checkout.folder)
        checkpoints = len(list(checkout.folder.rglob("*.checkpoint.npz")))
        output, locked = complete(checkout)
        problems = []
        if results(checkout.folder) != expected:
            problems.append("other results")
        again = [p.name for p, written in before.items() if p.stat().st_mtime_ns != written]
        if again:
            problems.append(f"run again: {', '.join(again)}")
        if leftovers(checkout.folder):
            problems.append(f"left: {', '.join(leftovers(checkout.folder))}")
        if problems:
            raise AssertionError(f"{killed} killed after {moment:.2f} s: {'; '.join(problems)}\n{output}")
        return killed, (
            f"{killed} killed after {moment:.2f} s: {len(before)} fits were done, "
            f"{checkpoints} had a checkpoint{', unlocked' if locked else ''}"
        )


def main() -> None:
    """Run the trials; end with code 1 at the first that goes wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="nbmf-kill-") as temporary:
        undisturbed = Checkout(Path(temporary).resolve())
        started = time.monotonic()
        complete(undisturbed)
        length = time.monotonic() - started
        expected = results(undisturbed.folder)
    print(f"undisturbed: {length:.1f} s, {len(expected)} results", flush=True)
    count = Counter()
    while count.total() < arguments.trials:
        victim = VICTIMS[count.total() % len(VICTIMS)]
        killed, line = trial(victim, rng.uniform(0.0, length), expected, rng)
        if killed:
            count[killed] += 1
            print(f"{count.total()}. {line}", flush=True)
    print(f"{arguments.trials} trials passed; killed: {dict(count)}; configuration:")
    print(yaml.safe_dump(CONFIG["run"], default_flow_style=True).strip())


if __name__ == "__main__":
    sys.exit(main())
