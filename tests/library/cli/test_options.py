"""Options are declared once: argparse, errors, printed commands and Python's arguments agree."""

import re
import shlex

import bad_input
import pytest

import nbmf
from nbmf import cli
from nbmf.cli.arguments import COMMANDS, READ, parse, printed_command, render_message
from nbmf.cli.options import Extend
from nbmf.errors import DataError, not_allowed
from nbmf.io.arguments import RULES
from nbmf.io.arguments import Options as ReadOptions
from nbmf.io.layouts import ABSENT, LAYOUTS

DECLARED = [(command, option) for command, declared in COMMANDS.items() for option in declared.declared]


def _takes_any_text(option):
    """Whether an option takes a text of any kind."""
    return not (option.is_file or option.keywords.get("choices") or option.keywords.get("type")) and (
        option.keywords.get("action") in (None, "append", "extend")
    )


@pytest.mark.parametrize(("command", "option"), DECLARED, ids=lambda each: getattr(each, "name", each))
def test_an_error_names_the_option_here_and_the_argument_in_python(command, option):
    for name in option.python:
        error = not_allowed(name, "no-value", "another")
        assert str(error) == f"{name} = 'no-value': must be another"
        assert re.match(rf"{option.name}[ :]", render_message(error.message, command))


@pytest.mark.parametrize(
    ("command", "option"),
    [each for each in DECLARED if each[1].least is not None],
    ids=lambda each: getattr(each, "name", each),
)
def test_numbers_that_are_too_small_are_refused_before_anything_is_read(command, option, capsys):
    wrong = option.least - 1
    files = ["nowhere.csv"] * sum(each.is_file for each in COMMANDS[command].declared)
    assert cli.main([command, *files, option.name, str(wrong)]) == 2
    said = rf"nbmf: error: {option.name} {wrong}(\.0)?: must be an? (integer|number) of at least {option.least}\n"
    assert re.fullmatch(said, capsys.readouterr().err)


def test_what_is_said_of_reading_a_matrix_are_arguments_of_read():
    """They are refused for the file, not for their names or choices."""
    assert {option.attribute for option in READ} == RULES.keys() == ReadOptions.__annotations__.keys()
    for given in [*({option.attribute: None} for option in READ), *({"layout": each} for each in LAYOUTS)]:
        with pytest.raises(DataError, match="no such file"):
            nbmf.read("nowhere.csv", **given)
    for absent in ABSENT:
        with pytest.raises(DataError, match="no such file"):
            nbmf.read("nowhere.csv", layout="long", absent=absent)


@pytest.mark.parametrize(
    "line",
    [
        "nbmf fit votes.csv --seed 0",
        "nbmf fit votes.csv --no-index --ones yes --ones 'in favour' --transpose --method bica --seed 3 --no-check",
        "nbmf compare votes.csv --no-diagonal --methods bica logpca --components 2 3 --set tol=0.5 --seed 0",
        "nbmf cluster t.csv --kind 'a b=count' --kind c=real --missing '?' --model mnb --components 3 --seed 0",
        "nbmf topics t.mtx --layout long --document d --word w --count n --stop-words english --seed 0",
        "nbmf fit ./-votes.csv --missing=-- --missing=-x --missing -1 --missing - --ignore=-c --ignore=--seed --seed 0",
        "nbmf fit votes.csv '--missing=- x' --missing '' --categories -1.5 -1 - 0 --categories=-- --categories=-x "
        "--categories 'a b' c --groups=-g --seed 0 --names=-1e5 --names b",
        "nbmf paths v.csv --period-in-names=-R --show=-a --show=--b --show c --seed 0",
        "nbmf cluster t.csv --kind=-x=count --kind=--=real --ignore=-- --seed 0",
    ],
)
def test_a_printed_command_is_what_was_typed(line):
    assert printed_command(parse(shlex.split(line)[1:])) == line
    plain = line.replace(" --seed 0", "")
    assert printed_command(parse([*shlex.split(plain)[1:], "--out", "there", "--force"])) == line


