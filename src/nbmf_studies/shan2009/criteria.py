"""The comparisons that decide the paper's claims, and their thresholds.

Values of a table are medians over folds: perplexities of single folds may be infinite.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from nbmf_studies.framework.gathering import rows_of
from nbmf_studies.framework.verdicts import Part
from nbmf_studies.shan2009 import reported_values
from nbmf_studies.shan2009.names import LABELS
from nbmf_studies.shan2009.reported_tables import FAST, compare_fast_with_full, shared_words

MNB, MMNB, FAST_MMNB, LDA = "mnb", "mmnb", "fast-mmnb", "lda"
FAST_LDA = "fast-lda", "fast-lda-5"  # the paper's, and with a stop of ours
FIVE_ROUNDS = "fast-mmnb-5", "fast-lda-5"  # all with that stop
MOST, ALL = 5, 9  # of nine sets: more than half, and every one
ENTROPY = 5.0  # times that of NB
NOT_RISING = "uci_ionosphere"
TOO_MANY = 12  # components of Foodmart from which MNB fits too closely
COARSE = 0.01  # steps of flips
WITHIN, FASTER = 0.05, 5.0  # of the perplexity of full inference; times
NEAR_MNB, NEAR_SETS = 0.02, 6  # of MNB's training perplexity; of nine sets
FINE, STEPS_UP = (0.001, 0.0001), 0.9  # steps of flips; the share of steps up that is "almost always"
CLOSE = 0.03  # of micro-precision: the paper's Fast LDA is at most .025 below LDA
SHARED = 8  # of the ten words of a topic
MEASURES = {"perplexity": "the bound", "sampled": "sampled"}
OURS = "sampled"  # the paper's perplexity is that of the bound
PAPERS_FLOOR = "paper"  # the other one is ours
PERPLEXITIES = (("training", "perplexity"), ("test", "perplexity"), ("test", "sampled"))  # parts of rows, and columns


@dataclass(frozen=True, eq=False)
class Results:
    """What claims are decided from.

    uci, ratings, text : DataFrame, as runs.tabulate_rows makes them
    flips : DataFrame, as runs.tabulate_flips makes it
    topics : DataFrame, as runs.tabulate_topics makes it
    """

    uci: pd.DataFrame
    ratings: pd.DataFrame
    text: pd.DataFrame
    flips: pd.DataFrame
    topics: pd.DataFrame

    def floors(self) -> list[str]:
        """Return the names of the floors of the variance."""
        return list(dict.fromkeys(self.uci["floor"]))

    def set_medians(self, floor: str, column: str, part: str = "test") -> pd.DataFrame:
        """Return the medians over folds of a column, UCI sets by models."""
        runs = rows_of(self.uci, floor=floor, part=part)
        return runs.groupby(["dataset", "model"], sort=False)[column].median().unstack()

    def rating_medians(self, dataset: str, column: str, part: str) -> pd.DataFrame:
        """Return the medians over folds of a column of ratings, (K, ε) by models; empty if they were not run."""
        runs = rows_of(self.ratings, dataset=dataset, part=part)
        groups = runs.groupby(["K", "smoothing", "model"], sort=True)
        return groups[column].median().unstack("model")


# What a claim, by its number, is about: a table of `Results`, and the sets that it needs; of UCI all nine.
SETS_OF_CLAIMS = {
    5: ("ratings", {"jester", "foodmart"}),
    6: ("ratings", {"movielens"}),
    7: ("flips", {"jester_binary", "foodmart_binary", "movielens_binary"}),
    8: ("ratings", {"jester", "foodmart"}),
    10: ("flips", {"jester_binary"}),
    11: ("topics", {"classic3", "cmu_diff", "cmu_sim"}),
    12: ("topics", {"classic3"}),
}


def has_all_sets(run: Results, number: int) -> bool:
    """Return whether all sets were run that a claim, by its number, is about."""
    if number not in SETS_OF_CLAIMS:
        return run.uci["dataset"].nunique() == ALL
    table, sets = SETS_OF_CLAIMS[number]
    return sets <= set(getattr(run, table)["dataset"])


def holds_on_enough_sets(by_set: pd.Series, least: int, what: str) -> tuple[bool, str]:
    """Return whether a rule holds on enough of the sets that were run, and a text that names the exceptions."""
    exceptions = [name.removeprefix("uci_") for name, holds in by_set.items() if not holds]
    needed = int(np.ceil(least * len(by_set) / 9))  # fewer in a reduced run
    text = f"{what} on {int(by_set.sum())} of {len(by_set)}"
    return int(by_set.sum()) >= needed, text + (f"; not {', '.join(exceptions)}" if exceptions else "")


def _describe_floor(floor: str, column: str = "perplexity") -> str:
    return f"{floor} floor, {MEASURES[column]}"


def lower_on_uci(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 1, decided by its rule."""
    for floor in run.floors():
        for part, column in PERPLEXITIES:
            table = run.set_medians(floor, column, part)
            ours = floor != PAPERS_FLOOR or column == OURS
            where = f"{part}, {_describe_floor(floor, column)}"
            yield Part(where, *holds_on_enough_sets(table[MMNB] < table[MNB], MOST, "lower"), ours)


