"""Tables of the second reading: a row per estimate, per fit to a stop, per patch that was filled.

One rule for starts, in all of them: of several starts the one with the largest objective of its own is taken, the bound
of a variational fit, the log-likelihood or log density of others. The tables say how far they are apart.
"""

import numpy as np
import pandas as pd

from nbmf_studies.cemgil2009.filling import MEASURED
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, PIXEL_MEAN
from nbmf_studies.cemgil2009.order_bounds import LEARNED
from nbmf_studies.cemgil2009.order_evidence import ESTIMATE
from nbmf_studies.cemgil2009.reading_names import ANNEALED_BACK
from nbmf_studies.framework.gathering import Fits, reports

PARTWAY = (1000, 2000, 6000)  # updates, at which Figure 4's bound is looked at too


def evidence_again(fits: Fits) -> pd.DataFrame:
    """Return the evidence of every matrix under both priors.

    Returns
    -------
    DataFrame
        A row per prior, matrix, order, kind and run: prior, seed, order, kind, run, value and error in nats,
        effective_size, temperatures (of annealing, each way), seconds. A bound is the best of its starts: error
        is their standard deviation, effective_size their number. Annealing has two rows, there and back.
    """
    rows = []
    for columns, report in reports(fits):
        findings, seconds = report["findings"], {"seconds": report["trace"]["cpu_seconds"][-1]}
        if columns["kind"] in (BOUND, ADAPTED):
            objectives = report.get("starts", {"objectives": [report["objective"]]})["objectives"]
            error = np.std(objectives, ddof=1) if len(objectives) > 1 else np.nan
            findings = {"value": report["objective"], "error": error, "effective_size": len(objectives)}
            rows.append({**columns, **findings, "seconds": report["seconds"]})
            continue
        more = {"temperatures": findings["temperatures"]} if columns["kind"] == ANNEALED else {}
        rows.append({**columns, **{name: findings[name] for name in ESTIMATE}, **more, **seconds})
        if columns["kind"] == ANNEALED:
            back = {name: findings[f"back_{name}"] for name in ESTIMATE}
            rows.append({**columns, "kind": ANNEALED_BACK, **back, **more, **seconds})
    by = ["prior", "seed", "order", "kind", "run"]
    table = pd.DataFrame(rows).reindex(columns=[*by, *ESTIMATE, "temperatures", "seconds"])
    return table.sort_values(by, kind="stable", ignore_index=True)


def stopped_orders(fits: Fits) -> pd.DataFrame:
    """Return the bound of every order from every start, at its stop and before.

    Returns
    -------
    DataFrame
        A row per fit: dataset, from, start, order, bound (nats), after_1000, after_2000, after_6000 (the bound after so
        many updates; of fits that had stopped the last one), iterations, converged, the numbers of the priors as they
        were learned, seconds.
    """
    rows = []
    for columns, report in reports(fits):
        trace = pd.Series(report["trace"]["objective"], index=report["trace"]["iteration"])
        partway = {f"after_{count}": trace[trace.index <= count].iloc[-1] for count in PARTWAY}
        ended = {"iterations": report["n_iter"], "converged": report["converged"]}
        learned = {name: report["findings"][name] for name in LEARNED}
        row = {**columns, "bound": trace.iloc[-1], **partway, **ended, **learned, "seconds": report["seconds"]}
        rows.append(row)
    return pd.DataFrame(rows)


def filled_again(fits: Fits) -> pd.DataFrame:
    """Return how well patches were filled, a row per fit: the best of its starts.

    Returns
    -------
    DataFrame
        run, order, way, start (the one that is kept), objective (nats), spread (how far the objectives of the starts
        are apart), snr (dB), sparseness_W, sparseness_H, seconds (of all starts); before those of a run one with the
        mean of each pixel as a way of order 0.
    """
    rows, seen = [], set()
    for columns, report in reports(fits):
        measures, run = report["measures"], columns["run"]
        if run not in seen:
            rows.append({"run": run, "order": 0, "way": PIXEL_MEAN, "start": 0, "snr": measures["snr_of_pixel_mean"]})
            seen.add(run)
        starts = report.get("starts", {"kept": 0, "spread": 0.0})
        numbers = {"start": starts["kept"], "objective": report["objective"], "spread": starts["spread"]}
        measured = {name: measures[name] for name in MEASURED}
        rows.append({**columns, **numbers, **measured, "seconds": report["seconds"]})
    return pd.DataFrame(rows)
