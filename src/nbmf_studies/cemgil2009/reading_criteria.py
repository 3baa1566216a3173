"""The comparisons of the second reading, and their thresholds; those of the first one where they are the same."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from nbmf.evaluation.replications import Interval, holm, interval
from nbmf_studies.cemgil2009 import criteria
from nbmf_studies.cemgil2009.criteria import BETTER, CLOSE, ENOUGH, FEW, FLAT, MANY, NEAR, PRINTED, SOME, TEMPLATES
from nbmf_studies.cemgil2009.names import ANNEALED, BOUND, CHIB
from nbmf_studies.cemgil2009.patches import TEST_RATIO
from nbmf_studies.cemgil2009.reading_names import (
    ANNEALED_BACK,
    FIXED,
    FROM_ML,
    ICM_TIED,
    LABELS,
    MATCHING,
    ML,
    ML_FROM_IMAGES,
    ONE,
    PRINTED_START,
    REVERSED,
    SMALL,
    VB_TIED,
)
from nbmf_studies.cemgil2009.reading_tables import PARTWAY
from nbmf_studies.framework.gathering import best_of_starts
from nbmf_studies.framework.verdicts import Part

SURE = 0.05  # of p-values, which are Holm's within a claim
VB_ALL, UNTIED = "vb_all", "vb_none"
VB_MEAN, ICM_MEAN = "vb, mean over ties", "icm, mean over ties"
MEANS = {VB_MEAN: "VB, mean over ties", ICM_MEAN: "VB + ICM, mean over ties"}


@dataclass(frozen=True, eq=False)
class Results:
    """What is judged again; what was left out of a run is None.

    K : int, the true number of sources
    estimates : DataFrame, as `reading_tables.evidence_again` makes it
    orders : DataFrame, as `reading_tables.stopped_orders` makes it
    scores : DataFrame, as `reading_tables.filled_again` makes it
    """

    K: int
    estimates: pd.DataFrame
    orders: pd.DataFrame | None = None
    scores: pd.DataFrame | None = None

    def first_results(self, prior: str) -> criteria.Results:
        """Return what the rules of the first reading look at, under one of the priors."""
        of_prior = self.estimates[self.estimates["prior"] == prior]
        return criteria.Results(self.K, of_prior)

    def best_fits(self, dataset: str, at: str = "bound") -> pd.DataFrame:
        """Return the best fit of every order by a column of bounds, by order; empty without that dataset."""
        if self.orders is None:
            return pd.DataFrame()
        of_dataset = self.orders[self.orders["dataset"] == dataset].assign(objective=lambda table: table[at])
        return best_of_starts(of_dataset, ["order"]).set_index("order").sort_index() if len(of_dataset) else of_dataset

    def best_order(self, dataset: str, at: str = "bound") -> int | None:
        """Return the order with the largest bound."""
        best = self.best_fits(dataset, at)
        return None if best.empty else int(best["objective"].idxmax())

    @cached_property
    def filled(self) -> pd.DataFrame:
        """Signal-to-noise ratios of the best start of each run: index (order, run), a column per way."""
        fits = self.scores[self.scores["order"] > 0]
        best = best_of_starts(fits, ["order", "run", "way"])
        table = best.pivot(index=["order", "run"], columns="way", values="snr")
        for name, ways in ((VB_MEAN, VB_TIED), (ICM_MEAN, ICM_TIED)):
            if set(ways) <= set(table):
                table[name] = table[list(ways)].mean(axis=1)
        return table

    def snr(self, order: int, way: str) -> pd.Series | None:
        """Return the ratios of a way, by run; None where it was not run."""
        if self.scores is None or way not in self.filled or order not in self.filled.index.get_level_values("order"):
            return None
        snr = self.filled.loc[order, way]
        return None if snr.isna().any() else snr


def describe(gain: Interval, p: float | None = None) -> str:
    """Return a mean in dB with its interval, and a p-value."""
    text = f"{gain.mean:+.2f} dB ({gain.low:+.2f} to {gain.high:+.2f})"
    return text if p is None else f"{text}, p = {p:.2g}"


def _interval(values: Iterable[float]) -> Interval:
    return interval(values, test_ratio=TEST_RATIO)


# --- Figure 3 --------------------------------------------------------------------------------


def rule_under_prior(prior: str, rule: Callable) -> Callable[[Results], Iterator[Part]]:
    """Return a rule of the first reading for matrices that are drawn by scale, and one of the priors."""
    return lambda run: rule(run.first_results(prior))


def bound_is_close(run: Results) -> Iterator[Part]:
    """The bound next to Chib's estimate; annealing there and back, between which the evidence lies, is ours."""
    of_matching = run.first_results(MATCHING)
    yield from criteria.median_gap(of_matching, CHIB)
    table, wanted = of_matching.averages, ["value", "effective_size"]
    by_kind = table.pivot(index=["seed", "order"], columns="kind", values=wanted)
    if ANNEALED not in by_kind["value"]:
        return
    sizes = by_kind["effective_size"][[ANNEALED, ANNEALED_BACK]].dropna().min(axis=1)
    believed = sizes.index[sizes > ENOUGH]
    text = f"{len(believed)} of {len(sizes)} estimates have more than {ENOUGH:g}; the best {sizes.max():.3g}"
    yield Part("effective size", len(believed) == len(sizes), text, ours=True)
    ways = {kind: by_kind["value"][kind] - by_kind["value"][BOUND] for kind in (ANNEALED, ANNEALED_BACK)}
    gaps = pd.DataFrame(ways).dropna().groupby("order").median()
    listed = ", ".join(f"{low:.0f} to {high:.0f} at {order}" for order, low, high in gaps.itertuples())
    yield Part("annealing, median gap in nats, there to back", bool((gaps <= CLOSE).all(axis=None)), listed, ours=True)


