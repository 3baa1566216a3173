"""The comparisons that decide the paper's claims, and their thresholds."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from nbmf_studies.cemgil2009.averages import averages
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB, KINDS, ML_IMAGES, ML_RANDOM, VB, VB_ICM, WAYS
from nbmf_studies.framework.verdicts import Part

MOST = 0.7  # of the matrices: often enough
CLOSE = 10.0  # nats between a bound and an estimate of the evidence
ENOUGH = 10.0  # effective size, below which an error means nothing
PRINTED = {"olivetti_16": 27, "olivetti_32": 42}  # Figure 4
NEAR = 0.2  # share of a printed order
SPARSE_TEMPLATES = (0.5, 10.0)  # shapes of W and H: what the text describes
AS_PRINTED = (10.0, 0.5)
OTHER_PAIRS = {(10.0, 10.0), (0.1, 0.1), (10.0, 0.2)}  # the first three of Figure 5
TEMPLATES = 36  # of Figure 5
MANY, SOME, FEW = 100, 25, 5  # templates of Figures 6 and 7: for 50 images, too many, and few
BETTER, FLAT = 0.5, 0.5  # dB


@dataclass(frozen=True, eq=False)
class Results:
    """What claims are decided from; what was left out of a run is None.

    K : int, the true number of sources of the matrices of Figure 3
    estimates : DataFrame, as `order_evidence.tabulate` makes it
    orders : DataFrame, as `order_bounds.tabulate` makes it
    bounds : DataFrame, as `templates.tabulate` makes it
    scores : DataFrame, as `filling.tabulate` makes it
    """

    K: int
    estimates: pd.DataFrame
    orders: pd.DataFrame | None = None
    bounds: pd.DataFrame | None = None
    scores: pd.DataFrame | None = None

    @cached_property
    def averages(self) -> pd.DataFrame:
        """A row per matrix, order and kind."""
        return averages(self.estimates)

    def tables_of_kind(self, kind: str) -> Iterator[tuple[int, pd.DataFrame]]:
        """Yield each matrix with its averages of a kind, by orders."""
        of_kind = self.averages[self.averages["kind"] == kind]
        for seed, table in of_kind.groupby("seed"):
            yield int(seed), table.set_index("order").sort_index()

    def choices(self, kind: str) -> dict[int, int]:
        """Return the order with the largest value, by matrix."""
        return {seed: int(table["value"].idxmax()) for seed, table in self.tables_of_kind(kind)}

    def best_orders(self, dataset: str) -> list[int]:
        """Return the order with the largest bound, for each start."""
        of_dataset = self.orders[self.orders["dataset"] == dataset]
        return [int(table.set_index("order")["bound"].idxmax()) for _, table in of_dataset.groupby("start")]

    def filled(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield each dataset with signal-to-noise ratios: index (order, run), a column per way."""
        if self.scores is not None:
            for dataset, fits in self.scores.groupby("dataset", sort=False):
                yield dataset, fits.pivot(index=["order", "run"], columns="way", values="snr")


def _format_choices(orders) -> str:
    return ", ".join(f"{order} ({times}x)" for order, times in sorted(Counter(orders).items()))


def _often_chosen(choices: dict[int, int], right) -> Part | None:
    if not choices:
        return None
    times = sum(order in right for order in choices.values())
    text = f"{times} of {len(choices)} matrices; chosen {_format_choices(choices.values())}"
    wanted = " or ".join(map(str, right))
    return Part(f"order {wanted}", times >= MOST * len(choices), text)


def _yield_part(part: Part | None) -> Iterator[Part]:
    if part is not None:
        yield part


def bound_finds_order(run: Results) -> Iterator[Part]:
    """The priors being known."""
    return _yield_part(_often_chosen(run.choices(BOUND), (run.K,)))


def adapted_bound_finds_order(run: Results) -> Iterator[Part]:
    """The priors being learned."""
    return _yield_part(_often_chosen(run.choices(ADAPTED), (run.K,)))


