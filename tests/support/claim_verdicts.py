"""Verdicts on one claim of a study: rules on averages of many runs take a second each."""

from nbmf_studies.framework.verdicts import judge, judge_readings


def verdict_on(claims, number, run):
    """Return the verdict on one of a study's claims."""
    return judge(claims[number - 1 : number], run)[0].loc[0, "verdict"]


def judged_again(readings, number, run):
    """Return the verdicts under the readings of one claim, of all where `number` is None, and their parts."""
    return judge_readings([reading for reading in readings if number in (None, reading.number)], run)
