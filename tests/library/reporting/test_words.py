"""Words that several reports share."""

import pytest

from nbmf.reporting.words import quote_if_number


@pytest.mark.parametrize("name", ["1018", "-3", "1,5", "2.50", "10-19", "2024-01-31", "50%", "12 000", "08:15", 7])
def test_a_name_that_is_a_number_too_is_in_quotes_before_its_value(name):
    assert quote_if_number(name) == f"'{name}'"


@pytest.mark.parametrize("name", ["Ada", "q11", "7 of 9", "CO2", "%", "-", "Ⅷ", "1a"])
def test_other_names_are_written_as_they_are(name):
    assert quote_if_number(name) == name