def chib_agrees(run: Results) -> Iterator[Part]:
    """Whether Chib's method says what the bound says; whether it may be believed is ours."""
    bounds = dict(run.tables_of_kind(BOUND))
    for seed, chib in run.tables_of_kind(CHIB):
        size = chib["effective_size"]
        text = f"smallest {size.min():.3g}, at order {size.idxmin()}"
        yield Part(f"effective size, matrix {seed}", bool(size.min() > ENOUGH), text, ours=True)
        steps = bounds[seed]["value"].diff().abs().dropna()
        shared = steps.index.intersection(chib.index)
        if len(shared) and not chib.loc[shared, "spread"].isna().any():
            ratio = chib.loc[shared, "spread"] / steps[shared]
            text = f"at most {ratio.max():.3g} times the bound's step, at order {ratio.idxmax()}"
            yield Part(f"spread of runs, matrix {seed}", bool(ratio.max() < 1), text, ours=True)
        ours, theirs = (int(table["value"].idxmax()) for table in (chib, bounds[seed]))
        text = f"Chib {ours}, bound {theirs}"
        yield Part(f"order, matrix {seed}", ours == theirs, text)


def bound_is_close(run: Results) -> Iterator[Part]:
    """The bound next to Chib's estimate; that by annealing is ours."""
    yield from median_gap(run, CHIB)
    yield from median_gap(run, ANNEALED, ours=True)


def median_gap(run: Results, kind: str, ours: bool = False) -> Iterator[Part]:
    """Yield whether the bound is close to estimates of a kind at every order, by medians over matrices."""
    bounds = dict(run.tables_of_kind(BOUND))
    gaps = [table["value"] - bounds[seed]["value"] for seed, table in run.tables_of_kind(kind)]
    if gaps:
        median = pd.concat(gaps, axis=1).median(axis=1)
        text = ", ".join(f"{gap:.0f} at {order}" for order, gap in median.items())
        yield Part(f"{KINDS[kind][0]}, median gap in nats", bool((median.abs() <= CLOSE).all()), text, ours)


def evidence_finds_order(run: Results) -> Iterator[Part]:
    """By annealing, and whether its errors can be believed."""
    choices = run.choices(ANNEALED)
    yield from _yield_part(_often_chosen(choices, (run.K, run.K + 1)))
    if choices:
        sizes = {seed: table["effective_size"][choices[seed]] for seed, table in run.tables_of_kind(ANNEALED)}
        enough = sum(size > ENOUGH for size in sizes.values())
        text = f"{enough} of {len(sizes)} matrices; median {np.median(list(sizes.values())):.3g}"
        yield Part("effective size at that order", enough >= MOST * len(sizes), text)


def printed_orders(run: Results) -> Iterator[Part]:
    """27 and 42 templates."""
    for dataset, printed in PRINTED.items():
        best = [] if run.orders is None else run.best_orders(dataset)
        if best:
            near = all(abs(order - printed) <= NEAR * printed for order in best)
            yield Part(dataset, near, f"{', '.join(map(str, best))} by starts; paper {printed}")


def finer_needs_more(run: Results) -> Iterator[Part]:
    """More pixels, more templates."""
    if run.orders is None:
        return
    small, large = (run.best_orders(dataset) for dataset in PRINTED)
    if small and large:
        text = f"{', '.join(map(str, small))} and {', '.join(map(str, large))}"
        yield Part("every start", max(small) < min(large), text)


def too_many_cost(run: Results) -> Iterator[Part]:
    """The bound falls on both sides of its top."""
    if run.orders is None:
        return
    for dataset, own in run.orders.groupby("dataset", sort=False):
        falls = [
            table.sort_values("order")["bound"].iloc[[0, -1]].sub(table["bound"].max()).tolist()
            for _, table in own.groupby("start")
        ]
        text = f"largest order {own['order'].max()}: " + ", ".join(f"{b:.0f}" for _, b in falls)
        yield Part(dataset, all(max(fall) < 0 for fall in falls), f"{text} nats from the top")


