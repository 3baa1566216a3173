"""Verdicts on a paper's claims: a claim has parts, and each part is a comparison of numbers.

A claim may be judged a second time, under another reading of what the paper leaves open. That replaces no verdict: it
stands next to the first one, and `combine_verdicts` says in one word what both amount to.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pandas as pd

REPRODUCED, PARTLY, NOT_REPRODUCED = "reproduced", "partly", "not reproduced"
UNDER_ANOTHER_READING, NOT_MEASURED = "under another reading", "not measured"
SO_FAR = " so far"  # after a verdict that datasets which were not run may change
ORDER = NOT_MEASURED, NOT_REPRODUCED, NOT_REPRODUCED + SO_FAR, PARTLY, REPRODUCED + SO_FAR, REPRODUCED  # from the worst
PUBLISHED = "as first published"  # the reading of the claims themselves
COLUMNS = ["where", "holds", "evidence", "whose"]  # of a part


class Part(NamedTuple):
    """One comparison: where it was made, whether the claim holds there, and the numbers.

    ours : bool, whether the paper makes no such comparison: it is reported and does not count
    """

    where: str
    holds: bool
    evidence: str
    ours: bool = False


class Claim(NamedTuple):
    """A claim, the rule that decides its parts, and the function of a run that applies it."""

    claim: str
    rule: str
    decide: Callable[[Any], Iterable[Part]]


class Reading(NamedTuple):
    """Another reading of what a paper leaves open, under which one of its claims is judged again.

    number : int, of the claim among those of the study, from 1
    reading : str, what is read or done otherwise, in a few words: the verdict names it
    rule : str, what decides the parts
    known : str, what was known of the outcome when the rule was written
    decide : function of a run that yields the parts
    """

    number: int
    reading: str
    rule: str
    known: str
    decide: Callable[[Any], Iterable[Part]]


def _always_whole(run: Any, number: int) -> bool:
    return True


def judge(
    claims: Iterable[Claim], run: Any, is_whole: Callable[[Any, int], bool] = _always_whole
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts on claims (claim, verdict, holds, rule) and their parts (claim number, ...).

    Claims are numbered from 1. One is reproduced if all its parts hold, not reproduced if none
    does, partly otherwise, and not measured if it has none. Parts that are ours do not count.

    Parameters
    ----------
    claims : iterable of Claim
    run : what their parts are decided from
    is_whole : function of the run and of a claim's number, whether everything was run that the claim is about;
        otherwise what all parts agree on is so "so far"
    """
    verdicts, parts = [], []
    for number, (claim, rule, decide) in enumerate(claims, start=1):
        decided = list(decide(run))
        verdicts.append([number, claim, *_verdict(decided, is_whole(run, number)), rule])
        parts += [[number, *_as_row(part)] for part in decided]
    return (
        pd.DataFrame(verdicts, columns=["number", "claim", "verdict", "parts that hold", "rule"]),
        pd.DataFrame(parts, columns=["number", *COLUMNS]),
    )


def judge_readings(
    readings: Iterable[Reading], run: Any, is_whole: Callable[[Any, int], bool] = _always_whole
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts under other readings and their parts, with columns as of `judge` and the reading.

    Parameters
    ----------
    readings : iterable of Reading
    run : what their parts are decided from
    is_whole : function of the run and of a claim's number, as of `judge`
    """
    verdicts, parts = [], []
    for number, reading, rule, known, decide in sorted(readings, key=lambda one: one.number):
        decided = list(decide(run))
        verdicts.append([number, reading, *_verdict(decided, is_whole(run, number)), rule, known])
        parts += [[number, reading, *_as_row(part)] for part in decided]
    return (
        pd.DataFrame(
            verdicts,
            columns=["number", "reading", "verdict", "parts that hold", "rule", "known when the rule was written"],
        ),
        pd.DataFrame(parts, columns=["number", "reading", *COLUMNS]),
    )


def combine_verdicts(claims: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
    """Return a row per claim: the first verdict, the best one under another reading, and what both amount to.

    A claim that is reproduced under another reading only is "under another reading". Where none reproduces it, the best
    verdict stands, with its reading.

    Parameters
    ----------
    claims, readings : DataFrame, verdicts as `judge` and `judge_readings` return them

    Returns
    -------
    DataFrame
        number, claim, verdict, reading (the one that the verdict rests on), "as first published" and "other readings"
        (each with its verdict).
    """
    rows = []
    for claim in claims.itertuples():
        others = readings[readings["number"] == claim.number]
        verdict_of = {PUBLISHED: claim.verdict} | dict(zip(others["reading"], others["verdict"], strict=True))
        reading = max(verdict_of, key=lambda name: ORDER.index(verdict_of[name]))  # of equals the first: as published
        verdict = verdict_of[reading]
        if verdict.startswith(REPRODUCED) and reading != PUBLISHED and claim.verdict != NOT_MEASURED:
            verdict = verdict.replace(REPRODUCED, UNDER_ANOTHER_READING)
        evidence = "; ".join(f"{name}: {verdict_of[name]}" for name in others["reading"])
        rows.append([claim.number, claim.claim, verdict, reading, claim.verdict, evidence])
    return pd.DataFrame(rows, columns=["number", "claim", "verdict", "reading", PUBLISHED, "other readings"])


def verdict_functions(
    claims: Iterable[Claim],
    run: Callable[..., Any],
    of_paper: bool = True,
    is_whole: Callable[[Any, int], bool] = _always_whole,
) -> tuple[Callable, Callable]:
    """Return the functions of a study's tables of verdicts and of their parts.

    Both take what `run` takes: the class of what claims are decided from. Of claims that no paper makes the parts do
    not say whose they are. `is_whole` is as of `judge`.
    """

    def judged(made: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
        verdicts, parts = judge(claims, made, is_whole)
        return verdicts, parts if of_paper else parts.drop(columns="whose")

    return _table_functions(judged, run)


def reading_functions(
    readings: Iterable[Reading], run: Callable[..., Any], is_whole: Callable[[Any, int], bool] = _always_whole
) -> tuple[Callable, Callable]:
    """Return the functions of a study's tables of verdicts under other readings, and of their parts."""
    return _table_functions(lambda made: judge_readings(readings, made, is_whole), run)


def _table_functions(
    verdicts_and_parts: Callable[[Any], tuple[pd.DataFrame, pd.DataFrame]], run: Callable[..., Any]
) -> tuple[Callable, Callable]:
    def verdicts(*args, **named) -> pd.DataFrame:
        return verdicts_and_parts(run(*args, **named))[0]

    def parts(*args, **named) -> pd.DataFrame:
        return verdicts_and_parts(run(*args, **named))[1]

    verdicts.__signature__ = parts.__signature__ = inspect.signature(run)
    return verdicts, parts


def _as_row(part: Part) -> list[Any]:
    return [part.where, part.holds, part.evidence, "ours" if part.ours else "paper"]


def _verdict(parts: list[Part], is_whole: bool) -> tuple[str, str]:
    """Return the verdict, and how many of the paper's parts hold."""
    counted = [part.holds for part in parts if not part.ours]
    held, count = sum(counted), len(counted)
    if not count:
        return NOT_MEASURED, "0 of 0"
    words = PARTLY if 0 < held < count else (REPRODUCED if held else NOT_REPRODUCED) + SO_FAR * (not is_whole)
    return words, f"{held} of {count}"