def evidence_finds_order(run: Results) -> Iterator[Part]:
    """The rule of the first reading, and whether the way back says the same."""
    of_matching = run.first_results(MATCHING)
    yield from criteria.evidence_finds_order(of_matching)
    there, back = of_matching.choices(ANNEALED), of_matching.choices(ANNEALED_BACK)
    if there:
        same = sum(there[seed] == back[seed] for seed in there)
        yield Part("same order there and back", same == len(there), f"{same} of {len(there)} matrices", ours=True)


# --- Figures 4 and 5 -------------------------------------------------------------------------


def printed_orders(run: Results) -> Iterator[Part]:
    """27 and 42 templates, of the best start."""
    for dataset, printed in PRINTED.items():
        order = run.best_order(dataset)
        if order is not None:
            yield Part(dataset, abs(order - printed) <= NEAR * printed, f"{order}; paper {printed}")
            yield from _parts_after_fewer_updates(run, dataset)


def _parts_after_fewer_updates(run: Results, dataset: str) -> Iterator[Part]:
    """Report the best order after fewer updates, from the printed start alone."""
    from_printed = run.orders[run.orders["from"] == PRINTED_START]
    earlier = replace(run, orders=from_printed)
    for count in PARTWAY:
        order, printed = earlier.best_order(dataset, f"after_{count}"), PRINTED[dataset]
        if order is not None:
            near = abs(order - printed) <= NEAR * printed
            yield Part(f"{dataset}, {count} updates from (10, 0.5)", near, f"{order}", ours=True)


def finer_needs_more(run: Results) -> Iterator[Part]:
    """More pixels, more templates."""
    small, large = (run.best_order(dataset) for dataset in PRINTED)
    if small is not None and large is not None:
        yield Part("best starts", small < large, f"{small} and {large}")


def too_many_cost(run: Results) -> Iterator[Part]:
    """The bound of the best start falls on both sides of its top, and which fits had stopped."""
    for dataset in PRINTED:
        best = run.best_fits(dataset)
        if best.empty:
            continue
        bounds = best["objective"]
        ends = bounds.iloc[[0, -1]] - bounds.max()
        text = ", ".join(f"{fall:.0f} nats at {order}" for order, fall in ends.items())
        yield Part(dataset, bool((ends < 0).all()), f"top at {bounds.idxmax()}: {text}")
        of_dataset = run.orders[run.orders["dataset"] == dataset]
        stopped = int(of_dataset["converged"].sum())
        yield Part(
            f"{dataset}: fits at a stop", stopped == len(of_dataset), f"{stopped} of {len(of_dataset)}", ours=True
        )


def learned_shapes(run: Results) -> Iterator[Part]:
    """Whether fits learn sparse templates and excitations that are not: with Figure 5's number, and the best of all."""
    for dataset in PRINTED:
        best = run.best_fits(dataset)
        if not best.empty:
            nearest = min(best.index, key=lambda order: abs(order - TEMPLATES))
            for where, order in ((dataset, nearest), (f"{dataset}, best of all", best["objective"].idxmax())):
                fit = best.loc[order]
                text = f"shapes {fit['shape_W']:.3g} of templates, {fit['shape_H']:.3g} of excitations, {order} of them"
                yield Part(where, bool(fit["shape_W"] < 1 < fit["shape_H"]), text, ours=where != dataset)


# --- Figures 6 and 7 -------------------------------------------------------------------------


def _compare_ways(run: Results, order: int, pairs: Iterable[tuple[str, str, bool]], least: float) -> Iterator[Part]:
    """Yield whether one way fills better than another by so many dB, pair by pair: way, other, whether that is ours."""
    labels, gains, ours = LABELS | MEANS, {}, {}
    for way, other, is_ours in pairs:
        first, second = run.snr(order, way), run.snr(order, other)
        if first is not None and second is not None:
            where = f"{labels[way]} against {labels[other]}"
            gains[where], ours[where] = _interval(first - second), is_ours
    for where, p in zip(gains, _adjusted_p_values(gains, ours), strict=True):
        holds = gains[where].mean >= least and p < SURE
        yield Part(where, bool(holds), describe(gains[where], p), ours=ours[where])