def best_shapes(run: Results, wanted: tuple[float, float]) -> Iterator[Part]:
    """Whether the bound is larger with these shapes of W and H than with each of Figure 5's first three pairs."""
    if run.bounds is None:
        return
    for dataset, fits in run.bounds.groupby("dataset", sort=False):
        values = {
            (row.shape_W, row.shape_H): row.bound
            for row in fits.itertuples()
            if (row.shape_W, row.shape_H) in OTHER_PAIRS | {wanted}
        }
        if wanted in values and len(values) > 1:
            best = max(values, key=values.get)
            listed = "; ".join(f"({a:g}, {b:g}) {value:.0f}" for (a, b), value in values.items())
            yield Part(dataset, best == wanted, listed)


def _has_order(table: pd.DataFrame, order: int) -> bool:
    """Whether patches were filled with so many templates."""
    return order in table.index.get_level_values("order")


def _median_gain(table, order, way, other) -> float:
    """Return the median over runs of what one way has more than another."""
    of_order = table.loc[order]
    return float((of_order[way] - of_order[other]).median())


def bayes_fills_better(run: Results) -> Iterator[Part]:
    """With many templates."""
    for dataset, table in run.filled():
        if _has_order(table, MANY):
            for way in (VB, VB_ICM):
                for other in (ML_RANDOM, ML_IMAGES):
                    gain = _median_gain(table, MANY, way, other)
                    where = f"{WAYS[way]} against {WAYS[other]}, {dataset}"
                    yield Part(where, gain >= BETTER, f"{gain:+.2f} dB")


def bayes_is_immune(run: Results) -> Iterator[Part]:
    """From 25 to 100 templates."""
    for dataset, table in run.filled():
        if not _has_order(table, SOME) or not _has_order(table, MANY):
            continue
        change = (table.loc[MANY] - table.loc[SOME]).median()
        for way in (VB, VB_ICM):
            yield Part(f"{WAYS[way]}, {dataset}", change[way] > -FLAT, f"{change[way]:+.2f} dB")
        text = f"{change[ML_RANDOM]:+.2f} dB"
        yield Part(f"{WAYS[ML_RANDOM]} falls, {dataset}", change[ML_RANDOM] <= -FLAT, text)


def images_help(run: Results) -> Iterator[Part]:
    """Maximum likelihood from the images themselves."""
    for dataset, table in run.filled():
        if _has_order(table, MANY):
            gain = _median_gain(table, MANY, ML_IMAGES, ML_RANDOM)
            yield Part(dataset, gain >= BETTER, f"{gain:+.2f} dB")


def few_are_alike(run: Results) -> Iterator[Part]:
    """Below ten templates."""
    for dataset, table in run.filled():
        if _has_order(table, FEW):
            gain = _median_gain(table, FEW, VB, ML_RANDOM)
            yield Part(dataset, abs(gain) <= BETTER, f"{gain:+.2f} dB; paper about 0.1")


def balance_is_best(run: Results) -> Iterator[Part]:
    """Neither the sparsest templates nor the sparsest excitations fill best."""
    if run.scores is None:
        return
    for dataset, own in run.scores[run.scores["order"] == MANY].groupby("dataset", sort=False):
        means = own.groupby("way")[["snr", "sparseness_W", "sparseness_H"]].mean()
        means = means.loc[[way for way in WAYS if way in means.index]]
        best = means["snr"].idxmax()
        sparsest = {means["sparseness_W"].idxmax(), means["sparseness_H"].idxmax()}
        text = f"best {WAYS[best]}; sparsest {' and '.join(sorted(WAYS[w] for w in sparsest))}"
        yield Part(dataset, best not in sparsest, text)


def not_run(run: Results) -> Iterator[Part]:
    """What no fit of the first reading can show."""
    return iter(())
