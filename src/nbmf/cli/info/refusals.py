"""Files of which the reader knows itself what is wrong, and what may be done."""

from nbmf.cli.arguments import render_message
from nbmf.cli.info.finding import Finding, command_with
from nbmf.cli.info.glance import Glance
from nbmf.cli.reading import command_for
from nbmf.io.coded_cells import WrongCount
from nbmf.io.signed_values import SignsError
from nbmf.io.totals import TotalsError


def find_minus_ones(glance: Glance) -> Finding | None:
    """Find values of -1, with a command for each thing that they may mean."""
    if not isinstance(glance.refused, SignsError):
        return None
    readings = glance.refused.readings
    commands = [command_for(glance.typed.but(**read)) for read, _ in readings]
    return Finding([glance.refused.opening], commands, [words for _, words in readings])


def find_sums(glance: Glance) -> Finding | None:
    """Find sums of the others, with a command that leaves out those in a column."""
    sums = glance.refused
    if not isinstance(sums, TotalsError):
        return None
    sentences = [sums.opening, render_message(sums.remedy, "info")]
    chosen = glance.typed if sums.ignore is None else glance.typed.but(ignore=sums.ignore)
    if sums.has_row:
        return Finding(sentences, [command_with("info", chosen)], ["without that row"])
    return Finding(sentences, [command_for(chosen)])


def find_wrong_count(glance: Glance) -> Finding | None:
    """Find the only number that is no count, with a command for each thing that may be done."""
    if not isinstance(glance.refused, WrongCount):
        return None
    opening = render_message(glance.refused.message, "info").partition(";")[0]
    without = glance.typed.but(counts=True, missing=glance.refused.missing)
    commands = [command_for(options) for options in (glance.typed, without)]
    return Finding([opening], commands, ["once it is corrected", "if it means missing"])
