"""How jobs, and the scheduler, find the package and its compiled kernels: those of the checkout that this file is in.

Every script here imports this first. It works in any environment, with or without conda: nothing is installed there,
and Snakemake keeps PYTHONPATH from conda environments but puts a script's own folder on the path.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

sys.path.insert(0, str(ROOT / "src"))
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".numba_cache"))

from nbmf_studies.pipeline.jobs import logged  # noqa: E402, F401
