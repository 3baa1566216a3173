"""What groups above rows predict: US senators by party, next to the same models without groups.

    NUMBA_CACHE_DIR=$PWD/.numba_cache .venv/bin/python benchmarks/groups.py [--masks 5] [--folds 5]

Prints the tables of docs/logistic.md, in some 10 minutes on one core: held-out log loss in nats per vote of
data/trials/senate106.csv (106th Congress), of masks of a fifth of the observed votes, and of senators all of whose
votes are held out, every one once. Differences have 95 % intervals of `clustered_error`: votes of a senator, and those
on a roll call, are not taken as independent.
"""

import argparse
import warnings

import numpy as np

import nbmf
from common import ROOT, SEED, Table, environment, say
from nbmf.data.masks import draw_mask
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics.blas import one_blas_thread
from nbmf.numerics.clustered_errors import clustered_error
from nbmf.seeds import seed_sequence

HELD_OUT = 0.2
K = 8
# Of 102 senators, two pairs of whom had one seat after each other; the others were elected as Republicans.
DEMOCRATS = """
    LINCOLN BOXER FEINSTEIN DODD LIEBERMAN BIDEN GRAHAM CLELAND MILLER AKAKA INOUYE DURBIN BAYH HARKIN BREAUX LANDRIEU
    MIKULSKI SARBANES KENNEDY KERRY LEVIN WELLSTONE BAUCUS KERREY BRYAN REID LAUTENBERG TORRICELLI BINGAMAN MOYNIHAN
    SCHUMER EDWARDS CONRAD DORGAN WYDEN REED HOLLINGS DASCHLE JOHNSON ROBB LEAHY MURRAY BYRD ROCKEFELLER FEINGOLD KOHL
"""
ENGINES = {"GS": nbmf.LogisticFactorGibbs, "VB": nbmf.LogisticFactorVB}
WITH, WITHOUT = "with party", "without"
NEW_ROW = "new row of the party"
COLUMN_MEANS, PARTY_MEANS = "column means", "column means of the party"


def parties(names: np.ndarray) -> np.ndarray:
    """Return the party of each senator, by the first word of the name."""
    return np.array(["D" if name.split()[0] in DEMOCRATS.split() else "R" for name in names])


def methods(party: np.ndarray) -> dict[str, Factorization]:
    """Return the estimators by name."""
    settings = {"effects": "both", "effect_scale": "learned", "random_state": SEED}
    return {
        f"{engine}, {name}": estimator(K, row_groups=groups, **settings)
        for engine, estimator in ENGINES.items()
        for name, groups in ((WITHOUT, None), (WITH, party.tolist()))
    }


def baselines(codes: np.ndarray, party: np.ndarray) -> dict[str, np.ndarray]:
    """Return the means of columns, and of those of each party, with one more of either value."""
    found = {COLUMN_MEANS: np.broadcast_to(_means(codes), codes.shape), PARTY_MEANS: np.empty(codes.shape)}
    for one in np.unique(party):
        found[PARTY_MEANS][party == one] = _means(codes[party == one])
    return found


def _means(codes: np.ndarray) -> np.ndarray:
    return ((codes == 1).sum(axis=0) + 1) / ((codes >= 0).sum(axis=0) + 2)


def entry_losses(codes: np.ndarray, party: np.ndarray, masks: list[np.ndarray], of: str) -> dict[str, np.ndarray]:
    """Return the losses of each method, float arrays (F, N), the mean over masks that hold the vote out, else NaN."""
    total: dict[str, np.ndarray] = {}
    times = np.zeros(codes.shape)
    for number, mask in enumerate(masks):
        training = BERNOULLI.hide(codes, mask)
        predicted = baselines(training, party)
        for name, estimator in methods(party).items():
            say(f"groups: {of} {number}, {name}")
            model = estimator.fit(training)
            predicted[name] = model.expectation_
            if name.endswith(WITH):
                predicted[f"{name.split(',')[0]}, {NEW_ROW}"] = model.predict_groups(party)
        times += mask
        for name, expectation in predicted.items():
            losses = np.zeros(codes.shape)
            losses[mask] = BERNOULLI.losses(codes[mask], expectation[mask])
            total[name] = total.get(name, 0.0) + losses
    return {name: np.where(times > 0, losses / np.maximum(times, 1), np.nan) for name, losses in total.items()}


def table_of(title: str, note: str, found: dict[str, np.ndarray], names: list[str]) -> Table:
    """Return the mean loss of methods, and what groups gain over the same method without."""
    table = Table(title, note, ["method", "held-out log loss", "less than without groups", "95 % interval"])
    for name in names:
        cells, without = [name, f"{np.nanmean(found[name]):.4f}", "", ""], f"{name.split(',')[0]}, {WITHOUT}"
        if name != without and without in found:
            gain = found[without] - found[name]
            mean, error = float(np.nanmean(gain)), 1.96 * clustered_error(gain)
            cells[2:] = f"{mean:+.4f}", f"{mean - error:+.4f} to {mean + error:+.4f}"
        table.rows.append(cells)
    return table


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--masks", type=int, default=5)
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    say(environment())
    matrix = nbmf.read(ROOT / "data" / "trials" / "senate106.csv", log=say)
    codes, party = matrix.codes, parties(matrix.row_names)
    masks = [draw_mask(matrix, HELD_OUT, seed_sequence("groups", number)) for number in range(options.masks)]
    order = np.random.default_rng(seed_sequence("groups", "members")).permutation(len(codes))
    members = [
        np.isin(np.arange(len(codes)), part)[:, None] & (codes >= 0) for part in np.array_split(order, options.folds)
    ]
    note = f"{len(codes)} senators, {codes.shape[1]} roll calls, K = {K}, effects of learned variances."
    with one_blas_thread(), warnings.catch_warnings(action="ignore"):
        votes = entry_losses(codes, party, masks, "mask")
        print(
            table_of("Held-out votes", note, votes, [*baselines(codes, party), *methods(party)]).markdown(), flush=True
        )
        new = entry_losses(codes, party, members, "fold")
        print(table_of("Held-out senators, of whom the party is known", note, new, list(new)).markdown())


if __name__ == "__main__":
    main()
