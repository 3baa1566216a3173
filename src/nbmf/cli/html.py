"""Pieces of an HTML page that is one file, pictures inside: to be mailed or printed."""

import base64
import platform
from collections.abc import Iterable
from html import escape
from importlib.metadata import version
from pathlib import Path

import nbmf
from nbmf.cli.described import Described

PAGE = 1440  # pixels of a picture as wide as a page: all are shown on one scale
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 60em; margin: 2em auto;
padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid #ccc; }
.verdict { border-left: 5px solid #009E73; background: #f2faf7; padding: .6em 1em; }
.nothing { border-color: #D55E00; background: #fdf5ef; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { padding: .15em .8em .15em 0; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
thead th { border-bottom: 1px solid #888; font-weight: 600; } img { max-width: 100%; }
figure { margin: 1em 0 2em; break-inside: avoid; } figcaption { color: #666; font-size: .9em; }
.swatch { display: inline-block; width: .8em; height: .8em; margin-right: .4em;
print-color-adjust: exact; }
.component { break-inside: avoid; } .label { color: #666; white-space: nowrap; }
code, pre { font-size: .9em; }
footer { margin-top: 3em; color: #666; font-size: .85em; border-top: 1px solid #ccc; }
@media print { body { font-size: 11px; margin: 0; max-width: none; } img { max-height: 24cm; } }
"""


def page(title: str, parts: Iterable[str], settings: str = "") -> str:
    """Return a whole page; `parts` are HTML, `settings` is said at its end."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    foot = f"nbmf {nbmf.__version__}, Python {platform.python_version()}, {versions}"
    end = "<br>".join(escape(line) for line in [*settings.splitlines(), foot])
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n"
        f"<footer>{end}</footer>\n</body></html>"
    )


def verdict_box(sentence: str, found: bool) -> str:
    """Return the verdict as the first thing that is seen."""
    kind = "verdict" if found else "verdict nothing"
    return f'<p class="{kind}">{escape(sentence[:1].upper() + sentence[1:])}.</p>'


def section(title: str, *parts: str) -> str:
    """Return a part of the page with a title, "" if there is nothing in it."""
    inner = "\n".join(filter(None, parts))
    return f"<section><h2>{escape(title)}</h2>\n{inner}</section>" if inner else ""


def paragraphs(lines: Iterable[str]) -> str:
    """Return lines of text as paragraphs."""
    return "\n".join(f"<p>{escape(line)}</p>" for line in lines)


class Markup(str):
    """Text that is HTML already."""


def swatch(colour: str, text: str) -> Markup:
    """Return a text behind a square of a colour, the one that it has in the pictures."""
    return Markup(f'<i class="swatch" style="background: {colour}"></i>{escape(text)}')


def table(head: list[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table whose columns are numbers, but for the first; cells are text or Markup."""

    def line(cells: Iterable[str], tag: str) -> str:
        made = [
            f"<{tag}{' class=n' if place else ''}>{cell if isinstance(cell, Markup) else escape(cell)}</{tag}>"
            for place, cell in enumerate(cells)
        ]
        return f"<tr>{''.join(made)}</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead>\n<tbody>{body}</tbody></table>"


def picture(path: Path, caption: str) -> str:
    """Return a PNG file as an image inside the page, with a caption below it."""
    content = path.read_bytes()
    pixels = int.from_bytes(content[16:20], "big")  # where a PNG has its width
    width = min(100, 100 * pixels // PAGE)
    encoded = base64.b64encode(content).decode("ascii")
    alt = escape(caption.partition(":")[0])
    return (
        f'<figure><img alt="{alt}" style="width: {width}%" src="data:image/png;base64,{encoded}">\n'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def component(described: Described, colour: str | None = None) -> str:
    """Return a component with what it holds and says, and its colour in the pictures.

    Effects have no colour.
    """
    heading = swatch(colour, described.title) if colour else escape(described.title)
    rows = "\n".join(
        f'<tr><td class="label">{escape(label)}</td><td>{escape(text)}</td></tr>' for label, text in described.lines
    )
    return f'<div class="component"><h3>{heading}</h3>\n<table><tbody>{rows}</tbody></table></div>'


def preformatted(text: str) -> str:
    """Return text as it is on a terminal."""
    return f"<pre>{escape(text)}</pre>"
