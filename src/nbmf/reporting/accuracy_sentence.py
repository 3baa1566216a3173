"""The first line about a fit: how many held-out entries are predicted right, with and without components."""

from collections.abc import Sequence

from nbmf.data.named import NamedMatrix
from nbmf.evaluation.accuracy import Accuracy
from nbmf.evaluation.baselines import LABELS
from nbmf.evaluation.verdict import Verdict
from nbmf.numerics.percent import percent

RARE = 0.2  # of the entries: if ones, or zeros, are fewer, predicting none of them is right nearly always
SAME = 0.005  # difference of two accuracies that says little then
ENOUGH = 10  # held-out entries of a column that is named
MOST, WORTH_NAMING = 3, 0.02  # columns that gain most, and by how much at least


def accuracy_sentence(verdict: Verdict, matrix: NamedMatrix) -> str:
    """Return how many held-out entries are predicted right, "" of counts and of sparse matrices."""
    with_components, without = verdict.accuracy, verdict.without_components
    if with_components is None or without is None:
        return ""
    reached, alone = percent_pair(with_components.overall, without.overall)
    baseline = LABELS[verdict.most_right]
    text = f"{reached} of the held-out entries are predicted right, {alone} without components ({baseline})"
    ones = matrix.counts()["ones"] / matrix.n_observed
    more = with_components.overall - without.overall
    says_little = abs(more) < SAME or (more < 0 and verdict.gains[0].mean > 0)
    if min(ones, 1 - ones) < RARE and says_little:
        rare, common = ("ones", "zeros") if ones < RARE else ("zeros", "ones")
        return (
            f"{text}. As {percent(max(ones, 1 - ones), 1)} of all entries are {common}, this count says little: what "
            f"matters is how probable the rare {rare} are predicted to be, which the log loss in nats measures"
        )
    columns = _column_gains(with_components, without, matrix.column_names) if verdict.found else ""
    text += f"; {columns}" if columns else ""
    if says_little and verdict.predicts:
        text += ". The gain is in how probable entries are predicted to be, which the log loss in nats measures"
    return text


def _column_gains(with_components: Accuracy, without: Accuracy, names: Sequence[str]) -> str:
    """Return the columns of which more is predicted right than without components, and that with the least gain."""
    each = zip(names, with_components.by_column, without.by_column, with_components.entries, strict=True)
    named = [(name, p, q, entries) for name, p, q, entries in each if entries >= ENOUGH]
    # Of few entries a large gain may be luck: it is shrunk for the order.
    named.sort(key=lambda column: -(column[1] - column[2]) * column[3] / (column[3] + ENOUGH))
    columns = [(p - q, str(name), p, q) for name, p, q, _ in named]
    most = [column for column in columns[:MOST] if column[0] >= WORTH_NAMING]
    parts = []
    if most:
        parts.append("most gained: " + ", ".join(map(_column_phrase, most)))
    if len(columns) > len(most) and columns[-1][0] < (columns[0][0] if most else -WORTH_NAMING):
        parts.append("least: " + _column_phrase(columns[-1]))
    return "; ".join(parts)


def _column_phrase(column: tuple[float, str, float, float]) -> str:
    _, name, with_components, without = column
    reached, alone = percent_pair(with_components, without)
    return f"{name!r} {reached} as without" if reached == alone else f"{name!r} {reached} instead of {alone}"


def percent_pair(first: float, second: float) -> tuple[str, str]:
    """Return two proportions in percent, with a decimal where they differ by less than one percent."""
    digits = 1 if 0 < abs(first - second) < 0.01 else 0
    return percent(first, digits), percent(second, digits)
