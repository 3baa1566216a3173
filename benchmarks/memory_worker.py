"""One inference on one large matrix in a process of its own; prints a line of JSON.

python memory_worker.py idle | kernel NAME | fit CLASS | refusal CLASS, then F N K sweeps
"""

import json
import sys
import time

import numpy as np

from common import KERNELS
from nbmf.errors import ConfigError
from nbmf.registry import make_estimator, settings_of
from process_memory import megabytes

COMPONENTS = 20  # of the model that the matrix is drawn from
ONE_IN = 100


def draw_matrix(F: int, N: int) -> np.ndarray:
    """Draw codes (F, N) from the Beta-Dir model: 20 components, 1 % ones expected.

    w_f ~ Dirichlet(1/20), h_kn ~ Beta(0.1, 9.9). Row by row, so that the draw itself takes no
    memory to speak of.
    """
    rng = np.random.default_rng(7)
    H = rng.beta(0.1, 0.1 * (ONE_IN - 1), (COMPONENTS, N))
    codes = np.empty((F, N), np.int8)
    for row in codes:
        row[:] = rng.random(N) < rng.dirichlet(np.full(COMPONENTS, 1 / COMPONENTS)) @ H
    return codes


def kernel(name: str, F: int, N: int, K: int, sweeps: int) -> dict:
    """Set up an inference and do some sweeps."""
    warm = KERNELS[name].make(draw_matrix(8, 8), 2)
    KERNELS[name].run(warm)(1)  # loads the compiled code
    codes = draw_matrix(F, N)
    before = megabytes()["now"]
    started = time.perf_counter()
    made = KERNELS[name].make(codes, K)
    set_up = time.perf_counter() - started
    after_set_up = megabytes()
    started = time.perf_counter()
    KERNELS[name].run(made)(sweeps)
    per_sweep = (time.perf_counter() - started) / sweeps
    return {
        "ones": int(codes.sum()),
        "before": before,
        "set_up": set_up,
        "set_up_most": after_set_up["most"],
        "held": after_set_up["now"],
        "per_sweep": per_sweep,
        "most": megabytes()["most"],
    }


def fit(class_name: str, F: int, N: int, K: int, sweeps: int) -> dict:
    """Fit an estimator; half of the sweeps of a sampler are burn-in."""
    brief = {"max_iter": sweeps, "burn_in": sweeps // 2, "n_samples": sweeps - sweeps // 2}
    settings = {key: brief[key] for key in brief if key in settings_of(class_name)}
    codes = draw_matrix(F, N)
    started = time.perf_counter()
    make_estimator(class_name, K, settings, 0).fit(codes)
    return {"seconds": time.perf_counter() - started, "most": megabytes()["most"]}


def refusal(class_name: str, F: int, N: int, K: int, sweeps: int) -> dict:
    """Return the message with which a fit is refused."""
    try:
        make_estimator(class_name, K, {}, 0).fit(draw_matrix(F, N))
    except ConfigError as error:
        return {"message": str(error), "most": megabytes()["most"]}
    raise SystemExit(f"{class_name} with K = {K} was not refused")


if __name__ == "__main__":
    task, *rest = sys.argv[1:]
    if task == "idle":
        print(json.dumps(megabytes()))
    else:
        tasks = {"kernel": kernel, "fit": fit, "refusal": refusal}
        print(json.dumps(tasks[task](rest[0], *map(int, rest[1:]))))
