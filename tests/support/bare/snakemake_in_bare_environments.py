"""Snakemake, but every script runs in the bare environment of its rule, and nothing else runs one.

python snakemake_in_bare_environments.py FOLDER [arguments of snakemake]

FOLDER has an environment per file of `envs`, and takes a file `ran` with a line per job: environment and script.
"""

import json
import os
import shlex
import sys
import threading
from pathlib import Path
from tempfile import NamedTemporaryFile

from snakemake import cli
from snakemake.executors import local
from snakemake.script import PythonScript

FOLDER = Path(sys.argv[1]).resolve()
JOB = Path(__file__).resolve().with_name("job.py")
KERNELS = ("NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES")  # where they are kept, those of all copies in one place
running = threading.local()
run_wrapper = local.run_wrapper


def note_environment(rule, input, output, params, wildcards, *further):
    """Keep the environment that a job's rule asks for, and run the job as before."""
    environment = rule.expand_conda_env(wildcards, params, input)
    if environment is not None:  # a rule that only names others runs nothing
        running.environment = Path(environment.file.get_path_or_uri(secret_free=True)).stem
    return run_wrapper(rule, input, output, params, wildcards, *further)


def run_bare(script, edit=False):
    """Run a script in that environment, with no variable but where kernels are kept."""
    path = script.local_path
    with open(FOLDER / "ran", "a") as file:
        print(running.environment, Path(path).stem, file=file)
    python = FOLDER / running.environment / "bin/python"
    variables = [f"{name}={os.environ[name]}" for name in ("HOME", "PATH", *KERNELS)]
    with NamedTemporaryFile("w", suffix=".json") as job:
        job.write(job_of(script))
        job.flush()
        command = shlex.join(["env", "-i", *variables, str(python), "-I", str(JOB), path])
        script._execute_cmd("{command} < {job}", command=command, job=job.name)


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
