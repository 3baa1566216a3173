"""The table of detectors, and the loop that asks them."""

from collections.abc import Callable
from typing import NamedTuple

from nbmf.cli.info import baskets, first_records, lists, misfits, refusals, tables
from nbmf.cli.info.finding import Finding
from nbmf.cli.info.glance import Glance


class Detector(NamedTuple):
    """What knows a kind of file.

    find : function from a Glance to a Finding, or None if the file is of another kind
    needs : str, what a Glance has to have: "refused", which is always there, "top", "values" or "columns"
    adds : bool, whether it is asked too if the one before has found something
    """

    find: Callable[[Glance], Finding | None]
    needs: str
    adds: bool = False


# The first that finds something is shown; those above look for what is certain, or would be taken for something below.
DETECTORS = (
    Detector(refusals.find_minus_ones, "refused"),
    Detector(refusals.find_sums, "refused"),
    Detector(refusals.find_wrong_count, "refused"),
    Detector(first_records.find_two_headers, "top"),
    Detector(first_records.find_bag_of_words, "top"),
    Detector(first_records.find_known_columns, "top"),
    Detector(baskets.find_lists, "top"),
    Detector(misfits.find_misfits, "values"),
    Detector(baskets.find_cells, "columns", adds=True),
    Detector(tables.find_choices, "columns"),
    Detector(lists.find_votes, "columns"),
    Detector(lists.find_networks, "columns"),
    Detector(lists.find_entries, "columns"),
    Detector(lists.find_ties, "columns"),
    Detector(tables.find_wrong_cell, "columns"),
    Detector(tables.find_genomes, "columns"),
    Detector(tables.find_texts, "columns"),
    Detector(tables.find_features, "columns"),
)


def detect(glance: Glance) -> list[Finding]:
    """Return what the detectors find in a file that was refused as a matrix; nothing if it is no table either.

    Raises
    ------
    DataError
        If it is a matrix with a wrong cell, or a table, but not as `nbmf cluster` takes one.
    """
    findings: list[Finding] = []
    for detector in DETECTORS:
        if findings and not detector.adds:
            break
        if getattr(glance, detector.needs) is not None and (finding := detector.find(glance)) is not None:
            findings.append(finding)
    return findings
