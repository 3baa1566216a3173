"""Count lines of code: those that are not blank, no comment and no part of a docstring.

python benchmarks/code_lines.py src            every package below, and its parts
python benchmarks/code_lines.py src --files    and every file
"""

import argparse
import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(source: str) -> int:
    """Return how many lines of a Python source hold code."""
    docstrings = _lines_of_docstrings(ast.parse(source))
    held = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            held.update(range(token.start[0], token.end[0] + 1))
    return len(held - docstrings)


def _lines_of_docstrings(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
            continue
        if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
            lines.update(range(body[0].lineno, body[0].end_lineno + 1))
    return lines


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", action="store_true", help="every file, not only the parts of packages")
    options = parser.parse_args()
    counts: Counter = Counter()
    for path in options.folder.rglob("*.py"):
        here = path.relative_to(options.folder)
        lines = code_lines(path.read_text(encoding="utf-8"))
        parts = [here.parent, *here.parent.parents] + ([here] if options.files or len(here.parts) == 2 else [])
        counts.update(dict.fromkeys(parts, lines))
    for part, lines in sorted(counts.items()):
        if options.files or len(part.parts) <= 3:
            print(f"{lines:7,}  {'  ' * len(part.parts)}{part}")


if __name__ == "__main__":
    main()
