"""A report as a page that is one file, pictures inside: to be mailed or printed."""

import base64
import platform
from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined

import nbmf
from nbmf.reporting.model import Figure, Report
from nbmf.reporting.words import printable

TEMPLATE = "report.html.jinja"
PAGE = 1440  # pixels of a picture as wide as a page: all are shown on one scale
LIBRARIES = ("numpy", "scipy", "numba")


def render(report: Report) -> str:
    """Return the report as HTML; every text is escaped."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    page = (
        _environment()
        .get_template(TEMPLATE)
        .render(
            title=report.title,
            sections=sorted(report.sections, key=lambda section: not section.leads),
            foot=[*report.made_by, f"nbmf {nbmf.__version__}, Python {platform.python_version()}, {libraries}"],
        )
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
    environment.filters["image"] = _image
    return environment


def _image(figure: Figure) -> dict[str, str | int]:
    """Return the picture as a data URL, and its width in percent of the page."""
    content = figure.path.read_bytes()
    pixels = int.from_bytes(content[16:20], "big")  # where a PNG has its width
    encoded = base64.b64encode(content).decode("ascii")
    return {"url": f"data:image/png;base64,{encoded}", "width": min(100, 100 * pixels // PAGE)}
