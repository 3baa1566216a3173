"""Every malformed input ends in one clear message, the one in tests/bad_input.md."""

import pytest

import bad_input


@pytest.mark.parametrize("case", bad_input.CASES, ids=lambda case: f"{case.kind}: {case.what}")
def test_the_message_is_the_documented_one(case):
    message = bad_input.message_of(case)
    assert "Traceback" not in message
    assert len(message) < 1500
    row = f"| {case.what} | {bad_input.cell(message)} |"
    assert row in bad_input.PAGE.read_text(encoding="utf-8"), "run python tests/bad_input.py"


def test_the_page_has_no_other_rows():
    rows = [
        line
        for line in bad_input.PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| what is wrong")
    ]
    assert len(rows) == len(bad_input.CASES) >= 40
