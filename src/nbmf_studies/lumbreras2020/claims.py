"""The paper's claims, each decided by a rule that was fixed before the run of all datasets, or says what was not.

A claim has parts, mostly one per dataset; a part is a comparison of numbers of this run. A claim
is reproduced if all its parts hold, not reproduced if none does, and partly otherwise. The rules
are in words next to the verdicts, and their thresholds are the constants below.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pandas as pd

from nbmf_studies.framework.gathering import rows_of
from nbmf_studies.framework.verdicts import Claim, Part, verdict_functions

SIMILAR = 0.03  # medians over masks within this share of each other are "similar", beyond it "considerably" different
MARGINAL, DRASTIC = 0.1, 0.5  # shares of another median: at most, and at least
SINGLED_OUT = ("lastfm", "parliament")  # where the paper has Beta-Dir VB better than bICA, and c-bICA worse
FAR_FEWER = 33  # components out of 100: a third
COMPARED_TRACES = (("beta-dir-vb", 100), ("c-bica", 5), ("bica", 5))  # Figure 11
ARRIVED = 0.01  # a trace has converged once it stays this close to its end, as a share of it

MEAN_PARAMETERISED = ("beta-dir-gs", "beta-dir-vb", "dir-dir-gs", "c-bica", "bica")
NONPARAMETRIC = ("beta-dir-gs", "beta-dir-vb", "dir-dir-gs")
PAPER_DATASETS = ("animals", "lastfm", "paleo", "parliament", "unvotes")


class Results(NamedTuple):
    """What claims are decided from.

    scores : DataFrame, as `nbmf.evaluation.score_table.gather_scores` makes it
    traces : DataFrame, as `nbmf.evaluation.score_table.gather_traces` makes it
    """

    scores: pd.DataFrame
    traces: pd.DataFrame

    @property
    def datasets(self) -> list[str]:
        """The datasets of the paper that were run, with every method that is compared and was run at all."""
        return paper_datasets(self.scores)

    def medians(self, dataset: str, method: str) -> pd.Series:
        """Return the median perplexity over masks per K."""
        return rows_of(self.scores, dataset=dataset, method=method).groupby("K")["perplexity"].median()

    def best(self, dataset: str, method: str) -> float:
        """Return the smallest of the medians over K, NaN if the method was not run."""
        return self.medians(dataset, method).min()

    def quartile_ranges(self, method: str) -> pd.Series:
        """Return the interquartile range over masks per dataset and K."""
        of_method = rows_of(self.scores, method=method)
        quartiles = of_method.groupby(["dataset", "K"])["perplexity"].quantile([0.25, 0.75]).unstack()
        return quartiles[0.75] - quartiles[0.25]

    def mean_trace(self, dataset: str, method: str, K: int) -> pd.Series:
        """Return the mean perplexity over masks per recorded iteration."""
        traces = rows_of(self.traces, dataset=dataset, method=method, K=K)
        return traces.groupby("iteration")["perplexity"].mean()


def paper_datasets(scores: pd.DataFrame) -> list[str]:
    """Return the datasets of the paper in a table of scores that have every compared method which is there at all."""
    compared = scores[scores["dataset"].isin(PAPER_DATASETS) & scores["method"].isin((*MEAN_PARAMETERISED, "logpca"))]
    methods, every = compared.groupby("dataset")["method"].agg(set), set(compared["method"])
    return [name for name in PAPER_DATASETS if name in methods and methods[name] == every]


def vb_against_bica(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 1, decided by its rule."""
    for dataset in run.datasets:
        vb, bica = run.best(dataset, "beta-dir-vb"), run.medians(dataset, "bica")
        is_better = dataset in SINGLED_OUT
        yield Part(
            f"{'better' if is_better else 'about as well'} on {dataset}",
            bool(vb < bica.min() if is_better else vb <= (1 + SIMILAR) * bica.min()),
            f"Beta-Dir VB {vb:.4f}; bICA {bica.min():.4f} (best, K = {bica.idxmin()}) to {bica.max():.4f} (worst)",
        )


