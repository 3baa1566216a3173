"""Every malformed input ends in one clear message, the one in tests/support/bad_input.md."""

import bad_input


def test_every_message_is_the_documented_one():
    page, wrong = bad_input.PAGE.read_text(encoding="utf-8"), []
    for case in bad_input.CASES:
        message = bad_input.message_of(case)
        row = f"| {case.what} | {bad_input.cell(message)} |"
        if row not in page or "Traceback" in message or len(message) >= 1500:
            wrong.append(f"{case.kind}: {case.what}: {message}")
    assert not wrong, "run python tests/support/bad_input.py"


def test_the_page_has_no_other_rows():
    rows = [
        line
        for line in bad_input.PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| what is wrong")
    ]
    assert len(rows) == len(bad_input.CASES) >= 40
