"""report.html of `nbmf cluster` and `nbmf topics`: all of it in one file that can be mailed."""

import argparse
from pathlib import Path

from nbmf.cli import html
from nbmf.cli.table_summary import facts
from nbmf.cli.tables import Found

ELSEWHERE = ("command", "file", "out", "force")  # options that are said otherwise, or not at all


def page_of(found: Found, text: str, pictures: dict[str, Path], options: argparse.Namespace) -> str:
    """Return the page.

    Parameters
    ----------
    found : Found
    text : str
        The summary.
    pictures : dict
        From captions to files; empty where nothing was found.
    options : Namespace
        Of the command line.
    """
    parts = []
    if found.choice is not None:
        parts.append(html.verdict_box(str(found.choice), found.choice.found))
    if found.model is not None:
        parts.append(html.section("The fit", html.paragraphs(facts(found))))
        parts.append(html.section("Pictures", *map(html.picture, pictures.values(), pictures)))
    parts.append(html.section("All that was told", html.preformatted(text)))
    given = {name: value for name, value in vars(options).items() if name not in ELSEWHERE}
    settings = ", ".join(f"{name} = {value}" for name, value in given.items() if value not in (None, []))
    about = f"nbmf {options.command} {options.file}\n{settings}"
    return html.page(f"{found.name}: {found.task.component}s", parts, about)