def dir_dir_on_paleo(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 2, decided by its rule."""
    if "paleo" in run.datasets:
        others = [name for name in MEAN_PARAMETERISED if name != "dir-dir-gs"]
        best = {name: run.best("paleo", name) for name in others}
        name = min(best, key=best.get)
        dir_dir = run.best("paleo", "dir-dir-gs")
        yield Part(
            "paleo",
            bool(dir_dir < (1 - SIMILAR) * best[name]),
            f"Dir-Dir GS {dir_dir:.4f}; best of the others {best[name]:.4f} ({name})",
        )


def collapsed_against_uncollapsed(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 3, decided by its rule."""
    ratios = {
        dataset: (run.medians(dataset, "c-bica") / run.medians(dataset, "bica")).dropna()  # of the K that both have
        for dataset in run.datasets
    }
    every = pd.concat(ratios.values())
    if every.empty:
        return
    better = (every < 1).mean()
    text = f"c-bICA is better in {better:.0%} of the pairs (dataset, K)"
    yield Part("no improvement in general", bool(better <= 0.5), text)
    for dataset in SINGLED_OUT:
        if dataset in ratios and not ratios[dataset].empty:
            ratio = ratios[dataset].median()
            yield Part(f"worse on {dataset}", bool(ratio > 1), f"c-bICA : bICA = {ratio:.3f} (median over K)")
    spreads = (run.quartile_ranges("c-bica") / run.quartile_ranges("bica")).median()
    if not math.isnan(spreads):  # one mask has no range
        yield Part(
            "varies less",
            bool(spreads < 1),
            f"interquartile range over masks, c-bICA : bICA = {spreads:.2f} (median over dataset, K)",
        )


def logistic_pca(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 4, decided by its rule."""
    decays = {}
    for dataset in run.datasets:
        others = {name: run.best(dataset, name) for name in MEAN_PARAMETERISED}
        logpca, best = run.medians(dataset, "logpca"), min(others.values())
        decays[dataset] = logpca.max() / logpca.min()
        worse = sum(value > logpca.min() for value in others.values())
        numbers = f"logPCA {logpca.min():.4f} (K = {logpca.idxmin()}); best other {best:.4f}"
        if dataset == "animals":
            where = "worse than almost all others on animals"
            yield Part(where, worse <= 1, f"{numbers}; {worse} of {len(others)} are worse")
            continue
        yield Part(f"better on {dataset}", logpca.min() < best, f"{numbers}; {worse} of {len(others)} are worse")
        if logpca.min() < best:
            gain = 1 - logpca.min() / best
            yield Part(f"marginally on {dataset}", bool(gain <= MARGINAL), f"better by {gain:.1%}")
            text = f"K = {logpca.idxmax()}: {logpca.max():.4f}; best other {best:.4f}"
            yield Part(f"with a suitable K alone on {dataset}", bool(logpca.max() >= best), text)
    text = "worst K : best K = " + ", ".join(f"{ratio:.2f} on {name}" for name, ratio in decays.items())
    yield Part("can become drastically worse", max(decays.values()) >= 1 + DRASTIC, text)


def convergence(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 5, decided by its rule."""
    arrivals = {}
    if any(run.mean_trace(run.datasets[0], *key).empty for key in COMPARED_TRACES):
        return
    for dataset in run.datasets:
        c_bica, bica = (run.mean_trace(dataset, name, 5) for name in ("c-bica", "bica"))
        arrivals[dataset] = arrival(c_bica), arrival(bica)
    faster = [dataset for dataset, (collapsed, plain) in arrivals.items() if collapsed < plain]
    yield Part(
        "c-bICA-5 needs fewer iterations than bICA-5 on most datasets",
        len(faster) > len(arrivals) / 2,
        "; ".join(f"{name}: {c} and {b}" for name, (c, b) in arrivals.items()),
    )
    for dataset in run.datasets:
        vb = run.mean_trace(dataset, "beta-dir-vb", 100)
        others = [run.mean_trace(dataset, name, 5) for name in ("c-bica", "bica")]
        start, end = (min(trace.iloc[place] for trace in others) for place in (0, -1))
        yield Part(
            f"Beta-Dir VB starts higher and catches up on {dataset}",
            bool(vb.iloc[0] > max(t.iloc[0] for t in others) and vb.iloc[-1] <= (1 + SIMILAR) * end),
            f"first iteration {vb.iloc[0]:.4f}, the others from {start:.4f}; last "
            f"{vb.iloc[-1]:.4f}, the better other {end:.4f}",
        )


def arrival(trace: pd.Series) -> int:
    """Return the first recorded iteration from which a trace stays within ARRIVED of its end."""
    end = trace.iloc[-1]
    away = (trace - end).abs() > ARRIVED * end
    return int(trace.index[0] if not away.any() else trace.index[away.to_numpy().nonzero()[0][-1] + 1])


def few_components(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 6, decided by its rule."""
    for method in NONPARAMETRIC:
        for dataset in run.datasets:
            active = rows_of(run.scores, dataset=dataset, method=method)["active_components"].median()
            yield Part(
                f"{method} on {dataset}",
                bool(active <= FAR_FEWER),
                f"{active:g} components hold at least 1 % (median over masks)",
            )


def rule_for_methods(
    methods: tuple[str, ...], decide: Callable[[Results], Iterator[Part]]
) -> Callable[[Results], Iterable[Part]]:
    """Return a rule that yields no part if any of these methods, which it compares, was not run."""

    def parts(run: Results) -> Iterable[Part]:
        return decide(run) if run.datasets and set(methods) <= set(run.scores["method"]) else ()

    return parts


CLAIMS = [
    Claim(
        "Beta-Dir VB predicts better than bICA on lastfm and parliament, and about as well elsewhere, without choosing "
        "K.",
        "The median log loss over masks is below that of bICA at every K on lastfm and parliament, and at most "
        f"{SIMILAR:.0%} above that of bICA with its best K elsewhere. (At first the latter on each dataset.)",
        rule_for_methods(("beta-dir-vb", "bica"), vb_against_bica),
    ),
    Claim(
        "Dir-Dir GS predicts considerably better than the other mean-parameterised methods on paleo.",
        f"The median log loss over masks is more than {SIMILAR:.0%} below that of every other "
        "mean-parameterised method with its best K.",
        rule_for_methods(MEAN_PARAMETERISED, dir_dir_on_paleo),
    ),
    Claim(
        "c-bICA does not improve on bICA in general, is worse on lastfm and parliament, and varies less between runs.",
        "c-bICA is better in at most half of the pairs (dataset, K). On lastfm and parliament it is worse (median over "
        "K). Its interquartile range over masks is smaller (median over dataset, K). (At first better and worse meant "
        f"by more than {SIMILAR:.0%}, for which the paper does not ask.)",
        rule_for_methods(("c-bica", "bica"), collapsed_against_uncollapsed),
    ),
    Claim(
        "logPCA is marginally better than the rest, with a suitable K alone, except on animals, where it is worse than "
        "almost all others; with an ill-chosen K it can become drastically worse.",
        "With its best K logPCA has the smallest median of all methods on each dataset; where it has, by at most "
        f"{MARGINAL:.0%}, and not with its worst K. On animals at most one method is worse. On at least one dataset "
        f"its median at the worst K is at least {DRASTIC:.0%} above that at the best. (At first neither the margin "
        f"nor other K counted, and the largest K had to be more than {SIMILAR:.0%} worse on each dataset.)",
        rule_for_methods((*MEAN_PARAMETERISED, "logpca"), logistic_pca),
    ),
    Claim(
        "c-bICA converges in fewer iterations than bICA, though not always; Beta-Dir VB starts higher and catches up.",
        f"c-bICA-5 needs fewer iterations until the mean log loss over masks stays within {ARRIVED:.0%} of its end, on "
        "more than half of the datasets. On each dataset Beta-Dir VB is above both "
        f"after the first iteration, and at the end at most {SIMILAR:.0%} above the better one.",
        rule_for_methods(("beta-dir-vb", "c-bica", "bica"), convergence),
    ),
    Claim(
        "The nonparametric methods use far fewer than 100 components.",
        f"For each dataset and method at most {FAR_FEWER} components (a third) hold at least 1 % of "
        "the dictionary's weight (median over masks).",
        rule_for_methods(NONPARAMETRIC, few_components),
    ),
]


def has_all_datasets(run: Any, number: int) -> bool:
    """Return whether all datasets were run that a claim, by its number, is about."""
    about = ("paleo",) if number == 2 else PAPER_DATASETS
    return set(about) <= set(run.datasets)


claims, claims_parts = verdict_functions(CLAIMS, Results, is_whole=has_all_datasets)


# Section 6.3.1 and Figure 7, for parliament: what, method, K, the paper's value.
PAPER_NUMBERS = [
    ("D(V|V^)", "beta-dir-vb", 100, 4729),
    ("D(V|V^)", "beta-dir-gs", 100, 4863),
    ("D(V|V^)", "bica", 8, 4957),
    ("D(V|V^)", "dir-dir-gs", 100, 8930),
    ("D(V|V^)", "logpca", 8, 1783),
    ("active components", "beta-dir-gs", 100, 9),
    ("active components", "beta-dir-vb", 100, 9),
    ("active components", "dir-dir-gs", 100, 2),
    ("smallest entry of W", "logpca", 8, -207.17),
    ("largest entry of W", "logpca", 8, 217.92),
]
COLUMN_OF = {
    "D(V|V^)": "loss",
    "active components": "active_components",
    "smallest entry of W": "W_min",
    "largest entry of W": "W_max",
}


def paper_numbers(unmasked_scores: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's numbers for parliament next to the spread of ours over seeds.

    Columns: quantity, method, K, paper, seeds, min, median, max, and whether the paper's value
    lies between min and max (rounded to whole numbers).
    """
    rows = []
    for quantity, method, K, value in PAPER_NUMBERS:
        scores = rows_of(unmasked_scores, dataset="parliament", method=method, K=K)
        if scores.empty:
            continue
        ours = scores[COLUMN_OF[quantity]]
        inside = round(ours.min()) <= round(value) <= round(ours.max())
        spread = [len(ours), ours.min(), ours.median(), ours.max(), inside]
        rows.append([quantity, method, K, value, *spread])
    names = ["quantity", "method", "K", "paper", "seeds", "min", "median", "max", "inside"]
    return pd.DataFrame(rows, columns=names)
