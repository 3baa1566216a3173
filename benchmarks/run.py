"""Run the benchmarks: `make benchmark`, or some parts alone.

    .venv/bin/python benchmarks/run.py kernels scaling

Prints the tables of each part and writes them to results/benchmarks/<part>.md. With --publish it
runs nothing: it puts the pages that there are into benchmarks/published.md.
"""

import argparse
import importlib
import re
import sys
import time
import traceback
from pathlib import Path

from common import ROOT, Table, environment, say
from nbmf.files import atomic_path
from nbmf.numerics.blas import one_blas_thread

DOCUMENT = ROOT / "benchmarks" / "published.md"
HEADING = re.compile(r"^## Part: (\w+)$", re.MULTILINE)
INTRODUCTION = """\
# Benchmarks

Made by `make benchmark` and `benchmarks/run.py --publish`; what it means is in
[docs/performance.md](../docs/performance.md).
"""
PARTS = ("kernels", "threads", "scaling", "mixing", "learning", "membership", "memory")
PARTS += ("startup", "peers")
PARTS += ("logistic", "poisson", "large", "large_sparse", "popularity", "recommenders", "buffet")


def page(part: str, tables: list[Table], machine: str, seconds: float) -> str:
    """Return the Markdown page of a part."""
    text = "\n".join(table.markdown() for table in tables)
    return f"## Part: {part}\n\n{machine}.\n\nMade by `benchmarks/run.py {part}` in {seconds:.0f} s.\n\n{text}"


def run_part(part: str, folder: Path) -> None:
    """Run a part; print its page and write it."""
    tables_of = importlib.import_module(part).run
    machine, started = environment(), time.perf_counter()
    with one_blas_thread():
        tables = tables_of()
    text = page(part, tables, machine, time.perf_counter() - started)
    print(text, flush=True)
    with atomic_path(folder / f"{part}.md") as temporary:
        temporary.write_text(text, encoding="utf-8")


def publish(folder: Path) -> None:
    """Put the pages in `folder` into benchmarks/published.md; parts without one stay as they are.

    Each part says on which machine and from which sources it was made.
    """
    introduction, pages = INTRODUCTION, {}
    if DOCUMENT.exists():
        introduction, *others = re.split(HEADING, DOCUMENT.read_text(encoding="utf-8"))
        pages = {part: f"## Part: {part}{text}" for part, text in zip(others[::2], others[1::2], strict=True)}
    for part in PARTS:
        if (path := folder / f"{part}.md").exists():
            pages[part] = path.read_text(encoding="utf-8")
    text = [introduction, *(pages[part] for part in PARTS if part in pages)]
    DOCUMENT.write_text("\n".join(part.strip("\n") + "\n" for part in text), encoding="utf-8")


def main() -> None:
    """Run the parts named on the command line; one that fails does not stop the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "benchmarks")
    parser.add_argument("--publish", action="store_true", help="published.md from the pages")
    options = parser.parse_args()
    if options.publish:
        return publish(options.output)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    failed = []
    for part in options.parts or PARTS:
        say(f"benchmark: {part}")
        try:
            run_part(part, options.output)
        except Exception:
            traceback.print_exc()
            failed.append(part)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