def clusters_on_uci(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 2, decided by its rule."""
    for floor in run.floors():
        for part, column in product(("training", "test"), ("precision", "information")):
            table = run.set_medians(floor, column, part)
            holds, text = holds_on_enough_sets(table[MMNB] > table[MNB], MOST, "higher")
            yield Part(f"{part}, {floor} floor, {column}", holds, text, floor != PAPERS_FLOOR)


def soft_on_uci(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 3, decided by its rule: a part per set, one for all with the floor that is ours."""
    for floor in run.floors():
        tests = rows_of(run.uci, floor=floor, part="test")
        means = tests.groupby(["dataset", "model"], sort=False)["entropy"].mean().unstack()
        soft = means[MMNB] >= ENTROPY * means[MNB]
        if floor != PAPERS_FLOOR:
            yield Part(f"{floor} floor", *holds_on_enough_sets(soft, ALL, "as soft"), ours=True)
            continue
        for name, row in means.iterrows():
            yield Part(name, bool(soft[name]), f"entropy MMNB {row[MMNB]:.3f}, NB {row[MNB]:.3f}")


def rising_on_uci(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 4, decided by its rule: a part per set, one for all by each measure that is ours."""
    for floor in run.floors():
        for column, prefix in (("perplexity", "fifth"), ("sampled", "sampled")):
            fifths = [run.set_medians(floor, f"{prefix}_{n}")[MMNB] for n in range(1, 6)]
            values = pd.concat(fifths, axis=1)
            rises = pd.Series((np.diff(values.to_numpy(), axis=1) > 0).all(axis=1), values.index)
            as_told = rises != (rises.index == NOT_RISING)
            if floor != PAPERS_FLOOR or column == OURS:
                text = holds_on_enough_sets(rises, ALL, "rises")[1]
                yield Part(_describe_floor(floor, column), bool(as_told.all()), text, ours=True)
                continue
            for name, row in values.iterrows():
                where = f"not on {name}" if name == NOT_RISING else name
                yield Part(where, bool(as_told[name]), ", ".join(f"{value:.4g}" for value in row))


def jester_and_foodmart(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 5, decided by its rule."""
    for part, column in PERPLEXITIES:
        table = run.rating_medians("jester", column, part)
        if len(table):
            lower = (table[MMNB] < table[MNB]).sum()
            text = f"MMNB lower at {lower} of {len(table)} numbers of components"
            yield Part(f"jester, {part}, {MEASURES[column]}", bool(lower > len(table) / 2), text, column == OURS)
    for part, column in PERPLEXITIES:
        for (K, _), row in run.rating_medians("foodmart", column, part).iterrows():
            if part == "test" and K < TOO_MANY:
                continue
            lower = row[MNB] < row[MMNB] if part == "training" else row[MNB] > row[MMNB]
            text = f"MMNB {row[MMNB]:.4g}, MNB {row[MNB]:.4g}"
            yield Part(f"foodmart, K = {K}, {part}, {MEASURES[column]}", lower, text, column == OURS)


def stable_on_movielens(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 6, decided by its rule."""
    for column in MEASURES:
        table = run.rating_medians("movielens", column, "test")
        if len(table) > 1:
            spread = table.max() - table.min()
            text = f"range MNB {spread[MNB]:.4g}, MMNB {spread[MMNB]:.4g}"
            yield Part(f"movielens, {MEASURES[column]}", spread[MNB] > spread[MMNB], text, column == OURS)


def flips_rise(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 7, decided by its rule."""
    for dataset, flips in rows_of(run.flips, model=MMNB, step=COARSE).groupby("dataset", sort=False):
        curve = flips.groupby("level")["perplexity"].mean()
        steps = np.diff(curve.to_numpy())
        text = f"{int((steps > 0).sum())} of {steps.size} steps up, {curve.iloc[0]:.5g} to "
        yield Part(dataset, bool((steps > 0).all()), text + f"{curve.iloc[-1]:.5g}")


def fast_is_as_good(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 8, decided by its rule."""
    known = {label: name for name, label in LABELS.items() if name in FAST}
    for _, row in compare_fast_with_full(run.ratings, run.text).iterrows():
        ratios = {column: row[column] for column in MEASURES}
        for column, ratio in ratios.items():
            where = f"{row['dataset']}, K = {row['K']}, ε = {row['smoothing']:g}, "
            where += f"{known[row['model']]}, {MEASURES[column]}"
            near = bool(abs(ratio - 1) <= WITHIN)
            text = f"{ratio:.3f} times the perplexity, {row['times faster']:.1f} times faster"
            ours = column == OURS or known[row["model"]] in FIVE_ROUNDS
            yield Part(where, near and bool(row["times faster"] >= FASTER), text, ours)


def fast_is_mnb(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 9, decided by its rule."""
    for floor in run.floors():
        table = run.set_medians(floor, "perplexity", "training")
        if FAST_MMNB in table:
            near = (table[FAST_MMNB] / table[MNB] - 1).abs() <= NEAR_MNB
            yield Part(f"{floor} floor", *holds_on_enough_sets(near, NEAR_SETS, "near"), floor != PAPERS_FLOOR)


def lda_is_not_monotone(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 10, decided by its rule."""
    jester = run.flips[run.flips["dataset"].str.startswith("jester") & run.flips["step"].isin(FINE)]
    for (step, model), flips in jester.groupby(["step", "model"], sort=False):
        steps = np.diff(flips.groupby("level")["perplexity"].mean().to_numpy())
        up = int((steps > 0).sum())
        holds = up >= STEPS_UP * steps.size if model == MMNB else up < steps.size
        yield Part(f"{LABELS[model]}, steps of {100 * step:g} %", bool(holds), f"{up} of {steps.size} steps up")


def fast_clusters_as_well(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 11, decided by its rule."""
    for dataset, fits in run.topics.groupby("dataset", sort=False):
        best = fits.loc[fits.groupby("model")["objective"].idxmax()].set_index("model")["precision"]
        for name in FAST_LDA:
            if LDA in best and name in best:
                text = f"{LABELS[name]} {best[name]:.4f}, LDA {best[LDA]:.4f}"
                near = bool(best[name] >= best[LDA] - CLOSE)
                yield Part(f"{dataset}, {LABELS[name]}", near, text, name != FAST_LDA[0])


def topics_share_words(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 12, decided by its rule."""
    classic = run.topics[run.topics["dataset"] == "classic3"]
    best = {
        model: fits.loc[fits["objective"].idxmax(), "topics"] for model, fits in classic.groupby("model", sort=False)
    }
    topics = {model: joined.split(" | ") for model, joined in best.items()}
    for model, papers in reported_values.TOPICS.items():
        if model in topics:
            yield _shared_words_part(f"{LABELS[model]} and the paper's", topics[model], papers)
    for name in FAST_LDA:
        if LDA in topics and name in topics:
            yield _shared_words_part(f"{LABELS[name]} and LDA", topics[name], topics[LDA], name != FAST_LDA[0])


def _shared_words_part(where: str, ours: Sequence[str], others: Sequence[str], is_ours: bool = False) -> Part:
    """Return the part on shared words, with topics matched so that most words are shared."""
    shared = shared_words(ours, others)
    counts = [int(shared[place]) for place in zip(*linear_sum_assignment(-shared), strict=True)]
    return Part(where, min(counts) >= SHARED, f"{', '.join(map(str, counts))} words of ten", is_ours)
