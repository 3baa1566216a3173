"""Small matrices and tables that come with the package, with names of rows and columns.

`make examples` builds them in the checkout, by the recipes of the datasets they are. They keep the
licences of their data, which EXAMPLES states; the package's own covers none of them.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from nbmf.errors import ConfigError, choices

if TYPE_CHECKING:
    from nbmf.data.matrix import BinaryMatrix


class Example(NamedTuple):
    """What an example is: of which dataset, what its parts are called, and where it is from."""

    dataset: str  # the name in config/datasets.yaml
    title: str
    row: str
    column: str
    value: str
    words: tuple[str, str]  # for a one and for a zero
    origin: str
    licence: str
    group: str | None = None


EXAMPLES = {
    "animals": Example(
        dataset="animals",
        title="which of 85 attributes each of 50 animals has",
        row="animal",
        column="attribute",
        value="has",
        words=("1", "0"),
        origin="Animals with Attributes (Lampert, Nickisch and Harmeling, 2009)",
        licence="none stated",
    ),
    "moods": Example(
        dataset="moods",
        title="which of 75 mood adjectives each of 500 people said they felt at all; not answered is missing",
        row="person",
        column="mood",
        value="felt",
        words=("yes", "no"),
        origin="the Motivational State Questionnaire, msq of the R package psychTools (Revelle)",
        licence="GPL >= 2",
    ),
    "parliament": Example(
        dataset="parliament",
        title="which of 130 members of the Catalan parliament follow which on Twitter, 2018",
        row="follower",
        column="followed",
        value="follows",
        words=("1", "0"),
        group="party",
        origin="the R package NBMF (Lumbreras, Filstroff and Févotte, 2020)",
        licence="GPL (>= 2)",
    ),
    "votes": Example(
        dataset="unvotes_important",
        title="how 100 countries voted in 72 roll calls of the United Nations, 1983 to 1990; abstentions are missing",
        row="country",
        column="roll_call",
        value="vote",
        words=("yes", "no"),
        origin="United Nations General Assembly Voting Data (Voeten, 2013), by the R package unvotes (Robinson)",
        licence="CC0 (the votes), MIT (the package)",
    ),
}


class TableExample(NamedTuple):
    """A table with columns of several kinds, as a CSV file next to this one."""

    title: str
    labels: str
    origin: str
    licence: str


TABLES = {
    "penguins": TableExample(
        title="344 penguins of three species: measures, island, sex, year; a few cells are missing",
        labels="species",
        origin="palmerpenguins (Horst, Hill and Gorman, 2020), by the Python package palmerpenguins 0.1.6",
        licence="CC0",
    )
}


def table_example(name: str) -> str:
    """Return the text of one of TABLES."""
    return (resources.files(__name__) / f"{name}.csv").read_text(encoding="utf-8")


def load_example(name: str) -> BinaryMatrix:
    """Return one of the matrices that come with the package.

    Parameters
    ----------
    name : str
        "animals" (50 animals x 85 attributes; no licence stated), "moods" (500 people x 75 mood
        adjectives, with missing entries; GPL >= 2, from the R package psychTools), "parliament"
        (130 members following x 130 followed, row groups are parties; GPL (>= 2), from the R
        package NBMF) or "votes" (100 countries x 72 roll calls of the United Nations, with missing
        entries; CC0).

    Returns
    -------
    BinaryMatrix

    Raises
    ------
    ConfigError
        If there is no such example; the message lists them.
    """
    from nbmf.data.matrix import BinaryMatrix

    if name not in EXAMPLES:
        raise ConfigError(f"no example {name!r}; {choices(name, EXAMPLES)}")
    with resources.as_file(resources.files(__name__) / f"{name}.npz") as file:
        return BinaryMatrix.load(file)
