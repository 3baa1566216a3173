"""Claims judged again: set-up 3 with its b inside, the best step, new matrices, other measures of time and pruning.

Rules were fixed before the run at full size. Engines are compared on the same matrices, which are drawn anew for every
seed, by the paired t-test; where a claim has several comparisons, p-values are adjusted by Holm.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import holm, interval
from nbmf_studies.framework.gathering import column_by, rows_of
from nbmf_studies.framework.verdicts import Part, Reading, reading_functions
from nbmf_studies.klami2015 import criteria
from nbmf_studies.klami2015.convergence import PER_ITERATION, TO_EQUAL, TO_STANDSTILL, reference_engine, times
from nbmf_studies.klami2015.criteria import BALANCED, BINARY, FEW, NOT_ITS_VARIANTS, OVERDISPERSED, PRINTED, SLOWER
from nbmf_studies.klami2015.cuts import count_factors, first_decade
from nbmf_studies.klami2015.engines import (
    BOHNING,
    DRAWS,
    EXACT,
    FIXED_STEP,
    GAUSSIAN,
    GIBBS,
    LINE_SEARCH,
    NAIVE,
    NB_GIBBS,
    NB_NAIVE,
    NOISE,
    PG_F,
    USUAL_SCALE,
    short_name,
)
from nbmf_studies.klami2015.paired import difference, ratio
from nbmf_studies.klami2015.reading_tables import discovery_times

CERTAIN = 0.05  # of adjusted p-values
AS_PRINTED, INSIDE = criteria.IMBALANCED
LIKELIHOODS, NEAR = {PG_F: -0.129, BOHNING: -0.185}, 0.01  # printed for set-up 3, in nats per entry
GROWTH = 2.0  # times the seconds per iteration of the complete matrix are "roughly the same"
UPDATES = {NAIVE: EXACT, GIBBS: DRAWS}  # the others search, or have a fixed step


@dataclass(frozen=True, eq=False)
class Results:
    """What claims are decided from.

    ends : DataFrame, as `traces.gather_ends` makes it of binary data
    traces : DataFrame, as `traces.gather` makes it of both figures
    patterns : DataFrame, as `gathering.traces` makes it of further seeds
    sizes, observed : DataFrame, as `traces.gather_ends` makes it of other sizes, and of partly observed matrices
    K : int, the true number of factors of binary data
    """

    ends: pd.DataFrame
    traces: pd.DataFrame
    patterns: pd.DataFrame
    sizes: pd.DataFrame
    observed: pd.DataFrame
    K: int

    def end_values(self, set_up: str, method: str, column: str = "error", update: str = LINE_SEARCH) -> pd.Series:
        """Return what the fits from the usual start end with, by seed; an engine that cannot search is as it is."""
        update = UPDATES.get(method, update)
        return column_by("seed", self.ends, column, set_up=set_up, method=method, update=update, scale=USUAL_SCALE)

    def methods_run(self, set_up: str, *methods: str) -> list[str]:
        """Return the methods that were run on a set-up."""
        return [method for method in methods if len(self.end_values(set_up, method))]


# --- Set-up 3 ---------------------------------------------------------------------------------


def direct_is_best(set_ups: tuple[str, ...]) -> Callable[[Results], Iterator[Part]]:
    """Claim 2: each direct engine against each other one."""

    def decide(run: Results) -> Iterator[Part]:
        pairs = [
            (set_up, one, other)
            for set_up in set_ups
            for one in run.methods_run(set_up, *criteria.DIRECT)
            for other in run.methods_run(set_up, GAUSSIAN, BOHNING, NOISE)
        ]
        differences = [difference(run.end_values(s, one), run.end_values(s, other)) for s, one, other in pairs]
        adjusted = holm(one.p for one in differences)
        for (set_up, one, other), away, p in zip(pairs, differences, adjusted, strict=True):
            where = f"{short_name(one)} minus {short_name(other)} on {set_up}"
            yield Part(where, away.mean < 0 and p < CERTAIN, f"{away}, p = {p:.2g}")

    return decide


def high_errors(set_up: str, update: str) -> Callable[[Results], Iterator[Part]]:
    """Claim 4: the numbers of section 6.1 on set-up 3."""

    def decide(run: Results) -> Iterator[Part]:
        if len(run.methods_run(set_up, PG_F, BOHNING)) < 2:
            return
        high, gains = (
            {method: run.end_values(set_up, method, column, update) for method in (PG_F, BOHNING)}
            for column in ("high_error", "log_likelihood")
        )
        if high[PG_F].empty or high[BOHNING].empty:
            return
        share, gain = ratio(high[PG_F], high[BOHNING]), difference(gains[PG_F], gains[BOHNING])
        yield Part("ratio of errors above .95", share.high <= criteria.HIGH_RATIO, f"{share}; paper .65")
        yield Part("gain of log-likelihood", gain.low >= criteria.IMBALANCED_GAIN, f"{gain}; paper .056")
        for method, printed in PRINTED.items():
            one = interval(high[method])
            near = abs(one.mean - printed) <= criteria.NEAR * printed
            yield Part(f"error above .95 of {short_name(method)}", near, f"{one}; paper {printed:g}")
        for method, printed in LIKELIHOODS.items():
            one = interval(gains[method])
            near = abs(one.mean - printed) <= NEAR
            yield Part(f"log-likelihood of {short_name(method)}", near, f"{one}; paper {printed:g}")

    return decide


def sampler_is_best(set_up: str) -> Callable[[Results], Iterator[Part]]:
    """Return the rule of claim 5 for a set-up."""

    def decide(run: Results) -> Iterator[Part]:
        if len(run.methods_run(set_up, GIBBS, PG_F)) == 2:
            away = difference(run.end_values(set_up, PG_F), run.end_values(set_up, GIBBS))
            yield Part(f"PG-F minus Gibbs on {set_up}", away.low >= criteria.SAMPLER_GAIN, str(away))

    return decide


def noise_is_inaccurate(set_up: str) -> Callable[[Results], Iterator[Part]]:
    """Return the rule of claim 6 for a set-up."""

    def decide(run: Results) -> Iterator[Part]:
        if len(run.methods_run(set_up, NOISE, PG_F)) == 2:
            times_more = ratio(run.end_values(set_up, NOISE), run.end_values(set_up, PG_F))
            yield Part(f"error with noise over PG-F's on {set_up}", times_more.low >= criteria.NOISY, str(times_more))

    return decide


# --- Time, pruning, patterns ------------------------------------------------------------------


def slower_to_a_standstill(set_ups: tuple[str, ...], slow: tuple[str, ...]) -> Callable[[Results], Iterator[Part]]:
    """Claims 7 and 12: until errors stand still; times per iteration and until equal errors are reported too."""

    def decide(run: Results) -> Iterator[Part]:
        table = times(run.traces)
        for set_up in set_ups:
            reference = reference_engine(table, set_up)
            run_there = set(table.loc[table["set_up"] == set_up, "method"])
            for method in [one for one in slow if reference and one in run_there]:
                for name in (TO_STANDSTILL, PER_ITERATION, TO_EQUAL):
                    one, other = (column_by("seed", table, name, set_up=set_up, method=m) for m in (method, reference))
                    ratio_of_times = ratio(one, other)
                    text = f"{one.median():.3g} and {other.median():.3g} s (medians), {ratio_of_times} times"
                    where = f"{short_name(method)} on {set_up}, {name}"
                    yield Part(where, ratio_of_times.mean >= SLOWER, text, ours=name != TO_STANDSTILL)

    return decide


def factors_are_found(run: Results) -> Iterator[Part]:
    """Claim 9: at some decade of cuts."""
    for set_up in BINARY:
        for method in run.methods_run(set_up, BOHNING, *criteria.DIRECT, NOISE):
            update = UPDATES.get(method, LINE_SEARCH)
            ends = rows_of(run.ends, set_up=set_up, method=method, update=update, scale=USUAL_SCALE)
            counts = count_factors(ends)
            start = first_decade((counts - run.K).abs().le(criteria.FACTORS).all(axis=1))
            text = "no decade" if start is None else f"from {start:.2g} to {10 * start:.2g}"
            yield Part(f"{short_name(method)} on {set_up}", start is not None, text)


def patterns_are_found(run: Results) -> Iterator[Part]:
    """Claim 10: by most seeds."""
    for method, times_of_method in discovery_times(run.patterns).groupby("method", sort=False):
        at = times_of_method["iteration"]
        median, within = at.quantile(0.5, "higher"), (at <= FEW).mean()
        text = f"median {median:g} iterations; {within:.0%} of {len(times_of_method)} seeds within {FEW}"
        evidence = f"{text}, {np.isfinite(at).mean():.0%} at all"
        yield Part(short_name(method), median <= FEW, evidence, ours=method in NOT_ITS_VARIANTS)


# --- Claims that were not judged before -------------------------------------------------------


def same_at_other_sizes(run: Results) -> Iterator[Part]:
    """Claim 19: PG-F is more accurate than the comparison methods whatever the size."""
    cells = [
        (cell, method)
        for cell, own in run.sizes.groupby(["set_up", "N", "D"], sort=False)
        for method in (BOHNING, GAUSSIAN)
        if {PG_F, method} <= set(own["method"])
    ]
    differences = []
    for cell, method in cells:
        values = dict(zip(("set_up", "N", "D"), cell, strict=True))
        differences.append(
            difference(*(column_by("seed", run.sizes, "error", **values, method=m) for m in (PG_F, method)))
        )
    adjusted = holm(one.p for one in differences)
    for ((set_up, N, D), method), away, p in zip(cells, differences, adjusted, strict=True):
        where = f"PG-F minus {short_name(method)}, {N} x {D}, {set_up}"
        yield Part(where, away.mean < 0 and p < CERTAIN, f"{away}, p = {p:.2g}")


def time_follows_what_is_observed(run: Results) -> Iterator[Part]:
    """Claim 20: the same number of observed entries in a larger matrix takes about the same time."""
    table = run.observed.assign(per=run.observed["seconds"] / run.observed["iteration"])
    table["entries"] = (table["N"] * table["D"] * table["share"]).round()
    for method, own in table.groupby("method", sort=False):
        complete = own[own["share"] == 1]
        for (N, D, share), shape in own[own["share"] < 1].groupby(["N", "D", "share"], sort=False):
            same = complete[complete["entries"] == shape["entries"].iloc[0]]
            if len(same):
                ratio_of_times = ratio(shape.set_index("seed")["per"], same.set_index("seed")["per"])
                where = f"{short_name(method)}, {N} x {D}, {share:.2%} observed"
                is_factorized = method in (PG_F, BOHNING)
                yield Part(
                    where,
                    ratio_of_times.high <= GROWTH,
                    f"{ratio_of_times} times the complete matrix's",
                    ours=not is_factorized,
                )


TWO_WAYS = "On six to ten matrices of another run: errors above .95 of .32 and .27 by PG-F and .46 and .42 by Böhning."
THREE_SEEDS = (
    "Times to equal errors on three matrices; times per iteration of five (naive) and seven to ten "
    "(Gibbs) times PG-F's."
)
SEARCHED = f"set-up 3 as s(uv' + b), {LINE_SEARCH}"
STEPPED = f"set-up 3 as s(uv' + b), {FIXED_STEP}"
PRINTED_SEARCHED = f"set-up 3 as printed, {LINE_SEARCH}"
PRINTED_STEPPED = f"set-up 3 as printed, {FIXED_STEP}, new matrices"
OF_STEP = "The verdict with a step of 0.3 on three other matrices."
HIGH = (
    f"The interval of the ratio of errors above .95 ends at most at {criteria.HIGH_RATIO}, that of the "
    f"log-likelihood's gain begins at least at {criteria.IMBALANCED_GAIN}, and means are within {criteria.NEAR:.0%} of "
    f"the printed errors and within {NEAR} of the printed log-likelihoods."
)
BETTER = (
    "The error of each direct engine is below that of each other engine, paired over matrices, with "
    f"Holm's p below {CERTAIN}."
)
AHEAD = f"The paired interval of PG-F's error minus the sampler's begins at least at {criteria.SAMPLER_GAIN}."
NOISE_RULE = f"The interval of the ratio of errors begins at least at {criteria.NOISY:g}."
STANDSTILL = (
    f"The CPU time until the error stays within 1 % of its last value is at least {SLOWER:g} times PG-F's "
    "(geometric mean over matrices). Times per iteration and to equal errors are reported."
)
DECADE = (
    "For some c every seed has the true number of factors, or one away, at all thresholds of the mean v² from c to 10 "
    "c."
)
MOST_SEEDS = (
    f"The median over seeds of the first iteration with at most {criteria.WRONG:.0%} of the entries wrong is at most "
    f"{FEW}; a seed that never reaches this counts as infinite. Böhning and line search are reported."
)
SIZES_RULE = (
    "At each size PG-F's error is below Böhning's and the normal model's, paired over matrices, with Holm's p "
    f"below {CERTAIN}."
)
ENTRIES_RULE = (
    f"The interval of the ratio of CPU times per iteration ends at most at {GROWTH:g}, for the factorized "
    "engines; the others are reported."
)
READINGS = [
    Reading(2, SEARCHED, BETTER, TWO_WAYS, direct_is_best((BALANCED, INSIDE))),
    Reading(2, PRINTED_SEARCHED, BETTER, OF_STEP, direct_is_best((BALANCED, AS_PRINTED))),
    Reading(4, SEARCHED, HIGH, TWO_WAYS, high_errors(INSIDE, LINE_SEARCH)),
    Reading(4, STEPPED, HIGH, OF_STEP, high_errors(INSIDE, FIXED_STEP)),
    Reading(4, PRINTED_SEARCHED, HIGH, OF_STEP, high_errors(AS_PRINTED, LINE_SEARCH)),
    Reading(4, PRINTED_STEPPED, HIGH, OF_STEP, high_errors(AS_PRINTED, FIXED_STEP)),
    Reading(5, SEARCHED, AHEAD, TWO_WAYS, sampler_is_best(INSIDE)),
    Reading(5, PRINTED_SEARCHED, AHEAD, OF_STEP, sampler_is_best(AS_PRINTED)),
    Reading(6, SEARCHED, NOISE_RULE, TWO_WAYS, noise_is_inaccurate(INSIDE)),
    Reading(6, PRINTED_SEARCHED, NOISE_RULE, OF_STEP, noise_is_inaccurate(AS_PRINTED)),
    Reading(7, "time to a standstill", STANDSTILL, THREE_SEEDS, slower_to_a_standstill(BINARY, (NAIVE, GIBBS))),
    Reading(
        9,
        f"any decade of cuts, {LINE_SEARCH}",
        DECADE,
        "The number of factors above 0.01 on three other matrices, with a step of 0.3.",
        factors_are_found,
    ),
    Reading(10, "most seeds", MOST_SEEDS, "The first iterations of three other seeds.", patterns_are_found),
    Reading(
        12, "time to a standstill", STANDSTILL, THREE_SEEDS, slower_to_a_standstill(OVERDISPERSED, (NB_NAIVE, NB_GIBBS))
    ),
    Reading(
        19,
        f"set-up 2, and 3 as s(uv' + b), {LINE_SEARCH}",
        SIZES_RULE,
        "Nothing about other sizes.",
        same_at_other_sizes,
    ),
    Reading(
        20,
        "time per iteration",
        ENTRIES_RULE,
        "One matrix, timed after the rule: with 6.25 % of 4000 x 400 observed PG-F took 14 times and Gibbs twice as "
        "long.",
        time_follows_what_is_observed,
    ),
]

readings, readings_parts = reading_functions(READINGS, Results)
