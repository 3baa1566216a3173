"""The parser of the command line: its errors are one line, and name the option that may have been meant."""

import argparse
import difflib
import re
from typing import NoReturn

USAGE = 2  # the exit code of an error of options
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
        self.exit(USAGE, f"nbmf: error: {message}; {self.prog} --help lists all options\n")


def meant(unknown: list[str], command: argparse.ArgumentParser) -> str:
    """Return the words for the option that may have been meant by the first that is not known."""
    given = next((word.partition("=")[0] for word in unknown if word.startswith("-")), unknown[0])
    known = re.findall(r"--[a-z][a-z-]*", command.format_usage())
    also = ALSO_CALLED.get(given)
    near = [also] if also in known else difflib.get_close_matches(given, known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""
