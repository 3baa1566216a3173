"""The wheel alone: built from a source archive, installed in a fresh environment, used there.

    python tests/programs/wheel.py

Everything happens in a temporary folder outside the checkout, with the versions of
requirements.lock, but only the packages that the wheel itself asks for. Ends with an error where
the wheel has a file too many or too few, or a command does not do what it should.
"""

import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from checkout import ROOT, Checkout

# Besides the files of src/nbmf, a wheel has those that describe it.
DESCRIPTION = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt")

USE = """
import json, sys
from pathlib import Path

import nbmf
from nbmf.catalogue import METHODS

matrix = nbmf.read("votes.csv", log=lambda line: None)
model = nbmf.BetaDirVB(n_components=3, max_iter=20, random_state=0).fit(matrix)
assert model.expectation_.shape == matrix.codes.shape
assert "beta-dir-vb" in METHODS
example = nbmf.load_example("parliament")
assert example.codes.shape == (130, 130) and len(set(example.row_groups)) > 1
here = Path(nbmf.__file__)
assert here.is_relative_to(sys.prefix), here
print(json.dumps(sorted(METHODS)))
"""


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    """Run a command outside the checkout; return what it printed, or end with that."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**clean, **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def build(checkout: Path, folder: Path) -> tuple[Path, Path]:
    """Build a source archive and, from it, a wheel; return their paths.

    With the setuptools of the lock, not one that the index has today.
    """
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, checkout, folder=folder)
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return archive, wheel


def check_files(wheel: Path, archive: Path, checkout: Path) -> None:
    """End with an error unless the wheel has all files of the package and no other."""
    with zipfile.ZipFile(wheel) as opened:
        found = set(opened.namelist())
    description = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    source = checkout / "src"
    library = (source / "nbmf").rglob("*")  # and nothing of the studies
    expected = {
        *(path.relative_to(source).as_posix() for path in library if is_source(path)),
        *(f"{description}/{name}" for name in DESCRIPTION),
    }
    if found != expected:
        sys.exit(f"too many files: {sorted(found - expected)}; too few: {sorted(expected - found)}")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    missing = {"LICENSE", "README.md", "pyproject.toml"} - names
    if missing:
        sys.exit(f"the source archive lacks {sorted(missing)}")


def is_source(path: Path) -> bool:
    """Whether a file below src belongs to the package: no folder, no product of a build."""
    made = any(part == "__pycache__" or part.endswith(".egg-info") for part in path.parts)
    return path.is_file() and not made


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel in a new environment; return the folder of its programs.

    The lock's versions are constraints: pip takes what the wheel asks for and nothing else, which
    shows whether that is enough. (With checksums pip 23 wants every requirement pinned in place.)
    """
    run(sys.executable, "-m", "venv", "environment", folder=folder)
    lock = (ROOT / "requirements.lock").read_text()
    pins = [line.removesuffix("\\") for line in lock.splitlines() if "==" in line.split(";")[0]]
    (folder / "pins.txt").write_text("\n".join(pins) + "\n")
    programs = folder / "environment/bin"
    pip = [programs / "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:"]
    run(*pip, wheel, "-c", "pins.txt", folder=folder)
    run(programs / "pip", "check", folder=folder)
    return programs


def write_votes(path: Path) -> None:
    """Write a small CSV: two blocks of ones, noise, and some missing votes."""
    draw = random.Random(0)
    lines = ["member," + ",".join(f"vote {n}" for n in range(12))]
    for f in range(30):
        likely = [0.9 if (f < 15) == (n < 6) else 0.1 for n in range(12)]
        votes = [str(int(draw.random() < p)) if draw.random() < 0.9 else "" for p in likely]
        lines.append(f"member {f}," + ",".join(votes))
    path.write_text("\n".join(lines) + "\n")


def use(programs: Path, folder: Path) -> None:
    """End with an error unless the commands and the package work, from an empty folder."""
    folder.mkdir()
    write_votes(folder / "votes.csv")
    home = {"HOME": str(folder), "PATH": f"{programs}:/usr/bin:/bin", "MPLBACKEND": "agg"}

    def nbmf(*arguments: str) -> str:
        return run(programs / "nbmf", *arguments, folder=folder, **home)

    version = nbmf("--version").split()[-1]
    if not any(programs.parent.rglob(f"nbmf-{version}.dist-info")):
        sys.exit(f"nbmf --version says {version}, which is not what was installed")
    expect("30 rows x 12 columns", nbmf("info", "votes.csv"))
    nbmf("fit", "votes.csv", "--components", "3")
    nbmf("compare", "votes.csv", "--methods", "bica", "beta-dir-vb", "--components", "2", "3", "--masks", "2")
    for name in ("votes.nbmf/summary.txt", "votes.compare/scores.csv", "votes.compare/comparison.png"):
        if not (folder / name).is_file():
            sys.exit(f"{name} was not written; there is {sorted(map(str, folder.rglob('*')))}")
    methods = json.loads(run(programs / "python", "-c", USE, folder=folder, **home))
    if not {"beta-dir-vb", "bica"}.issubset(methods):
        sys.exit(f"nbmf.catalogue.METHODS has {methods}")


def expect(text: str, output: str) -> None:
    """End with an error unless an output has a text in it."""
    if text not in output:
        sys.exit(f"{text!r} is not in\n{output}")


def main() -> None:
    """Build, check, install and use the wheel; say how long each took."""
    with tempfile.TemporaryDirectory(prefix="nbmf-wheel-") as name:
        folder, started = Path(name), time.monotonic()
        for part in ("checkout", "built"):
            (folder / part).mkdir()
        checkout = Checkout(folder / "checkout").folder

        def say(what: str) -> None:
            print(f"{time.monotonic() - started:5.1f} s  {what}", flush=True)

        archive, wheel = build(checkout, folder / "built")
        say(f"built {wheel.name} ({wheel.stat().st_size / 1e6:.2f} MB) from {archive.name}")
        check_files(wheel, archive, checkout)
        say("its files are those of src/nbmf")
        programs = install(wheel, folder)
        say("installed with what it asks for, in the versions of requirements.lock")
        use(programs, folder / "elsewhere")
        say("nbmf info, fit and compare, the package, its methods and examples work")


if __name__ == "__main__":
    main()
