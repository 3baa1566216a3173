"""Mutation check of all of `src`: how many of a few hundred errors, planted anywhere, does `make test` notice?

    python tests/programs/mutation_everywhere.py --mutants 300 --seed 1

`mutation.py` looks at the files where inference happens, each with the tests that are named there. This program draws
one-place changes from every file, by a seed, so that nobody has chosen where it looks. First each file of tests runs
once under coverage, which says by which tests a line is run; then each mutant is tried by these alone, the quickest
first, for some minutes. Code that is compiled leaves no trace in coverage: its tests are those of the table in
`mutation.py`, with their statistics. A mutant that no test runs has survived. Writes results/mutations_everywhere.md;
more than 5 % of survivors without a reason end in exit status 1.
"""

import argparse
import ast
import functools
import importlib.util
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import mutation
from mutation import ROOT, Finder, Record, Tree, apply, final

LARGEST_SHARE = 0.05  # of mutants that may survive without a reason
FEWEST, MOST_SECONDS = 3, 300  # files of tests that try a mutant in any case; for how long others do
HEADER = """# Mutants of all of src

One-place changes drawn from every file, each as likely as any other:

    {command}
"""
QUICK = "not long and not workflow and not statistics"


class Covered(NamedTuple):
    """Which files of tests run which lines, and how long each takes.

    by_line : dict from a file below src to a dict from a line to the names of files of tests
    seconds : dict from a name of a file of tests to its time
    """

    by_line: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def tests_of(self, file: str, line: int) -> list[str]:
        """Return the tests that run a line, the quickest first; of code that is compiled those that are named."""
        named = mutation.TESTS.get(file.removeprefix("nbmf/"), [])
        found = self.by_line.get(file, {}).get(first_lines(file).get(line, line), [])
        found = [name for name in sorted(found, key=self.seconds.get) if name not in named]
        until = list(itertools.accumulate(self.seconds[name] for name in found))
        return [*named, *(name for n, name in enumerate(found) if n < FEWEST or until[n] <= MOST_SECONDS)]


@functools.cache
def first_lines(file: str) -> dict[int, int]:
    """Return the first line of the statement that each line of a file is in: it stands for all of them in coverage."""
    first = {}
    for node in ast.walk(ast.parse((ROOT / "src" / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt):  # statements within others come later
            first |= dict.fromkeys(range(node.lineno, node.end_lineno + 1), node.lineno)
    return first


def covered(workers: int, kept: Path | None) -> Covered:
    """Run each file of tests under coverage, alone, and return what was seen; `kept` holds it for the next run."""
    seen = {}
    if kept and kept.exists():
        seen = {name: one for name, *one in map(json.loads, kept.read_text(encoding="utf-8").splitlines())}
    files = sorted(file for file in (ROOT / "tests").rglob("test_*.py") if name_of(file) not in seen)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda file: lines_run_by(file, Path(folder)), files)
        for name, (taken, lines) in zip(map(name_of, files), results, strict=True):
            seen[name] = taken, lines
            print(f"{name}: {taken:.0f} s, {len(lines)} files of src", flush=True)
            if kept:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(f"{json.dumps([name, taken, lines])}\n")
    by_line = defaultdict(lambda: defaultdict(list))
    for name, (_, lines) in seen.items():
        for source, numbers in lines.items():
            for number in numbers:
                by_line[source][number].append(name)
    return Covered(by_line, {name: taken for name, (taken, _) in seen.items()})


def name_of(file: Path) -> str:
    """Return the name of a file of tests, as `mutation.TESTS` has them."""
    return file.stem.removeprefix("test_")


def lines_run_by(file: Path, folder: Path) -> tuple[float, dict[str, list[int]]]:
    """Return the seconds of a file of tests, and the lines of src that it runs inside of functions."""
    data, written = folder / f"{file.stem}.data", folder / f"{file.stem}.json"
    tests = ["-m", "pytest", "-q", "-m", QUICK, "-p", "no:cacheprovider", f"--basetemp={folder / file.stem}", str(file)]
    started = time.monotonic()
    under_coverage("run", f"--data-file={data}", "--source=src", *tests)
    taken = time.monotonic() - started
    under_coverage("json", "-q", "-i", f"--data-file={data}", "-o", str(written))
    if not written.exists():  # no test of this file is a quick one
        return taken, {}
    held = json.loads(written.read_text(encoding="utf-8"))["files"]
    lines = {source.removeprefix("src/"): lines_of_functions(one) for source, one in held.items()}
    return taken, {source: numbers for source, numbers in lines.items() if numbers}


def under_coverage(*arguments: str) -> None:
    """Run a command of coverage; tests that fail here fail for each mutant too, as `make test` would have said."""
    subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=ROOT, capture_output=True, check=False)


