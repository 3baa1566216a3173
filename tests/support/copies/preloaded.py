"""Runs of Snakemake that need not import it: a process that has, and forks for each of them.

A line of JSON on standard input says where, with which arguments and environment, and which file
takes the output; a line of standard output is the exit status. Nothing of nbmf is imported here:
each run takes its own from the checkout it is in.
"""

import json
import os
import runpy
import signal
import sys

import jsonschema  # noqa: F401
import numba  # noqa: F401
import pandas  # noqa: F401
import scipy.special
import scipy.stats  # noqa: F401
import snakemake.cli  # noqa: F401


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            run(**asked)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def run(folder: str, arguments: list[str], environment: dict, output: str, seconds: int) -> None:
    """Be `python -m snakemake`, until it ends or the time is over."""
    signal.alarm(seconds)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, name, mode in ((0, os.devnull, "r"), (1, output, "w")):
        with open(name, mode) as file:
            os.dup2(file.fileno(), number)
    os.dup2(1, 2)
    sys.argv = ["snakemake", *arguments]
    further = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [folder, *filter(None, further)]
    runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    main()
