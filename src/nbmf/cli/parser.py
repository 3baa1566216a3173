"""The parser of the command line: its errors are one line, and name the option that may have been meant."""

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import Any, NoReturn

USAGE = 2  # the exit code of an error of options
DASHES = "\0--"  # instead of -- as the value of an option, which argparse leaves out
# What others call an option.
ALSO_CALLED = {
    **dict.fromkeys(("-k", "-K", "--k", "--K", "--rank", "--n-components", "--n_components"), "--components"),
    **dict.fromkeys(("-o", "--output", "--outdir"), "--out"),
    **dict.fromkeys(("-s", "--random-state", "--random_state"), "--seed"),
    **dict.fromkeys(("--na", "--na-values"), "--missing"),
    **dict.fromkeys(("--threshold", "--binarize"), "--above"),
    "--sheet": "--name",
    "--transposed": "--transpose",
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all others are."""

    def error(self, message: str) -> NoReturn:
        """End the process with the error."""
        lacking = re.fullmatch(r"argument (--[a-z-]+): expected .*argument", message)
        joined = f" (one that begins with - is joined to it: {lacking[1]}=-x)" if lacking else ""
        self.exit(USAGE, f"nbmf: error: {message}{joined}; {self.prog} --help lists all options\n")


def parse_arguments(parser: argparse.ArgumentParser, argv: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return what the arguments say, and those that are not understood; --missing=-- has the value --."""
    kept = [re.sub(r"^(--[a-z-]+=)--$", rf"\1{DASHES}", word) for word in argv]
    options, unknown = parser.parse_known_args(kept)
    return {name: _restore_dashes(value) for name, value in vars(options).items()}, unknown


def _restore_dashes(value: Any) -> Any:
    """Return what was typed, with -- again where DASHES stood for it."""
    if isinstance(value, list):
        return [_restore_dashes(each) for each in value]
    return "--" if isinstance(value, str) and value == DASHES else value


def suggestion(unknown: list[str], command: argparse.ArgumentParser) -> str:
    """Return the words for the option that may have been meant by the first that is not known."""
    given = next((word.partition("=")[0] for word in unknown if word.startswith("-")), unknown[0])
    known = re.findall(r"--[a-z][a-z-]*", command.format_usage())
    also = ALSO_CALLED.get(given)
    near = [also] if also in known else difflib.get_close_matches(given, known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""
