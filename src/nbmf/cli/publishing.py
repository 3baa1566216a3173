"""The last step of a command: its report goes to the folder and to the terminal."""

from typing import Any

from nbmf.cli.output import OutputFolder
from nbmf.reporting import html, text
from nbmf.reporting.model import Report

SUMMARY, PAGE = "summary.txt", "report.html"


def publish(report: Report, folder: OutputFolder, how: dict[str, Any], summary: str = SUMMARY) -> None:
    """Write a report as text and as a page, record how the folder was made, and print the text."""
    written = text.render(report)
    folder.write_text(summary, written)
    folder.write_text(PAGE, html.render(report))
    folder.finish(how)
    print(f"\n{written}\n\nwritten to {folder.path}/; start with {PAGE}")
    if folder.workbook is not None:
        others = f"; too large for it, and in {folder.path}/ alone: {', '.join(folder.too_large)}"
        print(f"all tables are sheets of {folder.workbook}{others if folder.too_large else ''}")