def _adjusted_p_values(gains: dict[str, Interval], ours: dict[str, bool]) -> list[float]:
    """Return Holm's p-values of the paper's comparisons, and of ours among themselves."""
    adjusted = {}
    for kind in (False, True):
        names = [name for name in gains if ours[name] == kind]
        adjusted |= dict(zip(names, holm(gains[name].p for name in names), strict=True))
    return [float(adjusted[name]) for name in gains]


def bayes_fills_better(run: Results) -> Iterator[Part]:
    """Figure 7's averages over ties; each tie is ours."""
    others = (ML, ML_FROM_IMAGES)
    pairs = [(way, other, way not in MEANS) for way in (*MEANS, *VB_TIED, *ICM_TIED) for other in others]
    yield from _compare_ways(run, MANY, pairs, BETTER)


def bayes_is_immune(run: Results) -> Iterator[Part]:
    """From 25 to 100 templates."""
    for way, label in {**MEANS, ML: LABELS[ML], **{way: LABELS[way] for way in (*VB_TIED, *ICM_TIED)}}.items():
        many, some = run.snr(MANY, way), run.snr(SOME, way)
        if many is None or some is None:
            continue
        change = _interval(many - some)
        if way == ML:
            yield Part(f"{label} falls", change.mean <= -FLAT and change.high < 0, describe(change))
        else:
            yield Part(label, bool(change.low > -FLAT), describe(change), ours=way not in MEANS)


def images_help(run: Results) -> Iterator[Part]:
    """Maximum likelihood from the images themselves."""
    yield from _compare_ways(run, MANY, [(ML_FROM_IMAGES, ML, False)], BETTER)


def few_are_alike(run: Results) -> Iterator[Part]:
    """Below ten templates: all of the interval is small."""
    for way in (VB_MEAN, *VB_TIED):
        bayes, ml = run.snr(FEW, way), run.snr(FEW, ML)
        if bayes is not None and ml is not None:
            gain = _interval(bayes - ml)
            label = (LABELS | MEANS)[way]
            text = f"{describe(gain)}; paper about 0.1"
            yield Part(f"{label} against {LABELS[ML]}", gain.low > -BETTER and gain.high < BETTER, text, way != VB_MEAN)


def adaptation_is_crucial(run: Results) -> Iterator[Part]:
    """Priors that are learned against the same ones as they start, and these against ML from either start."""
    yield from _compare_ways(run, MANY, [(VB_ALL, FIXED, False)], BETTER)
    fixed, learned = run.snr(MANY, FIXED), run.snr(MANY, VB_ALL)
    for way in (ML, ML_FROM_IMAGES):
        ml = run.snr(MANY, way)
        if fixed is not None and learned is not None and ml is not None:
            times, of_learned = int((fixed < ml).sum()), int((learned < ml).sum())
            text = f"{times} of {len(fixed)} runs; learned ones on {of_learned}"
            yield Part(f"fixed priors sometimes worse than {LABELS[way]}", times > 0, text)


def asymmetric_start_is_best(run: Results) -> Iterator[Part]:
    """Shapes from (10, 0.5) and from (0.5, 10) against two symmetric starts, and, which is ours, with one another."""
    pairs = [(way, other, False) for way in (VB_ALL, REVERSED) for other in (ONE, SMALL)]
    yield from _compare_ways(run, MANY, [*pairs, (VB_ALL, REVERSED, True)], 0.0)


def untied_is_best(run: Results) -> Iterator[Part]:
    """Untied means fill best, and the others are alike."""
    tied = [way for way in VB_TIED if way != UNTIED]
    yield from _compare_ways(run, MANY, [(UNTIED, way, False) for way in tied], 0.0)
    means = {way: run.snr(MANY, way) for way in VB_TIED}
    if all(snr is not None for snr in means.values()):
        values = {way: float(snr.mean()) for way, snr in means.items()}
        difference = max(values.values()) - min(values.values())
        text = ", ".join(f"{LABELS[way]} {value:.2f}" for way, value in values.items())
        yield Part("all ties within 0.5 dB", difference <= BETTER, f"{difference:.2f} dB apart: {text}")


def bound_favours_bayes(run: Results) -> Iterator[Part]:
    """The bound of VB against that of ML-NMF's solution, at few templates."""
    if run.scores is None:
        return
    of_order = run.scores[run.scores["order"] == FEW]
    best = best_of_starts(of_order, ["run", "way"]).pivot(index="run", columns="way", values="objective")
    if {VB_ALL, FROM_ML} <= set(best):
        gain = _interval(best[VB_ALL] - best[FROM_ML])
        text = f"{gain.mean:+.0f} nats ({gain.low:+.0f} to {gain.high:+.0f}), p = {gain.p:.2g}"
        yield Part(f"{FEW} templates", bool(gain.mean > 0 and gain.p < SURE), text)
