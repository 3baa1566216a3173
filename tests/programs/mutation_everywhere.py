"""Mutation check of all of `src`: how many of a few hundred errors, planted anywhere, does `make test` notice?

    python tests/programs/mutation_everywhere.py --mutants 300 --seed 1

`mutation.py` looks at the files where inference happens, each with the tests that are named there. This program draws
one-place changes from every file, by a seed, so that nobody has chosen where it looks. First the tests run once with
the plugin `lines_run`, which says which files of them run a line; then each mutant is tried by these alone, the
quickest first, for some minutes. Code that is compiled leaves no trace there: its tests are those of the table in
`mutation.py`, with their statistics. A mutant that no test runs has survived. Writes results/mutations_everywhere.md;
more than 5 % of survivors without a reason end in exit status 1.
"""

import argparse
import ast
import functools
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import mutation
from lines_run import IMPORTS
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
        found = self.by_line.get(file, {}).get(statements(file)[0].get(line, line), [])
        found = [name for name in sorted(found, key=self.seconds.get) if name not in named]
        until = list(itertools.accumulate(self.seconds[name] for name in found))
        return [*named, *(name for n, name in enumerate(found) if n < FEWEST or until[n] <= MOST_SECONDS)]


@functools.cache
def statements(file: str) -> tuple[dict[int, int], set[int]]:
    """Return the first line of the statement that each line of a file is in, and those of statements in no function."""
    first, inside = {}, set()
    for node in ast.walk(ast.parse((ROOT / "src" / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt):  # statements within others come later
            first |= dict.fromkeys(range(node.lineno, node.end_lineno + 1), node.lineno)
        if isinstance(node, ast.FunctionDef):
            within = (inner for statement in node.body for inner in ast.walk(statement))
            inside |= {inner.lineno for inner in within if isinstance(inner, ast.stmt)}
    return first, set(first.values()) - inside


def covered(workers: int, folder: Path) -> Covered:
    """Run the files of tests that are not yet in the folder, and return what each file of them runs."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    missing = [str(file) for file in files if not (folder / f"{file.stem}.json").exists()]
    if missing:
        # Tests that fail here fail for each mutant too, as `make test` would have said.
        tests = ["-q", "-m", QUICK, "-p", "lines_run", f"--lines-run={folder}", *missing]
        parallel = ["--numprocesses", str(workers), "--dist", "loadfile"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(Path(__file__).parent)])}
        subprocess.run([sys.executable, "-m", "pytest", *tests, *parallel], cwd=ROOT, env=environment, check=False)
    by_line, seconds = defaultdict(lambda: defaultdict(list)), {}
    imports = json.loads((folder / f"{IMPORTS}.json").read_text(encoding="utf-8"))["lines"]
    for written in sorted(folder.glob("test_*.json")):
        name, held = written.stem.removeprefix("test_"), json.loads(written.read_text(encoding="utf-8"))
        seconds[name] = held["seconds"]
        for source, numbers in held["lines"].items():
            first, outside = statements(source)
            run = {first.get(number, number) for number in (*numbers, *imports.get(source, ()))}
            for number in run | outside:  # what an import runs belongs to all tests that run something of the file
                by_line[source][number].append(name)
    return Covered(by_line, seconds)


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
    parser.add_argument("--lines", type=Path, help="folder that keeps which tests run which lines, for a second run")
    parser.add_argument("--records", type=Path, help="keeps what became of each mutant: a run that ended early goes on")
    parser.add_argument("--report", type=Path, default=ROOT / "results" / "mutations_everywhere.md")
    options = parser.parse_args()
    records = []
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder, ThreadPoolExecutor(options.workers) as pool:
        lines = covered(options.workers, options.lines or Path(folder) / "lines")
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
