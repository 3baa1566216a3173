"""`nbmf.analyze`: is there structure in a matrix, and which? One call that does what `nbmf fit` does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from nbmf.analysis.fitting import fit_all
from nbmf.analysis.matrices import as_matrix
from nbmf.analysis.mixture import fit_mixture
from nbmf.analysis.plan import Plan, make_plan
from nbmf.analysis.progress import Progress, silent
from nbmf.analysis.request import AnalyzeArguments, Request
from nbmf.analysis.result import Analysis
from nbmf.analysis.settings import warn_of_many_components
from nbmf.analysis.structure import check_structure
from nbmf.data.given import as_pandas, is_frame
from nbmf.data.named import NamedMatrix, align_with
from nbmf.data.names import checked_labels, texts_of_index
from nbmf.errors import Message, Setting
from nbmf.evaluation.verdict import Verdict
from nbmf.inference.estimator import Factorization
from nbmf.posterior.scale_axes import check_rows
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.wording import Wording


def analyze(
    V: Any,
    *,
    name: str = "V",
    column_groups: Sequence[str] | None = None,
    log: Callable[[str], None] = print,
    progress: Progress = silent,
    wording: Wording | None = None,
    **asked: Unpack[AnalyzeArguments],
) -> Analysis:
    """Test whether there is structure in a matrix, and find it, as `nbmf fit` does with a file.

    Cross-validation tests whether methods predict held-out entries better than baselines do, and chooses among
    them. The chosen method is fitted to the whole matrix, from several starts if structure is found. If a method of
    the other view (groups, or a scale) predicts as well, it is fitted too, and so is the best mixture of methods.

    Parameters
    ----------
    V : BinaryMatrix, CountMatrix, CategoryMatrix, SparseBinaryMatrix, array (F, N), DataFrame, or scipy.sparse matrix
        Ones, zeros and missing (NaN or -1; in a DataFrame also texts such as yes and no, as in a file). Counts and
        ordered categories are a CountMatrix and a CategoryMatrix, or of any form if `method` is one for them.
        Of an array or a DataFrame rows and columns without an observed entry are left out, with a warning. What a
        sparse matrix does not store is zero.
    name : str
        What the report calls the matrix.
    column_groups : sequence of str (N,), a Series of pandas by the names of columns, optional
        A group per column; those of rows are `row_groups` of the matrix.
    log : function
        Called with messages that come before there is a report, such as why there is no test.
    progress : function
        Takes the name of a part of the analysis and its number of steps, and returns a context manager that gives
        the monitors of fits (nbmf.analysis.progress); by default nothing is shown.
    wording : Wording, optional
        How the report names arguments and the next command; by default in Python's terms.
    method : str, optional
        The id of a method (nbmf.catalogue.METHODS). Default: the first of those of nbmf.catalogue.candidates_for that
        predicts held-out entries within a standard error of the best.
    n_components : int or "auto", optional
        Default: the method's own.
    iterations : int, optional
        The largest number of iterations; for samplers the number of sweeps, four fifths of which are burn-in.
    chains : int, optional
        Chains of a sampler (default 4), or starts (default 4 on small matrices if starts differ, else 1); 1 if
        nothing is found.
    n_draws : int, optional
        Posterior draws of each chain, for 90 % credible intervals. Default: 100 of samplers that show a scale, whose
        intervals they give, and of latent classes (MNB) of small matrices, otherwise none.
    settings : dict, optional
        Other arguments of the method.
    seed : int
        The same seed gives the same result.
    check : bool
        Whether structure is tested on held-out entries; otherwise components are always shown.
    view : {"groups", "scale"}, optional
        How components are shown; default: in the view of the first method within a standard error of the best, and in
        the other too where that predicts about as well.
    names : list of str, optional
        Of the components, or axes, in the order of the report.
    high : list of str, optional
        A row at the high end of axis 1, another of axis 2, and so on; default: ones are more probable there in the
        sum over the columns.

    Returns
    -------
    Analysis
        Tables, sentences, pictures, and `save`, which writes the folder that `nbmf fit` writes.

    Raises
    ------
    ConfigError
        If an argument is not allowed, or needs more memory than the method may take: before anything is fitted.
    DataError
        If V is a path, has a value that is not allowed or, where structure is tested, only equal ones.

    Warns
    -----
    LeftOutWarning
        If rows or columns without an observed entry were left out.
    TooManyComponentsWarning
        If more components are asked for than rows or columns can differ in.
    """
    request = Request.of(asked)
    matrix = as_matrix(V, request.method)
    check_rows(request.high or (), matrix.row_names)
    if column_groups is not None:
        column_groups = _groups_of_columns(column_groups, V, matrix)
    plan = make_plan(matrix, request)
    if plan.reason:
        log(plan.reason)
    chosen, *others = choose_methods(matrix, plan, request, progress)
    warn_of_many_components([request.n_components], matrix)
    if chosen.verdict is not None and not chosen.verdict.is_predicted:
        request = request.without_components()
    about = {"name": name, "column_groups": column_groups, "high": tuple(request.high or ())}
    result = fit_all(chosen.estimator, matrix, request, progress, verdict=chosen.verdict, **about)
    result = _name_components(result, request.names, log)
    _report_ends(result, request.high or (), log)
    fitted = {chosen.method: result.model}
    if others and result.shows_components:
        other = fit_all(others[0].estimator, matrix, request, progress, **about)
        # If all rows are in one group, there is nothing to say of it.
        says_something = other.scale is not None or other.components.active > 1
        result = replace(result, other_view=other if says_something else None)
        fitted[others[0].method] = other.model
    if chosen.verdict is not None and chosen.verdict.stack is not None:
        mixture = fit_mixture(chosen.members, chosen.verdict.stack, matrix, fitted, progress)
        result = replace(result, stack=mixture)
    return Analysis(result, chosen.method, asked, wording or Wording(asked))


def _groups_of_columns(given: Sequence[str], V: Any, matrix: NamedMatrix) -> np.ndarray:
    """Return the groups of the columns of the matrix: there is one for each column of V, some of which are left out."""
    groups = checked_labels(align_with(given, V, 1), np.shape(V)[1], "column_groups")
    if len(groups) == matrix.shape[1]:
        return groups
    names = texts_of_index(as_pandas(V).columns) if is_frame(V) else (f"column {n}" for n in range(len(groups)))
    group_of = dict(zip(names, groups, strict=True))
    return np.array([group_of[str(name)] for name in matrix.column_names])


class ChosenMethod(NamedTuple):
    """The method that is fitted.

    method : str, its id
    estimator : Factorization, not fitted
    verdict : Verdict, what held-out entries say about it; None if that was not asked for
    members : dict, the methods of the mixture of `verdict.stack`, not fitted, by their ids
    """

    method: str
    estimator: Factorization
    verdict: Verdict | None = None
    members: Mapping[str, Factorization] = {}


def choose_methods(
    matrix: NamedMatrix, plan: Plan, request: Request, progress: Progress = silent
) -> list[ChosenMethod]:
    """Return the method to fit, and that of the other view if it predicts as well.

    Where neither a method nor anything of its own is named, these are chosen by what they predict.
    """
    every = [ChosenMethod(method, estimator) for method, estimator in plan.tested.items()]
    if not plan.holds_out:
        return every[:1]
    choice = check_structure(
        matrix,
        list(plan.tested.values()),
        request.seed,
        tries=plan.tries,
        view=plan.view,
        stacked_with=None if plan.further is None else list(plan.further.values()),
        progress=progress,
    )
    members = {**plan.tested, **(plan.further or {})}
    chosen = [every[choice.index]._replace(verdict=choice.verdict, members=members)]
    return chosen if choice.other is None or plan.view else [*chosen, every[choice.other]]


def _name_components(result: ReportedFit, names: Sequence[str] | None, log: Callable[[str], None]) -> ReportedFit:
    """Return the result with names of its components, or axes; superfluous names are reported."""
    if not names:
        return result
    result = replace(result, components=result.components._replace(given=tuple(names)))
    there = result.components.informative if result.scale is None else len(result.scale.shares)
    if len(names) > there:
        unused = ", ".join(map(repr, names[there:]))
        one, several = ("component", "components") if result.scale is None else ("axis", "axes")
        text = f"there is 1 {one}" if there == 1 else f"there are {there} {several}"
        log(Message(Setting("names"), f": {text}, so that there is none to be called {unused}"))
    return result


def _report_ends(result: ReportedFit, high: Sequence[str], log: Callable[[str], None]) -> None:
    """Say which rows of `high` tell no end of an axis: there is none, or they may as well be at the other one."""
    there = result.scale.kept if result.scale is not None and result.shows_components else 0
    if unused := high[there:]:
        axes = "no axis is" if there == 0 else "1 axis is" if there == 1 else f"{there} axes are"
        log(Message(Setting("high"), f": {axes} reported, so that there is none for {', '.join(map(repr, unused))}"))
    for axis, name in enumerate(high[:there]):
        row = list(result.matrix.row_names).index(name)
        if result.scale.lower[row, axis] <= 0 <= result.scale.upper[row, axis]:
            log(
                Message(
                    Setting("high"), f": the interval of {name!r} on axis {axis + 1} holds 0, so that it tells no end"
                )
            )
