"""The last step of a command: its report goes to the folder and to the terminal."""

from typing import Any

from nbmf.output.folder import OutputFolder
from nbmf.output.reports import PAGE, SUMMARY, write_report
from nbmf.reporting.model import Report


def publish(report: Report, folder: OutputFolder, how: dict[str, Any], summary: str = SUMMARY) -> None:
    """Write a report as text and as a page, record how the folder was made, and print the text."""
    print_written(write_report(report, folder, how, summary), folder)


def print_written(written: str, folder: OutputFolder) -> None:
    """Print a report that was written, and where it is."""
    print(f"\n{written}\n\nwritten to {folder.path}/; start with {PAGE}")
    if folder.workbook is not None:
        others = f"; too large for it, and in {folder.path}/ alone: {', '.join(folder.too_large)}"
        print(f"all tables are sheets of {folder.workbook}{others if folder.too_large else ''}")