def lines_of_functions(held: dict) -> list[int]:
    """Return the lines that ran in functions; of what an import runs, those of a file of which some function ran."""
    inside = [n for name, one in held["functions"].items() if name for n in one["executed_lines"]]
    return sorted(held["executed_lines"]) if inside else []


def drawn(size: int, seed: int) -> list[tuple[str, mutation.Mutant]]:
    """Return mutants of all files of src, each as likely as any other."""
    every = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        file = path.relative_to(ROOT / "src").as_posix()
        every += [(file, mutant) for mutant in Finder(path.read_text(encoding="utf-8")).mutants()]
    return sorted(random.Random(seed).sample(every, min(size, len(every))))


def tried(tree: Tree, file: str, mutant: mutation.Mutant, tests: list[str]) -> Record:
    """Return what became of a mutant."""
    inside = file.removeprefix("nbmf/")
    for test in tests:
        outcome = tree.outcome(inside, apply(mutant, tree.source(inside)), [test])
        if outcome[0] != "survived":
            return Record(inside, mutant, *outcome)
    return Record(inside, mutant, "survived", "" if tests else "no test runs this line")


def report(records: list[Record], options: argparse.Namespace) -> str:
    """Return the page as Markdown."""
    kinds = ("killed", "crashed", "timed out", "equivalent", "survived")
    counts = defaultdict(Counter)
    for record in records:
        counts[record.file][final(record)] += 1
    rows = [["file", "mutants", *kinds], ["---"] + ["--:"] * 6]
    rows += [[file, count.total(), *(count[kind] for kind in kinds)] for file, count in counts.items()]
    total = sum(counts.values(), Counter())
    rows.append(["all", total.total(), *(total[kind] for kind in kinds)])
    survivors = [["file", "function", "line", "mutation", "why"], ["---"] * 5]
    for record in (record for record in records if record.outcome == "survived"):
        mutant = record.mutant
        why = f"equivalent: {record.reason}" if record.reason else f"**survived** {record.test}".strip()
        survivors.append([record.file, *map(mutation.code, (mutant.function, mutant.line, mutant.mutation)), why])
    options_given = f"--mutants {options.mutants} --seed {options.seed}"
    head = HEADER.format(command=f"python tests/programs/mutation_everywhere.py {options_given}")
    return f"{head}\n{mutation.table(rows)}\n\n## Survivors\n\n{mutation.table(survivors)}\n"


def main() -> None:
    """Draw mutants, try them, write the page, and say whether too many survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=300, help="how many (300)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time (2)")
    parser.add_argument("--patience", type=float, default=120, help="seconds without output that count as a hang (120)")
    parser.add_argument(
        "--coverage", type=Path, help="keeps which tests run which lines: a second run needs no coverage"
    )
    parser.add_argument("--records", type=Path, help="keeps what became of each mutant: a run that ended early goes on")
    parser.add_argument("--report", type=Path, default=ROOT / "results" / "mutations_everywhere.md")
    options = parser.parse_args()
    if not importlib.util.find_spec("coverage"):
        parser.error("the package coverage is needed, which is not installed here: pip install coverage")
    lines = covered(options.workers, options.coverage)
    records = []
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder, ThreadPoolExecutor(options.workers) as pool:
        trees = [Tree(Path(folder) / str(number), options.patience) for number in range(options.workers)]

        before = held_records(options.records)

        def attempt(given):
            file, mutant = given
            if given in before:
                return before[given]
            tree = trees.pop()
            try:
                record = tried(tree, file, mutant, lines.tests_of(file, mutant.row))
            finally:
                trees.append(tree)
            if options.records:
                with options.records.open("a", encoding="utf-8") as kept:
                    kept.write(f"{json.dumps([file, *record])}\n")
            return record

        for record in pool.map(attempt, drawn(options.mutants, options.seed)):
            records.append(record)
            print(f"{record.file}: {record.mutant.line}   [{record.mutant.mutation}]   {record[2:]}", flush=True)
    options.report.parent.mkdir(parents=True, exist_ok=True)
    options.report.write_text(report(records, options), encoding="utf-8")
    survivors = [record for record in records if final(record) == "survived"]
    print(f"{len(records)} mutants, {len(survivors)} of them survived without a reason")
    sys.exit(len(survivors) > LARGEST_SHARE * len(records))


def held_records(path: Path | None) -> dict[tuple[str, mutation.Mutant], Record]:
    """Return what became of mutants of the same source in an earlier run, by file and mutant."""
    if not path or not path.exists():
        return {}
    held = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        file, inside, mutant, *outcome = json.loads(line)
        record = Record(inside, mutation.Mutant(*mutant), *outcome)
        held[file, record.mutant] = record
    return held


if __name__ == "__main__":
    main()
