"""Percentages in words and pictures."""


def percent(share: float) -> str:
    """Return a percentage that is 0% or 100% only where it is."""
    if 0 < share < 0.01:
        return "under 1%"
    return "over 99%" if 0.99 < share < 1 else f"{share:.0%}"
