"""What an entry of methods.yaml has to have, and what an error says of one that has it not."""

import pytest

from nbmf.catalogue import METHODS, checked, colours_of

OWN = {"class": "LDA", "label": "own", "colour": "#FF0000", "K": [2], "settings": {}}


def test_entries_are_taken_as_they_are():
    assert checked({**METHODS, "own": OWN})["own"] is OWN


@pytest.mark.parametrize("key", ["class", "label", "colour", "K", "settings"])
def test_a_missing_key_is_named(key):
    with pytest.raises(ValueError, match=rf"^methods\.yaml: own: the key '{key}' is missing; needed: class, label"):
        checked({"own": {name: value for name, value in OWN.items() if name != key}})


def test_an_unknown_key_is_named():
    with pytest.raises(ValueError, match=r"^methods\.yaml: own: unknown key 'colors'; allowed: class, label, colour"):
        checked({"own": OWN | {"colors": "red"}})


@pytest.mark.parametrize("key", ["label", "colour"])
def test_labels_and_colours_are_of_one_method(key):
    with pytest.raises(ValueError, match=rf"^methods\.yaml: own: {key} .* is that of bica; each method has its own"):
        checked({**METHODS, "own": OWN | {key: METHODS["bica"][key]}})


def test_a_method_of_an_overlay_may_have_no_colour():
    assert colours_of({"own": {name: value for name, value in OWN.items() if name != "colour"}})["own"].startswith("#")
