"""Indian buffets: the time of a sweep, and how well chains of different starts mix."""

import itertools
import time
from typing import NamedTuple

import numpy as np

from common import SEED, Rounds, Table, count_cells, nanoseconds, number, say
from nbmf import load_example
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.families.buffet.buffet_priors import BuffetPrior, buffet_prior
from nbmf.families.buffet.chain import BuffetChain
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.states import Numbers
from nbmf.posterior.diagnostics import chain_diagnostics
from nbmf.seeds import child, seed_sequence

OBJECTS, FACTORS, LOADED = 50, 4, 10  # of the simulation of section 4.3: n, and rows with factors
SIZES = (50, 150, 300)
PRIORS = {"CIBP(1, 10, 10)": buffet_prior("cibp", 1, 10, 10), "IBP(1, 10)": buffet_prior("ibp", 1, 0, 10)}
LEARNED_NOISE = np.array([[0, 0], [1, 1], [0, 0], [0, 0], [0, 0], [0, 0]], float)
ALL_LEARNED = np.array([[1, 0.1], [0, 0], [1, 1], [1, 1], [1, 1], [0, 0]])
DATASETS = ("animals", "parliament")
THIN = 10  # sweeps between two that are recorded
STARTS = ("slow", "empty", "dense", "dense")
WAYS = {  # steps between sweeps; the first two are those of real matrices, too
    "none": {},
    "columns": {"column_moves": True},
    "scales": {"scale_moves": True},
    "both": {"column_moves": True, "scale_moves": True},
}


def factor_data(p: int, number: int = 0) -> np.ndarray:
    """Return data of section 4.3 of the paper: four factors that ten rows have, σ² = 1."""
    rng = np.random.default_rng(seed_sequence("factors", p, number))
    B = np.zeros((p, FACTORS))
    shape = (LOADED, FACTORS)
    rows = rng.choice(p, LOADED, replace=False)
    B[rows] = rng.uniform(2, 3, shape) * rng.choice([-1, 1], shape)
    return B @ rng.standard_normal((FACTORS, OBJECTS)) + rng.standard_normal((p, OBJECTS))


def gaussian_chain(V: np.ndarray, prior: BuffetPrior, seed=SEED, **options) -> BuffetChain:
    """Return a chain with τ = 1 and σ² ~ IG(1, 1)."""
    numbers = Numbers(np.array([prior.mass, V.var(), 1.0, 1.0, 1.0, 0.0]), LEARNED_NOISE)
    return BuffetChain(Matrix.of_values(V), prior, numbers, seed, **options)


def logistic_chain(codes: np.ndarray, prior: BuffetPrior, seed=SEED, **options) -> BuffetChain:
    """Return a chain of log-odds with everything but α and κ learned."""
    return BuffetChain(Matrix.of_codes(codes), prior, Numbers(np.r_[np.ones(5), 0.0], ALL_LEARNED), seed, **options)


def training(dataset: str) -> np.ndarray:
    """Return the codes of an example with the first mask of the workflow taken out."""
    matrix = load_example(dataset)
    return training_codes(matrix, draw_mask(matrix, 0.25, seed_sequence("mask", dataset, 0)))


def sweep_table(sizes: tuple[int, ...], rounds: Rounds) -> Table:
    """Time sweeps of complete Gaussian data by cells and by sums."""
    table = Table(
        "Indian buffets, complete real matrices",
        f"Microseconds a sweep: n = {OBJECTS}, {FACTORS} factors that {LOADED} rows have, τ = 1, "
        f"one thread, after 10 p slow sweeps; minimum of {rounds.count} rounds in turns.",
        ["p", "prior", "K+", "by cells", "by sums", "ratio"],
    )
    for p in sizes:
        V = factor_data(p)
        for name, prior in PRIORS.items():
            chains = [gaussian_chain(V, prior, by_cells=by) for by in (True, False)]
            for chain in chains:
                chain.sweep(10 * p, 1 / p)
            times = rounds.time({by: c.sweep for by, c in zip(("cells", "sums"), chains, strict=True)})
            cells, sums = (1e6 * times[by].min() for by in ("cells", "sums"))
            found = "/".join(str(chain.K) for chain in chains)
            table.rows.append([p, name, found, number(cells), number(sums), number(cells / sums)])
    return table


