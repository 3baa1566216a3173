"""Compile the kernels of all methods once, so that fits that start together do not all do it.

python -m nbmf_studies.pipeline.compile_kernels [THREADS]
"""

import sys
import time

import numpy as np

from nbmf import registry
from nbmf.likelihoods.likelihood import Likelihood

VALUES = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]])  # binary, counts and real numbers alike
HIDDEN = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool)


def main(threads: int = 1) -> None:
    """Fit each estimator to a tiny matrix and say how long each took.

    Kernels that run on several threads have machine code of their own, which is compiled only if
    there are several.
    """
    for name in registry.all_classes():
        settings = registry.length_settings(name, 1, 1)
        started = time.perf_counter()
        estimator = registry.make_estimator(name, 2, settings, random_state=0, threads=threads)
        estimator.fit(tiny_matrix(estimator.likelihood))
        print(f"{name}: {time.perf_counter() - started:.1f} s", flush=True)


def tiny_matrix(likelihood: Likelihood) -> np.ndarray:
    """Return VALUES, of which HIDDEN is missing, in the coding of a likelihood."""
    return likelihood.hide(likelihood.values_of(VALUES), HIDDEN)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
