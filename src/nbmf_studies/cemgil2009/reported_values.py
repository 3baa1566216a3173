"""Numbers that the paper prints, those of a prototype, and ours."""

import pandas as pd

from nbmf_studies.cemgil2009.criteria import FEW, PRINTED, Results
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB, ML_RANDOM, VB

# The prototype from which the equations were checked, on matrices of its own.
PROTOTYPE_CHOICES = {BOUND: "3, 3, 3", ADAPTED: "3, 3", CHIB: "5", ANNEALED: "5, 5, 6, 5, 6"}
PROTOTYPE_ORDERS = {"olivetti_16": "27", "olivetti_32": "42"}
COLUMNS = ["quantity", "paper", "prototype", "ours"]


def printed(K: int, **tables: pd.DataFrame) -> pd.DataFrame:
    """Return a row per number: quantity, paper, prototype, ours. Parameters are those of Results."""
    run, rows = Results(K, **tables), []
    for kind, prototype in PROTOTYPE_CHOICES.items():
        chosen = run.choices(kind)
        if chosen:
            paper = "" if kind == ANNEALED else K
            rows.append([f"order by {kind}, true {K}", paper, prototype, _listed(chosen.values())])
    for dataset, order in PRINTED.items():
        if run.orders is not None and (best := run.best_orders(dataset)):
            of_prototype = PROTOTYPE_ORDERS[dataset]
            rows.append([f"templates, {dataset}", order, of_prototype, _listed(best)])
    for dataset, table in run.filled():
        if FEW in table.index.get_level_values("order"):
            of_order = table.loc[FEW]
            gain = f"{(of_order[VB] - of_order[ML_RANDOM]).mean():.2f}"
            rows.append([f"VB less ML-NMF 1 at {FEW} templates, dB, {dataset}", 0.1, "", gain])
    rows.append(["CPU seconds of a run of Chib by those of a variational fit", 13, "", f"{_slowness(run):.1f}"])
    return pd.DataFrame(rows, columns=COLUMNS)


def _listed(values) -> str:
    return ", ".join(map(str, values))


def _slowness(run: Results) -> float:
    """Return the CPU seconds of a run of Chib's by those of one start of a bound, at order K."""
    at = run.averages[run.averages["order"] == run.K]
    seconds = {kind: at[at["kind"] == kind] for kind in (CHIB, BOUND)}
    of_start = (seconds[BOUND]["seconds"] / seconds[BOUND]["effective_size"]).mean()
    return float(seconds[CHIB]["seconds"].mean() / of_start)
