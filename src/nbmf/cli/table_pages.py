"""report.html of `nbmf cluster` and `nbmf topics`: all of it in one file that can be mailed."""

import argparse
import shlex
import sys
from pathlib import Path

from nbmf.cli import html
from nbmf.cli.table_summary import facts
from nbmf.cli.tables import Found


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
    command = shlex.join(["nbmf", *sys.argv[1:]])
    return html.page(f"{found.name}: {found.task.component}s", parts, command)