LIKE_OPTIONS = ["--", "-x", "--seed", "- a", "-", "-1", "-1.5", "-1e5", "-.5", "---", "-o=1", "--missing=--", "a", ""]


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for command, option in DECLARED if _takes_any_text(option)],
    ids=lambda each: getattr(each, "name", each),
)
def test_a_printed_command_can_be_pasted_whatever_a_text_begins_with(command, option):
    files = [f"-f{n}.csv" for n in range(sum(each.is_file for each in COMMANDS[command].declared))]
    takes_several = option.default == [] or option.keywords.get("action") in ("append", Extend)
    for given in [*([each] for each in LIKE_OPTIONS), *([LIKE_OPTIONS, LIKE_OPTIONS[::-1]] if takes_several else [])]:
        words = [f"{option.name}={each}" for each in given]
        typed = parse([command, *words, "--", *files])
        assert getattr(typed, option.attribute) == (given if takes_several else given[0])
        printed = shlex.split(printed_command(typed))[1:]
        again = parse(printed if option.repeat is None else [*printed, *words])
        known = {each.attribute for each in COMMANDS[command].declared if not each.is_file}
        assert {name: getattr(again, name) for name in known} == {name: getattr(typed, name) for name in known}
        assert [word for word in printed if word.startswith("./")] == [f"./{file}" for file in files]


@pytest.mark.parametrize(
    ("line", "attribute", "expected"),
    [
        ("compare v.csv --methods bica --methods logpca bica", "methods", ["bica", "logpca", "bica"]),
        ("compare v.csv --components 2 --components 3 4", "components", [2, 3, 4]),
        ("cluster t.csv --model mmnb --model fast-mmnb", "models", ["mmnb", "fast-mmnb"]),
        ("cluster t.csv --components 2 --components 3", "components", [2, 3]),
        ("topics t.csv --model lda --model unigrams", "models", ["lda", "unigrams"]),
        ("cluster t.csv", "models", ["mnb", "mmnb"]),
    ],
)
def test_a_list_that_is_typed_twice_has_all_of_both_in_place_of_its_default(line, attribute, expected):
    assert getattr(parse(line.split()), attribute) == expected
    assert getattr(parse(line.split()), attribute) == expected  # the default has not grown


def test_a_text_that_looks_like_an_option_is_typed_joined(capsys):
    with pytest.raises(SystemExit):
        parse(["fit", "votes.csv", "--missing", "-x"])
    assert "expected one argument (one that begins with - is joined to it: --missing=-x); " in capsys.readouterr().err


def test_what_was_typed_does_not_change():
    options = parse(["fit", "votes.csv"])
    with pytest.raises(AttributeError, match="does not change"):
        options.method = "bica"
    assert options.method is None


def test_no_message_on_the_command_line_names_an_argument_of_python():
    """The page has what each case says, as tests/library/io/test_bad_input.py checks."""
    page = bad_input.PAGE.read_text(encoding="utf-8")
    arguments = {name for _, option in DECLARED for name in option.python} | {"max_memory_gb", "n_samples", "alpha"}
    as_python = re.compile(rf"(?<!--set )\b({'|'.join(arguments)}) ?=|\b(n_components|n_draws|n_jobs|random_state)\b")
    for kind in ("Matrix for nbmf fit and compare", "Table for nbmf cluster", "Documents for nbmf topics"):
        rows = page.partition(f"## {kind}\n")[2].partition("\n## ")[0].splitlines()
        assert len(rows) > 15
        for row in rows:
            assert not as_python.search(row), row


def test_a_threshold_with_a_decimal_comma_is_told_how_to_be_written(capsys):
    with pytest.raises(SystemExit):
        cli.main(["fit", "any.csv", "--above", "0,5"])
    assert "'0,5' is no number: a decimal comma is written as a point" in " ".join(capsys.readouterr().err.split())
