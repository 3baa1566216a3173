"""Compile every kernel once, so that fits that start together do not all do it.

python -m nbmf.compile_kernels
"""

import time

import numpy as np

from nbmf import registry

BRIEF = {"max_iter": 1, "burn_in": 1, "n_samples": 1}


def main() -> None:
    """Fit each estimator to a tiny matrix and say how long each took."""
    codes = np.array([[1, 0, -1], [0, 1, 1], [1, 1, 0]], np.int8)
    for name in registry.all_classes():
        accepted = registry.settings_of(name)
        settings = {key: value for key, value in BRIEF.items() if key in accepted}
        started = time.perf_counter()
        registry.make_estimator(name, 2, settings, random_state=0).fit(codes)
        print(f"{name}: {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
