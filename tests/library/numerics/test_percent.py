"""Percentages are 0% and 100% only where it is none or all."""

import math

import pytest

from nbmf.numerics.percent import percent


@pytest.mark.parametrize(
    ("proportion", "text", "with_a_decimal"),
    [
        (0, "0%", "0.0%"),
        (0.0002, "<0.1%", "<0.1%"),
        (0.004, "0.4%", "0.4%"),
        (0.0096, "1%", "1.0%"),
        (0.0149, "1%", "1.5%"),
        (0.578, "58%", "57.8%"),
        (0.994, "99%", "99.4%"),
        (0.9965, ">99%", "99.7%"),
        (0.9996, ">99%", ">99.9%"),
        (1, "100%", "100.0%"),
        (1.2, "120%", "120.0%"),
        (-0.0, "0%", "0.0%"),
        (-0.0002, ">-0.1%", ">-0.1%"),
        (-0.003, "-0.3%", "-0.3%"),
        (-0.578, "-58%", "-57.8%"),
        (-0.9996, "<-99%", "<-99.9%"),
        (-1.2, "-120%", "-120.0%"),
    ],
)
def test_none_and_all_are_only_what_they_are(proportion, text, with_a_decimal):
    assert percent(proportion) == text
    assert percent(proportion, 1) == with_a_decimal


def test_what_is_unknown_is_nan():
    assert percent(math.nan) == "nan%"
