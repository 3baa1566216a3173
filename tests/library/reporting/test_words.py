"""Words that several reports share."""

import pytest

from nbmf.reporting.words import quote_if_ambiguous


@pytest.mark.parametrize(
    "name", ["1018", "-3", "1,5", "2.50", "10-19", "2024-01-31", "50%", "12 000", "08:15", 7, "Smith, John", "a; b"]
)
def test_a_name_that_is_a_number_or_separates_names_is_in_quotes_before_its_value(name):
    assert quote_if_ambiguous(name) == f"'{name}'"


@pytest.mark.parametrize("name", ["Ada", 'John "Jack"', "q11", "7 of 9", "CO2", "%", "-", "Ⅷ", "1a"])
def test_other_names_are_written_as_they_are(name):
    assert quote_if_ambiguous(name) == name
