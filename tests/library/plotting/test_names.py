"""Names in pictures."""

from nbmf.plotting.names import shortened


def test_long_labels_give_way_to_the_names_of_their_variables():
    names = ["calm: Do you feel calm right now?", "tense: Do you feel tense right now?", "short: yes", 17]
    assert shortened(names, 20) == ["calm", "tense", "short: yes", "17"]


def test_what_distinguishes_long_names_remains():
    alike = ["party: the first of the long ones", "party: the second of the long ones"]
    assert shortened(alike, 12) == ["party: …ones", "party: …ones"]
    assert shortened(["a" * 40 + ": b", ": " + "c" * 40], 12) == ["aaaaaaa…a: b", ": ccccc…cccc"]
    assert [len(name) for name in shortened(["x" * 31, "x" * 30])] == [30, 30]


def test_line_breaks_and_tabs_do_not_run_into_other_names():
    assert shortened(["two\nlines", "a\ttab"]) == ["two lines", "a tab"]


def test_a_missing_name_is_none():
    assert shortened(["", "a"]) == ["(none)", "a"]
