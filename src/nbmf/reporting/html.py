"""A report as a page that is one file, with pictures, styles and scripts inside: to be mailed or printed."""

import base64
import functools
import hashlib
import io
import json
import platform
import re
from collections.abc import Callable
from importlib import resources
from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import nbmf
from nbmf.reporting.lookup_context import lookup_context
from nbmf.reporting.model import Figure, Report
from nbmf.reporting.words import printable

TEMPLATE = "report.html.jinja"
PAGE = 1440  # pixels of a picture as wide as a page: all are shown on one scale
LIMIT = 5_000_000  # bytes of a page
COLOURS = 64  # of a picture in a page that would be larger
LIBRARIES = ("numpy", "scipy", "numba")
SORTABLE = "sortable-tablesort-4.1.7"  # what sorts tables: a folder, and its name and version
SORTED_BY = f"tables are sorted by {SORTABLE.rpartition('-')[0]} {SORTABLE.rpartition('-')[2]} (The Unlicense)"
NUMBER = re.compile(r"^(<|>|under |over )?\s*([-−+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?)(?:\s*%)?(?![\w.])")
BEYOND = 1e-9  # of a number, by which "<1%" is below 1%


def render(report: Report) -> str:
    """Return the report as HTML; every text is escaped.

    Pictures of a page that would have more than LIMIT bytes have fewer colours.
    """
    page = _page(report, functools.partial(_image, colours=None))
    return page if len(page.encode()) <= LIMIT else _page(report, functools.partial(_image, colours=COLOURS))


def _page(report: Report, image: Callable[[Figure], dict[str, object]]) -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    environment = _environment()
    environment.filters["image"] = image
    made_with = f"nbmf {nbmf.__version__}, Python {platform.python_version()}, {libraries}; {SORTED_BY}"
    page = environment.get_template(TEMPLATE).render(
        title=report.title,
        sections=sorted(report.sections, key=lambda section: not section.leads),
        foot=[*report.made_by, made_with],
        style=Markup(_read_page_file("report.css")),
        scripts=scripts(),
        policy=content_security_policy(),
    )
    return printable(page)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("nbmf.reporting", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"lookup_context": lookup_context, "sort_key": sort_key}
    return environment


def scripts() -> list[Markup]:
    """Return the scripts of a page: the library that sorts, with its licence, and our own."""
    licence = _read_page_file(f"{SORTABLE}/LICENSE").strip()
    library = "\n".join(
        _read_page_file(f"{SORTABLE}/{name}").strip() for name in ("sortable.min.js", "sortable.a11y.min.js")
    )
    return [Markup(f"/* {SORTABLE}\n\n{licence}\n*/\n{library}\n"), Markup(_read_page_file("report.js"))]


def content_security_policy() -> str:
    """Return what a browser lets a page do: show what is in it, and run these scripts alone."""
    hashes = (base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts())
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {allowed}"


def _read_page_file(name: str) -> str:
    return resources.files("nbmf.reporting").joinpath("page", name).read_text(encoding="utf-8")


def _image(figure: Figure, colours: int | None) -> dict[str, object]:
    """Return the picture as a data URL, its width in percent of the page, and which rows and columns are where."""
    from PIL import Image  # comes with Matplotlib

    from nbmf.plotting.places import KEY  # loads Matplotlib

    content = figure.path.read_bytes()
    with Image.open(io.BytesIO(content)) as image:
        width, noted = image.width, image.text.get(KEY)
        if colours:
            written = io.BytesIO()
            image.convert("RGB").quantize(colours).save(written, "png", optimize=True)
            content = min(content, written.getvalue(), key=len)
    encoded = base64.b64encode(content).decode("ascii")
    return {
        "url": f"data:image/png;base64,{encoded}",
        "width": min(100, 100 * width // PAGE),
        "places": json.loads(noted) if noted else None,
    }


def sort_key(text: str) -> float | None:
    """Return the number by which a cell of a table is sorted, None if it has none: of "58% [40%, 70%]" it is 58."""
    if not (match := NUMBER.match(text.strip())):
        return None
    sign, digits = match.groups()
    number = float(digits.replace("−", "-").replace(",", ""))
    shift = BEYOND * max(abs(number), 1.0)
    return number + {"<": -shift, "under ": -shift, ">": shift, "over ": shift}.get(sign, 0.0)
