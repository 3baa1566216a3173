"""The fits of the second reading of Figures 3, 4, 6 and 7: on request, with fresh matrices, starts and masks."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from nbmf.fit_key import WHOLE, FitKey
from nbmf_studies.cemgil2009.experiments import HERE, patched_dataset
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB
from nbmf_studies.cemgil2009.reading_names import (
    FIXED,
    FROM_ML,
    ICM_TIED,
    MATCHING,
    ML,
    ML_FROM_IMAGES,
    OF_MEAN,
    OTHER_STARTS,
    PRINTED_START,
    PRUNED,
    SPLIT,
    TEXT_START,
    VB_TIED,
)
from nbmf_studies.cemgil2009.simulation import Truth
from nbmf_studies.framework.experiment import Case, drawn_dataset
from nbmf_studies.framework.plan import Plan

OF_KINDS = {
    BOUND: "cemgil2009-bound",
    ADAPTED: "cemgil2009-adapted-bound",
    CHIB: "cemgil2009-chib",
    ANNEALED: "cemgil2009-annealed-rounds",
}
NEAR_MODE = {CHIB: {"point": "near mode"}}
OF_STARTS = {  # of Figure 4
    PRINTED_START: ("cemgil2009-to-stop", {}),
    TEXT_START: ("cemgil2009-to-stop", {"shape_W": 0.5, "shape_H": 10}),
    SPLIT: ("cemgil2009-from-neighbour", {"neighbour": "split"}),
    PRUNED: ("cemgil2009-from-neighbour", {"neighbour": "pruned"}),
}


def scale_cases(plan: Plan) -> Iterator[Case]:
    """Yield the estimates of Figure 3 where b is the scale of the gamma distribution that a factor is drawn from.

    The models have priors that match, or those of someone who takes the same b for a mean.
    """
    options = plan.options["figure_3_scale"]
    truth, chib, annealed = Truth(**options["truth"]), options["chib"], options["annealed"]
    wrong = {"mean_W": options["mean_b"]}
    for place, seed in enumerate(options["seeds"]):
        of_data = {"truth": list(truth), "seed": seed}
        dataset, data = drawn_dataset(f"{HERE}.simulation", of_data, observe=f"{HERE}.simulation:observe")
        for prior, kind, order in product((MATCHING, OF_MEAN), OF_KINDS, options["orders"]):
            priors = truth.priors | (wrong if prior == OF_MEAN else {})
            runs, starts = 1, {"starts": options["starts"]}
            if kind in (CHIB, ANNEALED):
                settings_of = chib if kind == CHIB else annealed
                is_asked = prior == MATCHING and place < settings_of["matrices"] and order in settings_of["orders"]
                runs, starts = settings_of.get("runs", 1) if is_asked else 0, {}
            method, settings = OF_KINDS[kind], priors | NEAR_MODE.get(kind, {})
            entry = plan.variant(method, options["orders"], settings) | starts
            columns = {"prior": prior, "seed": seed, "order": order, "kind": kind}
            for run in range(runs):
                key = FitKey(dataset, f"{method}-scale-{prior.replace(' ', '-')}", order, WHOLE, run)
                yield Case(key, {**columns, "run": run}, data, entry)


def stopped_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of Figure 4 that go on to a stop, from both basins and from neighbours."""
    for dataset, asked in plan.options["figure_4_stopped"].items():
        for name, order, start in product(asked["from"], asked["orders"], range(asked["starts"])):
            if name == SPLIT and order == 1:
                continue  # there is no fit with one template less
            method, settings = OF_STARTS[name]
            entry = plan.variant(method, asked["orders"], settings)
            key = FitKey(dataset, f"{method}-{name}-{dataset}", order, WHOLE, start)
            yield Case(key, {"dataset": dataset, "from": name, "start": start, "order": order}, method=entry)


def tied_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of Figures 6 and 7 with means tied in every way, and those of what the text says besides."""
    options = plan.options["figure_7_ties"]
    dataset, data = patched_dataset(plan, options["dataset"])
    for way, (method, settings, orders) in _ways(options).items():
        entry = plan.variant(method, orders, settings) | {"starts": options["starts"]}
        runs = range(options["first_run"], options["first_run"] + options["runs"])
        for run, order in product(runs, orders):
            key = FitKey(dataset, f"cemgil2009-ties-{way.replace('_', '-')}", order, run, 0)
            yield Case(key, {"run": run, "order": order, "way": way}, data, entry)


def _ways(options: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any], list[int]]]:
    """Return method, settings and orders of each way to fill."""
    few, *more = orders = options["orders"]
    last = orders[-1:]
    fixed = dict.fromkeys(("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H"), "fixed")
    return {
        **{way: ("cemgil2009-filling", {"tie_mean_W": tie, "tie_mean_H": tie}, orders) for way, tie in VB_TIED.items()},
        **{way: ("cemgil2009-vb-icm", {"tie_means": tie}, more) for way, tie in ICM_TIED.items()},
        ML: ("cemgil2009-ml-random", {}, orders),
        ML_FROM_IMAGES: ("cemgil2009-ml-images", {}, more),
        FIXED: ("cemgil2009-filling", fixed, last),
        **{way: ("cemgil2009-filling", {"shape_W": a, "shape_H": b}, last) for way, (a, b) in OTHER_STARTS.items()},
        FROM_ML: ("cemgil2009-from-ml", {}, [few]),
    }
