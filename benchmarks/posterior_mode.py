r"""How many components logistic MAP needs, and what they cost (docs/logistic.md):

    .venv/bin/python benchmarks/posterior_mode.py \
        data/trials/hyper_qtl.csv data/trials/senate106.csv data/trials/permeability_fp.csv.gz

A fifth of the entries is held out. Prints the held-out log loss with at most K components, the penalty that entries
held out from the others choose, how many components have 1 % of the variance of log-odds, and seconds.
"""

import argparse
import time
import warnings
from pathlib import Path

import nbmf
from candidates import test_entries, training_of

COMPONENTS = 8, 16, 32, 64, 128


def main() -> None:
    """Print a line for each matrix and number of components."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    warnings.simplefilter("ignore")
    for file in parser.parse_args().files:
        matrix = nbmf.read(file, log=lambda line: None)
        entries = test_entries(matrix.codes, 0)
        training = training_of(matrix, entries)
        for K in COMPONENTS:
            started = time.perf_counter()
            model = nbmf.LogisticFactorMAP(K, random_state=0).fit(training)
            seconds = time.perf_counter() - started
            loss = nbmf.perplexity(matrix.codes, model.expectation_, entries)
            print(
                f"{file.name:24s}  K = {K:3d}  {loss:.4f} nats  penalty {float(model.penalty_):g}  "
                f"{model.active_components_} active  {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
