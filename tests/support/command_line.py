"""The command line, run in the process of the tests."""

from nbmf import cli


def run(capsys, *argv, code=0):
    """Run a command; return what it printed to stdout and to stderr."""
    assert cli.main([str(word) for word in argv]) == code
    return capsys.readouterr()


def printed(capsys, *argv, code=0):
    """Run a command; return what it printed, or its error."""
    said = run(capsys, *argv, code=code)
    return said.err if code else said.out


def say(capsys, *argv, code=0):
    """Run a command; return what it printed, or its error, on one line of single blanks."""
    return " ".join(printed(capsys, *argv, code=code).split())
