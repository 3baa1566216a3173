"""Memory and time on a large matrix, each inference in a process of its own."""

from typing import NamedTuple

from common import Table, answer_of, number, say, worker
from nbmf.families.beta_dirichlet.beta_dirichlet_variational import BYTES_PER_RESPONSIBILITY
from nbmf.numerics.lanes import padded
from process_memory import available_gb

VECTORS = {"Beta-Dir CVB0": 1, "Dir-Dir CVB0": 2}  # of K responsibilities per entry, at most
SET_UP_BYTES = 80  # per observed entry, besides the responsibilities, at most


class Size(NamedTuple):
    """A matrix, K for the samplers, a K whose responsibilities fit, and sweeps to time."""

    F: int = 5000
    N: int = 5000
    K: int = 50
    K_that_fits: int = 15
    sweeps: int = 3


def gigabytes_needed(name: str, size: Size, K: int) -> float:
    """Return a generous guess of the peak memory in GB."""
    cells = size.F * size.N
    responsibilities = BYTES_PER_RESPONSIBILITY * padded(K) * VECTORS.get(name, 0)
    return cells * (SET_UP_BYTES + responsibilities) / 1e9


def lack_of_memory(name: str, size: Size, K: int) -> str | None:
    """Return why a measurement is skipped, None if it is not."""
    available, needed = available_gb(), gigabytes_needed(name, size, K)
    if available is None or needed < 0.8 * available:
        return None
    return f"skipped: may need {needed:.1f} GB, {available:.1f} GB are available"


def kernel_table(size: Size, idle: float) -> Table:
    """Measure set-up, sweeps and memory of the samplers and of CVB0."""
    cases = [
        ("Beta-Dir Gibbs", size.K),
        ("Dir-Dir Gibbs", size.K),
        ("Beta-Dir CVB0", size.K_that_fits),
        ("Dir-Dir CVB0", size.K_that_fits),
    ]
    table = Table(
        "Memory of the kernels",
        f"{size.F} × {size.N} entries, all observed, drawn from the Beta-Dir model with 20 "
        f"components (w ~ Dirichlet(1/20), h ~ Beta(0.1, 9.9): 1 % ones expected); γ = 1/K, one "
        f"thread, {size.sweeps} sweeps from a random start, where rows use all K components: later "
        "sweeps are faster. Each in a process of its own; MB (10⁶ bytes) above a process that only "
        "imports, with the compiled code and the matrix (one byte per entry). Set-up: most "
        "up to the first sweep. Held: what remains after the set-up.",
        [
            "kernel",
            "K",
            "set-up: seconds",
            "MB",
            "held: MB",
            "sweep: seconds",
            "ns per cell",
            "most: MB",
            "bytes per entry",
        ],
    )
    for name, K in cases:
        say(f"memory: {name}")
        if reason := lack_of_memory(name, size, K):
            table.rows.append([name, K, reason, *["–"] * 6])
            continue
        found = answer_of(worker("memory_worker", "kernel", name, *size[:2], K, size.sweeps))
        cells = size.F * size.N
        table.rows.append(
            [
                name,
                K,
                number(found["set_up"]),
                number(found["set_up_most"] - idle, 4),
                number(found["held"] - idle, 4),
                number(found["per_sweep"]),
                number(found["per_sweep"] / cells * 1e9),
                number(found["most"] - idle, 4),
                number((found["most"] - idle) * 1e6 / cells),
            ]
        )
    return table


def fit_table(size: Size, idle: float) -> Table:
    """Measure whole fits, with the averages of factors and of E[V] that estimators keep."""
    cases = [
        ("BetaDirGibbs", "Beta-Dir Gibbs", size.K),
        ("DirDirGibbs", "Dir-Dir Gibbs", size.K),
        ("BetaDirVB", "Beta-Dir CVB0", size.K_that_fits),
    ]
    table = Table(
        "Memory of fits",
        "The same matrix given to the estimators: two iterations (samplers: one of burn-in, one "
        "kept). E[V] takes 8 bytes per entry; where the figures are those above, the set-up is the "
        "peak.",
        ["estimator", "K", "seconds", "most: MB", "bytes per entry"],
    )
    for class_name, name, K in cases:
        say(f"memory: {class_name}")
        if reason := lack_of_memory(name, size, K):
            table.rows.append([class_name, K, reason, "–", "–"])
            continue
        found = answer_of(worker("memory_worker", "fit", class_name, *size[:2], K, 2))
        most = found["most"] - idle
        per_entry = number(most * 1e6 / (size.F * size.N))
        table.rows.append([class_name, K, number(found["seconds"]), number(most, 4), per_entry])
    return table


def refusal_table(size: Size, idle: float) -> Table:
    """Show what CVB0 says to a K that does not fit."""
    say("memory: refusal")
    found = answer_of(worker("memory_worker", "refusal", "BetaDirVB", *size[:3], 1))
    needed = BYTES_PER_RESPONSIBILITY * padded(size.K) * size.F * size.N / 1e9
    return Table(
        "A fit that is refused",
        f"`nbmf.BetaDirVB(n_components={size.K})` on the same matrix: its responsibilities would "
        f"be 4 bytes per observed entry and component, {needed:.2f} GB, more than the default "
        "max_memory_gb.",
        ["error", "most when refused: MB"],
        [[found["message"], number(found["most"] - idle)]],
    )


def run(size: Size | None = None) -> list[Table]:
    """Do this part as `make benchmark` does."""
    size = size or Size()
    idle = answer_of(worker("memory_worker", "idle"))["most"]
    return [kernel_table(size, idle), fit_table(size, idle), refusal_table(size, idle)]
