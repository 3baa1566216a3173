"""The matrix that a command works on."""

import argparse
import functools
import shlex
from pathlib import Path

import nbmf
from nbmf.data.matrix import BinaryMatrix

OPTIONS = (
    *("layout", "header", "index", "ones", "zeros", "missing", "groups", "ignore"),
    *("row", "column", "value", "name"),
)


def read_matrix(options: argparse.Namespace) -> BinaryMatrix:
    """Read FILE as the options say, and print what the reader reports."""
    chosen = {name: getattr(options, name) for name in OPTIONS}
    report = functools.partial(print, flush=True)  # before whatever goes to stderr
    return nbmf.read(options.file, **chosen, transpose=options.transpose, log=report)


def name_of(options: argparse.Namespace) -> str:
    """Return FILE's name without its folder and suffixes: votes of data/votes.csv.gz."""
    return Path(Path(options.file).name.removesuffix(".gz")).stem


def repeated(options: argparse.Namespace) -> str:
    """Return FILE and the options that it was read with, for another command line."""
    words = [options.file]
    for name in OPTIONS:
        value = getattr(options, name)
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{name}")
        elif value is not None:
            for text in [value] if isinstance(value, str) else value:
                words += [f"--{name}", text]
    return shlex.join(words + ["--transpose"] * options.transpose)
