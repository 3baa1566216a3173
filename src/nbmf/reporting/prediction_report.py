"""What the report says about new rows of a fit: how they were matched, where they are, and what is missing of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nbmf.evaluation.baselines import LABELS, OF_ROWS
from nbmf.inference.estimator import Factorization
from nbmf.io.cells import count_phrase, quoted_names
from nbmf.likelihoods.ordered import ORDERED, named_probabilities
from nbmf.numerics.percent import percent
from nbmf.posterior.nearest import Nearest
from nbmf.posterior.new_rows import MEMBERSHIPS, POSITIONS, WEIGHTS, NewRows, Placement
from nbmf.reporting.latent_classes import class_members
from nbmf.reporting.lookups import MOST_COMPONENTS, select_for_lookup
from nbmf.reporting.model import Lines, Lookup, Measure, Report, Section, Table
from nbmf.reporting.words import quote_if_ambiguous

SHOWN_ROWS, SHOWN = 20, 4  # rows, and components or axes, of the table
NEAREST = 3  # rows of the fit in the table


@dataclass(frozen=True, eq=False)
class ReportedPrediction:
    """New rows of a fit, and where they are.

    name : str, of the new data
    fit : str, where the fit is
    model : Factorization
    rows : NewRows
    placement : Placement
    column_names : str array (N,)
    level : float, of the intervals
    fit_names : str array (F,), of the rows of the fit; None where its data are not known
    lowest : int, the number of what E[v] calls 0: of ordered categories the lowest, see CategoryMatrix
    nearest : Nearest, which rows of the fit are nearest to each new row; None where its data are not known
    nothing_beyond : str, the best baseline where the components of the fit predict no better, "" if it is not known;
        None where they do
    """

    name: str
    fit: str
    model: Factorization
    rows: NewRows
    placement: Placement
    column_names: np.ndarray
    level: float
    fit_names: np.ndarray | None = None
    lowest: int = 0
    nearest: Nearest | None = None
    nothing_beyond: str | None = None

    def table(self) -> pd.DataFrame:
        """Return a row per new row: memberships, positions or weights, with the ends of their intervals."""
        placement, columns = self.placement, {"row": self.rows.names}
        if placement.main is not None:
            columns["main"] = np.array(placement.names)[placement.main]
        for a, name in enumerate(placement.names):
            columns[name] = placement.values[:, a]
            if placement.lower is not None:
                columns |= {f"{name} lower": placement.lower[:, a], f"{name} upper": placement.upper[:, a]}
        if self.nearest is not None:
            for j, (places, values) in enumerate(zip(self.nearest.places.T, self.nearest.values.T, strict=True), 1):
                columns |= {f"nearest {j}": self.fit_names[places], f"difference {j}": values}
        return pd.DataFrame(columns)

    def missing(self) -> pd.DataFrame:
        """Return a row per entry that is missing: row, column, what the model expects there, and P of each category."""
        rows, columns = np.nonzero(~self.rows.observed)
        expected = self.placement.expectation[rows, columns] + self.lowest
        table = {"row": self.rows.names[rows], "column": self.column_names[columns], self.expected: expected}
        if (chances := self.placement.chances) is not None:
            categories = self.model.categories_
            if categories is None:
                categories = range(self.lowest, self.lowest + chances.shape[1])
            table |= named_probabilities(categories, chances)
        return pd.DataFrame(table)

    @property
    def expected(self) -> str:
        """What tables call E[v]: "probability" or "mean"."""
        return "probability" if self.model.likelihood.limits == (0.0, 1.0) else "mean"

    @property
    def words(self) -> str:
        """What sentences call E[v]."""
        if self.expected == "probability":
            return "probabilities of a one"
        return "mean categories" if self.model.likelihood is ORDERED else "expected counts"


def prediction_report(result: ReportedPrediction, command: str = "") -> Report:
    """Return the report of new rows."""
    sections = [
        Section("How they were matched", [Lines([*_matching_facts(result)])]),
        Section("Where they are", [_placement_table(result)], leads=True),
        Section("Look up a new row", [_lookup(result)]),
        Section("What is missing", [Lines([_missing_sentence(result)])]),
    ]
    return Report(f"{result.name}: new rows", sections, [command])


def _matching_facts(result: ReportedPrediction) -> Iterator[str]:
    rows = result.rows
    if result.nothing_beyond is not None:
        yield _nothing_found_sentence(result, result.nothing_beyond)
    number, known = count_phrase(len(rows.names), "new row"), len(result.column_names)
    yield f"{result.name}: {number}, by {result.model.title} of {result.fit}"
    if rows.by_place:
        yield f"the fit knows no names of columns: its {known} are taken in the order of the file"
        return
    yield f"columns matched by name: {known - len(rows.absent) - len(rows.zeros)} of the {known} of the fit"
    if rows.zeros:
        yield f"not in the file, and so zeros, as all that is not in it: {quoted_names(rows.zeros)}"
    if rows.absent:
        yield f"not in the file, or empty there, and so missing: {quoted_names(rows.absent)}"
    if rows.unused:
        yield f"in the file, but not in the fit, and not used: {quoted_names(rows.unused)}"
    if rows.empty:
        yield f"rows without an entry in the columns of the fit, left out: {quoted_names(rows.empty)}"


def _nothing_found_sentence(result: ReportedPrediction, beyond: str) -> str:
    """Return what the places of rows say, where components predict no better than a baseline."""
    label = LABELS.get(beyond)
    found = f"nothing that predicts better than {label} was found" if label else "nothing was found"
    says = "may be chance"
    if beyond in OF_ROWS:
        are_ones = result.expected == "probability"
        says = f"says at most {'how many ones they have' if are_ones else 'how large their values are'}"
    return f"{found} in {result.fit}: where rows are in it {says}"


def _placement_table(result: ReportedPrediction) -> Table:
    placement, rows = result.placement, result.rows.names[:SHOWN_ROWS]
    shown = np.sort(_heaviest(placement)[: min(SHOWN, placement.kept)])
    cells = [[name, *(_format_place(placement, f, a) for a in shown)] for f, name in enumerate(rows)]
    notes = []
    if placement.kind == WEIGHTS:
        notes.append(_weights_note(result.model))
    else:
        notes.append(f"in brackets {result.level:.0%} intervals, given the columns of the fit as they are known")
    if len(rows) < len(result.rows.names) or len(shown) < len(placement.names):
        number = count_phrase(len(result.rows.names), "row")
        each = count_phrase(len(placement.names), placement.kind.removesuffix("s"))
        notes.append(f"{placement.kind}.csv has {number} and {each} of each")
    head, align = ["row", *(placement.names[a] for a in shown)], "<" + ">" * len(shown)
    if placement.main is not None and len(shown) < len(placement.names):  # it may be none of these
        head, align = [*head, "most typical of"], align + "<"
        cells = [[*row, placement.names[placement.main[f]]] for f, row in enumerate(cells)]
    if result.nearest is not None:
        head, align = [*head, "nearest rows of the fit"], align + "<"
        cells = [[*row, _nearest_rows_phrase(result, f)] for f, row in enumerate(cells)]
        predicted = "predicted probabilities" if result.expected == "probability" else result.words
        predicted += " in rows of average effect" * (result.placement.compared is not None)
        notes.append(f"numbers after nearest rows are root mean square differences of {predicted} over all columns")
    return Table(head, cells, align, [placement.kind], "; ".join(notes))


def _weights_note(model: Factorization) -> str:
    """Return why the weights of new rows have no intervals: of latent classes they are probabilities themselves."""
    if model.has_classes and class_members(model) == "rows":
        return "these are the probabilities that a row is in a latent class, given the classes of the fit"
    return f"{model.method_name} has no intervals of new rows"


def _nearest_rows_phrase(result: ReportedPrediction, f: int) -> str:
    """Return the rows of the fit that are nearest to a new one, with their differences."""
    near = zip(result.nearest.places[f, :NEAREST], result.nearest.values[f, :NEAREST], strict=True)
    return ", ".join(f"{quote_if_ambiguous(result.fit_names[place])} {value:.3f}" for place, value in near)


def _lookup(result: ReportedPrediction) -> Lookup:
    """Return where each new row is; which are nearest to each other was not asked."""
    placement, rows = result.placement, result.rows.names
    numbers = np.sort(_heaviest(placement)[:MOST_COMPONENTS])
    measures = [
        Measure(
            placement.names[a],
            *(None if values is None else values[:, a] for values in placement[2:5]),
            is_share=placement.kind == MEMBERSHIPS,
        )
        for a in numbers
    ]
    chosen = select_for_lookup(rows, measures, 0)
    return Lookup(
        noun="row",
        names=rows[chosen],
        total=len(rows),
        measures=[measure.take(chosen) for measure in measures],
        sentences=[f"Where a new row is: its {placement.kind}, as in {placement.kind}.csv."],
        places=chosen,
        nearest=np.empty((len(chosen), 0), int),
        distances=np.empty((len(chosen), 0)),
        distance="",
        components=placement.kind != POSITIONS,
    )


def _heaviest(placement: Placement) -> np.ndarray:
    """Return the components or axes, those that new rows have most of first; axes in their order."""
    order = np.arange(len(placement.names))
    return order if placement.kind == POSITIONS else np.argsort(-placement.values.mean(axis=0), kind="stable")


def _format_place(placement: Placement, f: int, a: int) -> str:
    numbers = [values[f, a] for values in placement[2:5] if values is not None]
    write = "{:z.2f}".format if placement.kind != MEMBERSHIPS else percent
    value, *ends = map(write, numbers)
    return f"{value} [{', '.join(ends)}]" if ends else value


def _missing_sentence(result: ReportedPrediction) -> str:
    number = int(np.count_nonzero(~result.rows.observed))
    if not number:
        return "no entry is missing"
    noun = "entry" if number == 1 else "entries"
    more = ""
    if result.model.likelihood is ORDERED:
        more = f", counted from {result.lowest}, and the probability of each category"
    return f"{number} missing {noun}: {result.words}{more} are in missing.csv"
