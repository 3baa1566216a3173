"""Which method predicts a matrix best: the paper's held-out comparison, on any matrix."""

import functools
import math
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from nbmf import registry
from nbmf.catalogue import COMPARED, METHODS, colours_of
from nbmf.comparison.baselines import BASELINES, baseline_score
from nbmf.comparison.recommendation import Candidate, Recommendation, recommend
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError, NbmfError, NotConvergedWarning, choices
from nbmf.inference import parameters
from nbmf.inference.experiment import FitRequest, run_fit
from nbmf.numerics.threads import processors
from nbmf.seeds import seed_sequence
from nbmf.tables import summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FACTS = (
    *("n_test", "perplexity", "unit", "saturated", "seconds", "n_iter", "converged"),
    *("active_components", "status"),
)


class Fit(NamedTuple):
    """One fit of a comparison."""

    method: str
    K: int
    mask: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` has found.

    Attributes
    ----------
    scores : DataFrame
        A row per fit: dataset, method, K, mask, seed, n_test (held-out entries), perplexity (nats
        per held-out entry), unit, saturated (held-out entries predicted impossible, 36.7 nats
        each), seconds, n_iter, converged, active_components, status: "ok", "not converged", or
        why there is no perplexity. The baselines are in it with K = 0.
    methods : dict
        The entries that were compared, by their ids, in the form of nbmf/methods.yaml.
    name : str
        Of the matrix.
    test_ratio : float
        Held-out entries per training entry, mean over masks.
    """

    scores: pd.DataFrame
    methods: dict[str, dict[str, Any]]
    name: str
    test_ratio: float

    def summary(self) -> pd.DataFrame:
        """Return a row per method and K: mean, median and quartiles over masks, seconds per fit.

        Further columns: fits, failed (of these), not_converged, saturated, unit,
        active_components (median). The baselines come last.
        """
        key = ["dataset", "method", "K"]
        groups = self.scores.groupby(key, sort=False)["perplexity"]
        failed = groups.agg(lambda values: int(values.isna().sum()))
        table = summarise(self.scores).set_index(key)  # new columns are aligned by it
        table.insert(0, "mean", groups.mean())
        table["not_converged"] -= failed  # summarise counts whatever is not ok
        return table.assign(failed=failed).reset_index().drop(columns="dataset")

    @functools.cached_property
    def recommendation(self) -> Recommendation:
        """The best method, its margin to the best of the others, and how certain that is.

        The best method has the smallest mean perplexity over masks with its best K. The margin is
        the mean of the paired differences over masks, with the corrected uncertainty of Nadeau and
        Bengio (2003): see nbmf.comparison.recommendation.margin_of.

        K is chosen on the masks that are scored, and so is the best method: a method with many K
        has more chances to look good, and the best looks a little better than it is.

        Raises
        ------
        DataError
            If no comparable method has a perplexity for every mask.
        """
        candidates = list(self._candidates())
        if not candidates:
            raise DataError(
                "nothing to recommend: no comparable method has a perplexity for every mask; the "
                "column status of the scores says why"
            )
        baselines = {
            label: self.by_mask(name, 0).to_numpy() for name, (label, _) in BASELINES.items()
        }
        return recommend(candidates, baselines, self.test_ratio)

    def _candidates(self) -> Iterator[Candidate]:
        """Yield each comparable method with its best K.

        A K that has no perplexity for some mask is left out: its mean would be one of other masks.
        """
        for method, entry in self.methods.items():
            grid = {K: self.by_mask(method, K) for K in entry["K"]}
            means = {K: values.mean() for K, values in grid.items() if values.notna().all()}
            if not _comparable(entry) or not means:
                continue
            K = min(means, key=means.get)
            seconds = float(self._rows(method, K)["seconds"].median())
            yield Candidate(method, K, _named(entry, K), grid[K].to_numpy(), seconds)

    def figure(self) -> "Figure":
        """Return Figure 10 for this matrix; `figure.savefig(path)` writes it.

        The baselines are named below it, and drawn as lines where they lie among the boxes.
        """
        from nbmf.plots import boxes as figure_10

        shown = {name: entry for name, entry in self.methods.items() if _comparable(entry)}
        if not shown:
            raise DataError("nothing to draw: LDA is scored per token and cannot be compared")
        colours = colours_of({**METHODS, **self.methods})
        scores = self.scores[self.scores["method"].isin(shown)]
        of_baselines = self.scores[self.scores["method"].isin(BASELINES)]
        labels = of_baselines["method"].map({name: label for name, (label, _) in BASELINES.items()})
        baselines = of_baselines.assign(label=labels)
        return figure_10.draw(scores, shown, [self.name], colours, baselines=baselines)

    def by_mask(self, method: str, K: int) -> pd.Series:
        """Return the perplexity for each mask, NaN where the fit failed; baselines have K = 0."""
        return self._rows(method, K).set_index("mask")["perplexity"]

    def _rows(self, method: str, K: int) -> pd.DataFrame:
        return self.scores[(self.scores["method"] == method) & (self.scores["K"] == K)]


def compare(
    V: Any,
    methods: Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None,
    K: int | Iterable[int] | Mapping[str, Iterable[int]] | None = None,
    masks: int = 5,
    *,
    test_probability: float = 0.25,
    seed: int = 0,
    n_jobs: int | None = None,
    name: str = "V",
    log: Callable[[str], None] = print,
    on_fit: Callable[[int, int, dict[str, Any]], None] | None = None,
) -> Comparison:
    """Hold out entries of V, fit every method to the others, and score its predictions.

    This is the paper's comparison (section 6.4.1, eq. 67, Figure 10) on a matrix of your own.
    Every method sees the same masks. A fit that fails becomes a row that says why.

    Parameters
    ----------
    V : BinaryMatrix, DataFrame or array (F, N)
        1, 0 and missing (NaN or -1). Every row and column needs an observed entry.
    methods : list of str, or dict, optional
        Ids such as "beta-dir-vb" (see nbmf.catalogue.METHODS), or a dict from id to an entry as
        in nbmf/methods.yaml: class, label, K, settings. An entry of a known id needs only what
        differs: {"beta-dir-vb": {"settings": {"alpha": 0.2, "beta": 0.2}}}. Default: the six
        methods of Figure 10. LDA's score is per token: it is reported, not recommended.
    K : int, list of int, or dict from id to list of int, optional
        In the place of the methods' own grids.
    masks : int
        Held-out masks. Five say something about uncertainty, ten say more; one says nothing.
    test_probability : float
        Of an observed entry to be held out.
    seed : int
        The same seed gives the same scores. With seed 0 masks and fits are those of the workflow
        for a dataset called `name`.
    n_jobs : int, optional
        Fits at a time, in threads; default: as many as there are processors. It changes no score.
    name : str
        Of the matrix, for the figure and the random streams.
    log : function
        Takes a line of text for each fit.
    on_fit : function, optional
        Called after each fit with how many are done, how many there are, and its row.

    Returns
    -------
    Comparison

    Raises
    ------
    ConfigError
        If an argument or a setting has a value that is not allowed.
    DataError
        If V is not binary, or too small for a mask.
    """
    matrix = _as_matrix(V)
    entries = _entries(methods, K)
    _check(masks, test_probability, seed, n_jobs)
    drawn = [
        draw_mask(matrix, test_probability, seed_sequence(*_mask_key(name, j, seed)))
        for j in range(masks)
    ]
    fits = [
        Fit(method, k, j)
        for method, entry in entries.items()
        for k in entry["K"]
        for j in range(masks)
    ]

    def run(fit: Fit, stop: threading.Event) -> dict[str, Any]:
        key = {"dataset": name, **fit._asdict(), "seed": seed}
        return key | _outcome(matrix, drawn[fit.mask], entries[fit.method], key, stop)

    rows = {}
    # Mask after mask, so that what an interrupted comparison has is comparable.
    for fit, row in _all(sorted(fits, key=lambda fit: fit.mask), run, n_jobs or processors()):
        rows[fit] = row
        log(f"{len(rows)} of {len(fits)}: {_told(row, entries)}")
        if on_fit is not None:
            on_fit(len(rows), len(fits), row)
    scores = [rows[fit] for fit in fits] + list(_baseline_rows(matrix, drawn, name, seed))
    n_test = np.mean([np.count_nonzero(mask) for mask in drawn])
    n_train = np.count_nonzero(matrix.observed) - n_test
    return Comparison(pd.DataFrame(scores), entries, name, float(n_test / n_train))


def _as_matrix(V: Any) -> BinaryMatrix:
    if isinstance(V, BinaryMatrix):
        return V
    is_frame = hasattr(V, "columns") and hasattr(V, "to_numpy")
    return BinaryMatrix.from_frame(V) if is_frame else BinaryMatrix.from_array(V)


def _entries(methods: Any, K: Any) -> dict[str, dict[str, Any]]:
    """Return the entries to compare, complete and checked."""
    if isinstance(methods, str):
        methods = [methods]
    methods = COMPARED if methods is None else methods
    given = dict(methods) if isinstance(methods, Mapping) else dict.fromkeys(methods)
    if not given:
        raise ConfigError(f"methods: none given; {choices('', METHODS)}")
    entries = {}
    for name, changes in given.items():
        known_entry = METHODS.get(name, {})
        if "class" in (changes or {}):  # the settings are those of another class
            known_entry = {key: known_entry[key] for key in known_entry.keys() - {"settings"}}
        entry = {**known_entry, **(changes or {})}
        if "class" not in entry:
            raise ConfigError(f"methods: no {name!r}; {choices(name, METHODS)}")
        known = ("class", "label", "colour", "K", "settings", "starts_as")
        for key in entry.keys() - set(known):
            raise ConfigError(f"methods.{name}: unknown key {key!r}; {choices(key, known)}")
        entry = {"label": name, "settings": {}, **entry}
        entry["K"] = _grid(name, _wanted_K(K, name, entry))
        where = f"methods.{name}.settings"
        registry.check_settings(where, entry["class"], entry["K"], entry["settings"])
        entries[name] = entry
    for name in K if isinstance(K, Mapping) else ():
        if name not in entries:
            raise ConfigError(f"K: {name!r} is not compared; {choices(name, entries)}")
    return entries


def _wanted_K(K: Any, name: str, entry: Mapping[str, Any]) -> Any:
    """Return the K asked for, or the method's own grid."""
    wanted = K.get(name) if isinstance(K, Mapping) else K
    if wanted is None and "K" not in entry:
        raise ConfigError(f"methods.{name}: the key 'K' is missing")
    return entry["K"] if wanted is None else wanted


def _grid(name: str, K: Any) -> list[int]:
    grid = [K] if isinstance(K, int | np.integer) else list(K)
    for k in grid:
        parameters.check("n_components", k)
    if not grid:
        raise ConfigError(f"methods.{name}: no K given; allowed are integers of at least 1")
    return list(dict.fromkeys(int(k) for k in grid))


def _check(masks: int, test_probability: float, seed: int, n_jobs: int | None) -> None:
    parameters.check_count("masks", masks, 1)
    parameters.check_count("seed", seed, 0)
    parameters.check_count("n_jobs", 1 if n_jobs is None else n_jobs, 1)
    if not (isinstance(test_probability, float) and 0 < test_probability < 1):
        raise ConfigError(
            f"test_probability = {test_probability!r}: allowed is a number between 0 and 1"
        )


def _mask_key(name: str, number: int, seed: int) -> list[str | int]:
    """Return what a mask's random stream belongs to; for seed 0 it is the workflow's."""
    return ["mask", name, number, seed] if seed else ["mask", name, number]


class _Stopped(Exception):
    """The comparison was interrupted, so a fit that is under way has no purpose any more."""


def _all(
    fits: list[Fit], run: Callable[[Fit, threading.Event], dict], n_jobs: int
) -> Iterator[tuple[Fit, dict]]:
    """Yield each fit and its row as it is done, `n_jobs` at a time.

    Threads, since kernels and linear algebra release the interpreter's lock. Six methods, two masks
    of 500 x 100 entries, two cores: 25.4 s one at a time, 13.4 in two threads, 15.0 in two
    processes, of which starting them took 2.8.

    The limit of one BLAS thread is set here for all of them: set by each fit alone, one that ends
    would lift it for the others and change their rounding.
    """
    stop = threading.Event()
    executor = ThreadPoolExecutor(n_jobs, thread_name_prefix="nbmf-compare")
    with threadpool_limits(limits=1, user_api="blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)  # the column status says it
        try:
            running = {executor.submit(run, fit, stop): fit for fit in fits}
            for done in as_completed(running):
                yield running[done], done.result()
        except BaseException:  # Ctrl-C above all: start nothing more, and end what can be ended
            stop.set()
            raise
        finally:
            executor.shutdown(wait=not stop.is_set(), cancel_futures=True)


def _outcome(
    matrix: BinaryMatrix,
    mask: np.ndarray,
    entry: Mapping[str, Any],
    key: dict[str, Any],
    stop: threading.Event,
) -> dict[str, Any]:
    """Return FACTS about one fit; where it fails, only its status, which says why."""

    def log(line: str) -> None:
        if stop.is_set():
            raise _Stopped

    started_as = entry.get("starts_as", key["method"])
    try:
        request = FitRequest(
            entry["class"],
            key["K"],
            entry["settings"],
            ["fit", key["dataset"], started_as, key["K"], key["mask"], key["seed"]],
        )
        report = run_fit(matrix, mask, request, log=log).report
    except NbmfError as error:
        return _gap(str(error))
    except Exception as error:  # whatever it is, the other fits go on
        return _gap(f"{type(error).__name__}: {error}")
    if not math.isfinite(report["perplexity"]):
        return _gap("the predictions are not finite")
    return {fact: report[fact] for fact in FACTS}


def _gap(reason: str) -> dict[str, Any]:
    return {**dict.fromkeys(FACTS, np.nan), "unit": None, "converged": None, "status": reason}


def _told(row: Mapping[str, Any], entries: Mapping[str, Mapping]) -> str:
    which = f"{entries[row['method']]['label']}, K = {row['K']}, mask {row['mask']}"
    if math.isnan(row["perplexity"]):
        return f"{which}: failed: {row['status']}"
    return f"{which}: {row['perplexity']:.4f} ({row['seconds']:.1f} s)"


def _baseline_rows(
    matrix: BinaryMatrix, masks: list[np.ndarray], name: str, seed: int
) -> Iterator[dict[str, Any]]:
    for method in BASELINES:
        for j, mask in enumerate(masks):
            found = baseline_score(method, matrix, mask)
            yield {
                **{"dataset": name, "method": method, "K": 0, "mask": j, "seed": seed},
                **_gap("ok"),
                **{"n_test": found.entries, "perplexity": found.perplexity, "saturated": 0},
                **{"unit": "nats per held-out entry", "seconds": 0.0},
            }


def _comparable(entry: Mapping[str, Any]) -> bool:
    return registry.scores_entries(entry["class"])


def _named(entry: Mapping[str, Any], K: int) -> str:
    """Return the method's label, with its K where there was a choice."""
    return f"{entry['label']} with K = {K}" if len(entry["K"]) > 1 else entry["label"]
