"""Count the words of every page, without results that scripts write: python docs/count_words.py [--reference].

The reference (the API and the command line) is counted on request alone: it is looked up, not read.
"""

import argparse
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REFERENCE = ("api", "command-line")
WRITTEN = re.compile(r"<!-- results of .*?<!-- end of results -->", re.DOTALL)


def words_of(page: Path) -> int:
    """Return how many words a page has outside what a script writes."""
    return len(WRITTEN.sub("", page.read_text(encoding="utf-8")).split())


def main() -> None:
    """Print the words of each page, the longest first, and their sum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", action="store_true", help="count the reference too")
    options = parser.parse_args()
    pages = [FOLDER.parent / "README.md", *FOLDER.glob("*.md")]
    words = {page.stem: words_of(page) for page in pages if options.reference or page.stem not in REFERENCE}
    for name, count in sorted(words.items(), key=lambda item: -item[1]):
        print(f"{count:7,}  {name}")
    print(f"{sum(words.values()):7,}  in {len(words)} pages")


if __name__ == "__main__":
    main()
