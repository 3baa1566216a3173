"""Verdicts on a paper's claims: a claim has parts, and each part is a comparison of numbers."""

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


class Judged(NamedTuple):
    """A claim, the rule that decides its parts, and the parts that could be decided."""

    claim: str
    rule: str
    parts: list[Part]


def tabulate(judged: Iterable[Judged]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts (claim, verdict, holds, rule) and their parts (claim number, ...).

    Claims are numbered from 1. One is reproduced if all its parts hold, not reproduced if none
    does, partly otherwise, and not measured if it has none.
    """
    verdicts, parts = [], []
    for number, (claim, rule, found) in enumerate(judged, start=1):
        held = sum(part.holds for part in found)
        count = f"{held} of {len(found)}"
        verdicts.append([number, claim, _verdict(held, len(found)), count, rule])
        parts += [[number, *part] for part in found]
    return (
        pd.DataFrame(verdicts, columns=["number", "claim", "verdict", "parts that hold", "rule"]),
        pd.DataFrame(parts, columns=["number", *Part._fields]),
    )


def judge(claims: Iterable[Claim], run: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts on claims and their parts, of what a study made; see `tabulate`."""
    return tabulate(Judged(one.claim, one.rule, list(one.decide(run))) for one in claims)


def _verdict(held: int, count: int) -> str:
    if count == 0:
        return "not measured"
    if held == count:
        return "reproduced"
    return "partly" if held else "not reproduced"