def logit_table(datasets: dict[str, np.ndarray], rounds: Rounds) -> Table:
    """Time sweeps of binary matrices."""
    table = Table(
        "Indian buffets, binary matrices",
        "Nanoseconds per observed training cell and sweep, CIBP(γ, 1, 1), one thread; the first "
        f"mask of the workflow held out, after {rounds.warm_up} sweeps.",
        ["dataset", "K+", "minimum", "median"],
    )
    chains = {name: logistic_chain(codes, buffet_prior("cibp", 1, 1, 1)) for name, codes in datasets.items()}
    seconds = rounds.time({name: chain.sweep for name, chain in chains.items()})
    for name, values in seconds.items():
        table.rows.append([name, chains[name].K, *nanoseconds(values, count_cells(datasets[name]))])
    return table


class Followed(NamedTuple):
    """What a chain went through: K+, log joint and ‖BZ‖ of recorded sweeps, (3, n); its cost.

    Seconds are of the processor and of kept sweeps alone.
    """

    values: np.ndarray
    asked: int
    changed: int
    seconds: float


def follow(chain: BuffetChain, start: str, p: int, burn_in: int, kept: int, seed) -> Followed:
    """Run a chain from a start and record it."""
    if start == "dense":
        chain.start_dense(seed)
    slow = min(10 * p, burn_in // 3) if start == "slow" else 0
    chain.sweep(slow, 1 / p)
    chain.sweep(burn_in - slow)
    before, seconds, values = chain.births, 0.0, []
    for _ in range(kept // THIN):
        started = time.process_time()
        chain.sweep(THIN)
        seconds += time.process_time() - started
        state = chain.state()
        fit = np.einsum("jk,kl,jl->", state.B, state.Z @ state.Z.T, state.B)
        values.append((chain.K, chain.log_joint(), np.sqrt(max(fit, 0.0))))
    asked, changed = (now - then for now, then in zip(chain.births, before, strict=True))
    return Followed(np.array(values).T, asked, changed, seconds)


def mixing_table(made: dict, burn_in: int, kept: int) -> Table:
    """Compare chains of four starts; `made` has p and a maker of chains for each name."""
    table = Table(
        "Indian buffets, chains of four starts",
        f"Starts {', '.join(STARTS)}; {burn_in} + {kept} sweeps, each {THIN}th recorded. R-hat and "
        "effective draws of the four chains together of K+, the log joint and ‖BZ‖ (where "
        "K+ stands still in a chain there is none, and it is said whether all agree); births and "
        "deaths that changed anything, of a hundred that were asked for.",
        [
            "data",
            "K+ of the chains",
            "R-hat of K+",
            "draws of K+",
            "draws of K+ a second",
            "R-hat of log joint",
            "R-hat of ‖BZ‖",
            "births and deaths",
        ],
    )
    for name, (p, make) in made.items():
        runs = []
        for i, start in enumerate(STARTS):
            seed = child(SEED, "start", i)
            runs.append(follow(make(seed), start, p, burn_in, kept, seed))
        K, joint, norm = (np.array([run.values[i] for run in runs]) for i in range(3))
        of_K = chain_diagnostics(K)
        means = "/".join(number(k) if k else "0" for k in K.mean(axis=1))
        rate = of_K.ess_bulk / sum(run.seconds for run in runs)
        at_rest = "all agree" if np.ptp(K) == 0 else "chains differ"
        known = np.isfinite(of_K.r_hat)
        asked, changed = (sum(getattr(run, x) for run in runs) for x in ("asked", "changed"))
        table.rows.append(
            [
                name,
                means,
                number(of_K.r_hat, 4) if known else at_rest,
                number(of_K.ess_bulk),
                number(rate),
                *(number(chain_diagnostics(x).r_hat, 4) for x in (joint, norm)),
                number(100 * changed / asked),
            ]
        )
    return table


def moves_table(made: dict, ways: dict, burn_in: int, kept: int) -> Table:
    """Compare chains with and without the steps between sweeps; `made` as for mixing_table."""
    table = Table(
        "Indian buffets, steps between sweeps",
        f"Starts {', '.join(STARTS)}; {burn_in} + {kept} sweeps, each {THIN}th recorded. Effective "
        "draws of the four chains together and R-hat; seconds of the processor.",
        [
            "data",
            "steps",
            "µs a sweep",
            "K+ of the chains",
            "R-hat of K+",
            "draws of K+ a second",
            "R-hat of ‖BZ‖",
            "draws of ‖BZ‖ a second",
        ],
    )
    for name, (p, make) in made.items():
        for way, options in ways.items():
            if options.get("scale_moves") and name.startswith("p ="):
                continue  # real matrices have no log-odds
            runs = []
            make(SEED, **options).sweep(5)  # compiles
            for i, start in enumerate(STARTS):
                seed = child(SEED, "start", i)
                runs.append(follow(make(seed, **options), start, p, burn_in, kept, seed))
            seconds = sum(run.seconds for run in runs)
            K, norm = (np.array([run.values[i] for run in runs]) for i in (0, 2))
            of_K, of_norm = chain_diagnostics(K), chain_diagnostics(norm)
            moves = np.isfinite(of_K.r_hat)
            row = [name, way, number(1e6 * seconds / (kept * len(runs)))]
            row.append("/".join(f"{k:.1f}" for k in K.mean(axis=1)))
            row += [number(of_K.r_hat, 3), number(of_K.ess_bulk / seconds)] if moves else ["–", "–"]
            row += [number(of_norm.r_hat, 3), number(of_norm.ess_bulk / seconds)]
            table.rows.append(row)
            say(" | ".join(map(str, row)))
    return table


def late_table(p: int, datasets: int, sweeps: tuple[int, ...]) -> Table:
    """Count chains of the CIBP whose K+ is not that of the data, so many sweeps after the start."""
    table = Table(
        "Indian buffets, features too many",
        f"CIBP(1, 10, 10), p = {p}, {FACTORS} factors, {datasets} data sets of section 4.3 and "
        f"{len(STARTS)} chains of each ({', '.join(STARTS)}): mean K+, and how many chains have "
        "another number than four, after so many sweeps; seconds of the processor of all.",
        ["steps", *(f"{s} sweeps" for s in sweeps), "seconds"],
    )
    for way, options in list(WAYS.items())[:2]:
        sizes, seconds = [], 0.0
        for data, (i, start) in itertools.product(range(1, datasets + 1), enumerate(STARTS)):
            seed = child(SEED, "late", data, i)
            chain = gaussian_chain(factor_data(p, data), PRIORS["CIBP(1, 10, 10)"], seed, **options)
            if start == "dense":
                chain.start_dense(seed)
            started, sizes_of, slow = time.process_time(), [], 1000 * (start == "slow")
            chain.sweep(slow, 1 / p)
            for step in np.diff([0, *sweeps]):
                chain.sweep(int(step))
                sizes_of.append(chain.K)
            sizes.append(sizes_of)
            seconds += time.process_time() - started
        K = np.array(sizes)
        cells = [f"{k.mean():.2f}, {(k != FACTORS).sum()} of {k.size}" for k in K.T]
        table.rows.append([way, *cells, number(seconds)])
    return table


def chains_to_mix() -> dict:
    """Return p and makers of chains by name, for mixing_table."""
    made = {}
    for p in (50, 300):
        for name, prior in PRIORS.items():
            V = factor_data(p)
            made[f"p = {p}, {name}"] = (p, lambda seed, V=V, prior=prior, **o: gaussian_chain(V, prior, seed, **o))
    for dataset in DATASETS:
        for name in ("cibp", "ibp"):
            codes, prior = training(dataset), buffet_prior(name, 1, float(name == "cibp"), 1)
            make = lambda seed, codes=codes, prior=prior, **o: logistic_chain(  # noqa: E731
                codes, prior, seed, **o
            )
            made[f"{dataset}, {name.upper()}"] = len(codes), make
    return made


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    datasets = {name: training(name) for name in DATASETS}
    return [
        sweep_table(SIZES, Rounds()),
        logit_table(datasets, Rounds(warm_up=1000)),
        mixing_table(chains_to_mix(), 3000, 3000),
        moves_table(chains_to_mix(), WAYS, 2000, 6000),
        late_table(300, 4, (500, 1000, 2000, 3000)),
    ]


def tiny() -> tuple[dict, dict]:
    """Return data for the tests: datasets of logit_table, and what mixing_table follows."""
    matrix = BinaryMatrix.from_array(np.random.default_rng(1).integers(0, 2, (8, 7)))
    V = factor_data(12)[:, :6]
    made = {"tiny": (12, lambda seed, **o: gaussian_chain(V, PRIORS["IBP(1, 10)"], seed, **o))}
    return {"coins": matrix.codes}, made
