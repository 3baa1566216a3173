"""Snakemake, but every script runs in the bare environment of its rule, and nothing else runs one.

python snakemake_in_bare_environments.py FOLDER [arguments of snakemake]

FOLDER has an environment per file of `envs`, and takes a file `ran` with a line per job: environment and script.
"""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from snakemake import cli
from snakemake.executors import local
from snakemake.script import PythonScript

FOLDER = Path(sys.argv[1]).resolve()
JOB = Path(__file__).resolve().with_name("job.py")
running = threading.local()
run_wrapper = local.run_wrapper


def note_environment(rule, input, output, params, wildcards, *further):
    """Keep the environment that a job's rule asks for, and run the job as before."""
    running.environment = Path(
        rule.expand_conda_env(wildcards, params, input).file.get_path_or_uri(secret_free=True)
    ).stem
    return run_wrapper(rule, input, output, params, wildcards, *further)


def run_bare(script, edit=False):
    """Run a script in that environment, with no variable but where kernels are kept."""
    path = script.local_path
    with open(FOLDER / "ran", "a") as file:
        print(running.environment, Path(path).stem, file=file)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "NUMBA_CACHE_DIR") if name in os.environ}
    python = FOLDER / running.environment / "bin/python"
    subprocess.run([python, "-I", JOB, path], input=job_of(script), text=True, env=kept, check=True)


def job_of(script):
    """Return what a script of Snakemake gets as `snakemake`, as JSON can hold it."""
    named = {
        kind: [list(values), {name: _plain(value) for name, value in values.items()}]
        for kind in ("input", "output", "params", "wildcards", "log")
        for values in [getattr(script, kind)]
    }
    return json.dumps({"named": named, "threads": script.threads, "config": script.config})


def _plain(value):
    return list(value) if isinstance(value, list) else value


local.run_wrapper = note_environment
PythonScript.evaluate = run_bare
cli.main(sys.argv[2:])
