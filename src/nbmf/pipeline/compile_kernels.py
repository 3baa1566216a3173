"""Compile the kernels of all methods once, so that fits that start together do not all do it.

python -m nbmf.pipeline.compile_kernels [THREADS]
"""

import sys
import time

import numpy as np

from nbmf import registry


def main(threads: int = 1) -> None:
    """Fit each estimator to a tiny matrix and say how long each took.

    Kernels that run on several threads have machine code of their own, which is compiled only if
    there are several.
    """
    codes = np.array([[1, 0, -1], [0, 1, 1], [1, 1, 0]], np.int8)
    for name in registry.all_classes():
        settings = registry.length_settings(name, 1, 1)
        started = time.perf_counter()
        registry.make_estimator(name, 2, settings, random_state=0, threads=threads).fit(codes)
        print(f"{name}: {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
