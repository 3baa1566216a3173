"""Verdicts on a paper's claims: a claim has parts, and each part is a comparison of numbers."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pandas as pd


class Part(NamedTuple):
    """One comparison: where it was made, whether the claim holds there, and the numbers."""

    where: str
    holds: bool
    evidence: str


class Claim(NamedTuple):
    """A claim, the rule that decides its parts, and the function of a run that applies it."""

    claim: str
    rule: str
    decide: Callable[[Any], Iterable[Part]]


def judge(claims: Iterable[Claim], run: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts on claims (claim, verdict, holds, rule) and their parts (claim number, ...).

    Claims are numbered from 1. One is reproduced if all its parts hold, not reproduced if none
    does, partly otherwise, and not measured if it has none.

    Parameters
    ----------
    claims : iterable of Claim
    run : what their parts are decided from
    """
    verdicts, parts = [], []
    for number, (claim, rule, decide) in enumerate(claims, start=1):
        found = list(decide(run))
        held = sum(part.holds for part in found)
        count = f"{held} of {len(found)}"
        verdicts.append([number, claim, _verdict(held, len(found)), count, rule])
        parts += [[number, *part] for part in found]
    return (
        pd.DataFrame(verdicts, columns=["number", "claim", "verdict", "parts that hold", "rule"]),
        pd.DataFrame(parts, columns=["number", *Part._fields]),
    )


def judging(claims: Iterable[Claim], run: Callable[..., Any]) -> tuple[Callable, Callable]:
    """Return the functions of a study's tables of verdicts and of their parts.

    Both take what `run` takes: the class of what claims are decided from.
    """

    def verdicts(*args, **named) -> pd.DataFrame:
        return judge(claims, run(*args, **named))[0]

    def parts(*args, **named) -> pd.DataFrame:
        return judge(claims, run(*args, **named))[1]

    verdicts.__signature__ = parts.__signature__ = inspect.signature(run)
    return verdicts, parts


def _verdict(held: int, count: int) -> str:
    if count == 0:
        return "not measured"
    if held == count:
        return "reproduced"
    return "partly" if held else "not reproduced"
