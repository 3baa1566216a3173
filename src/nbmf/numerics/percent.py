"""Percentages in words and pictures."""

ONE = 0.0095  # from which on it is 1% without decimals, as with one


def percent(proportion: float, decimals: int = 0) -> str:
    """Return "58%", or "57.9%" with a decimal: 0% and 100% only where it is none or all; NaN as "nan%".

    Without decimals what is below 1 % has one: "0.4%". Below 0 it is the same with a minus: "-0.4%", ">-0.1%".
    """
    if proportion < 0:
        above = percent(-proportion, decimals)
        return {"<": ">-", ">": "<-"}[above[0]] + above[1:] if above[0] in "<>" else f"-{above}"
    text = f"{abs(proportion):.{decimals}%}"  # of -0.0 too
    if not 0 < proportion < 1:
        return text
    if decimals == 0 and proportion < ONE:
        return percent(proportion, 1)
    if text == f"{0:.{decimals}%}":
        return f"<{0.1**decimals:.{decimals}f}%"
    return f">{100 - 0.1**decimals:.{decimals}f}%" if text == f"{1:.{decimals}%}" else text
