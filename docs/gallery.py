"""Run the examples of docs/gallery.md and write their pictures: python docs/gallery.py [FOLDER]."""

import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
from publish import compress

from nbmf.errors import ChainsNotConvergedWarning, NotConvergedWarning
from nbmf.plotting import style

DOCS = Path(__file__).resolve().parent
# A block of the page, and the picture behind it.
STEP = re.compile(r"^```python\n(.*?)^```\n+!\[[^\n]*\]\(figures/(gallery_\w+\.png)\)", re.M | re.S)
DPI = 110


def pictures(page: str) -> Iterator[tuple[str, plt.Figure]]:
    """Run the blocks of a page one after the other; yield the figure of each and its name."""
    names: dict = {}
    for block, name in STEP.findall(page):
        plt.close("all")
        with warnings.catch_warnings():
            for category in (NotConvergedWarning, ChainsNotConvergedWarning):  # short chains, as it says
                warnings.simplefilter("ignore", category)
            exec(compile(block, name, "exec"), names)
        yield name, plt.gcf()


def main() -> None:
    """Write the pictures into docs/figures, or into a folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "figures"
    style.use_no_screen()
    for name, figure in pictures((DOCS / "gallery.md").read_text(encoding="utf-8")):
        style.save(figure, folder / name, dpi=DPI)
        compress(folder / name, folder / name)
        print(name)


if __name__ == "__main__":
    main()
