"""The files of a report: text to read in a terminal, and a page."""

from typing import Any

from nbmf.output.folder import OutputFolder
from nbmf.reporting import text
from nbmf.reporting.model import Report

SUMMARY, PAGE = "summary.txt", "report.html"


def write_report(report: Report, folder: OutputFolder, how: dict[str, Any], summary: str = SUMMARY) -> str:
    """Write a report as text and as a page, record how the folder was made, and return the text.

    The pictures that the report shows are in the folder already.
    """
    from nbmf.reporting import html  # loads Jinja

    written = text.render(report)
    folder.write_text(summary, written)
    folder.write_text(PAGE, html.render(report))
    folder.finish(how)
    return written
