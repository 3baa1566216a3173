"""What is said of a scale: of one written by hand every number is one of its own."""

import dataclasses

import numpy as np
import pytest

from nbmf.posterior.scale import GIVEN_COLUMNS, GIVEN_SLOPES, Scale
from nbmf.posterior.scale_axes import MANY, NOISE, WEAK, WEAK_BUT_THERE
from nbmf.posterior.scale_distributions import Cuts, Sizes
from nbmf.posterior.scale_shape import Shape
from nbmf.posterior.scale_tables import columns_table as table_of_columns
from nbmf.reporting import html, text
from nbmf.reporting.model import Report, Section
from nbmf.reporting.scale_entries import axis_entry, parameter_table, scale_blocks, scale_facts, shape_sentences
from nbmf.reporting.scale_words import COUNTS

F = 30
PLACES = np.linspace(-2, 2, F)
SCALE = Scale(
    row_names=np.array([f"r{f}" for f in range(F)]),
    column_names=np.array(["tax", "war", "milk"]),
    positions=np.column_stack([PLACES, np.zeros(F)]),
    lower=np.column_stack([PLACES - 0.5, np.zeros(F)]),
    upper=np.column_stack([PLACES + 0.5, np.zeros(F)]),
    level=0.9,
    interval_kind=GIVEN_COLUMNS,
    discrimination=np.array([[2.0, 0.1], [-1.0, 0.2], [0.1, 0.0]]),
    thresholds=np.array([[1.0], [-0.75], [3.0]]),
    distribution=Cuts(np.zeros((3, 1))),
    shares=np.array([0.9, 0.1]),
    reliability=np.array([0.85, 0.2]),
    kept=1,
    limit=WEAK,
    rotated=False,
    low=np.array([[0.08, 0.5], [0.81, 0.5], [0.005, 0.5]]),
    high=np.array([[0.92, 0.5], [0.3, 0.5], [0.02, 0.5]]),
    n_end=3,
)


ARCHED = np.column_stack([PLACES, PLACES**2])
CURVED = np.column_stack([ARCHED, np.cos(9 * PLACES)])
IN_THREE = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])[np.arange(F) % 3] + 0.01 * ARCHED
CORRELATED = np.array([[1.0, -0.4], [-0.4, 1.0]])


def lines_of(scale, a=0):
    return dict(axis_entry(scale, a).lines)


def test_the_facts_are_those_of_the_scale():
    first, further, _, brackets, ends = scale_facts(SCALE)
    assert first == "30 rows lie on one axis, which holds 90% of the variance of their log-odds in this model"
    assert further.startswith("a further axis is weak next to the first")
    files = "positions.csv and columns.csv have the axes, W.csv, H.csv and components.csv what was fitted, before any"
    assert brackets == f"90% intervals in brackets: {GIVEN_COLUMNS}; {files} rotation"
    assert ends.startswith("an end is 3 rows, a tenth of all, the middle those around the median; ")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"limit": NOISE}, "a further axis cannot be distinguished from noise"),
        ({"limit": WEAK_BUT_THERE}, "a further axis is weak next to the first but above noise"),
        ({"limit": MANY}, "a further axis is not shown; it is in positions.csv"),
        ({"limit": WEAK, "positions": CURVED}, "further axes are weak next to the first; they are in positions.csv"),
        ({"kept": 2, "rotated": True}, "the axes are rotated by varimax"),
        (
            {"kept": 2, "positions": ARCHED},
            "rows lie along an arch, or in three groups that overlap: one direction follows the square",
        ),
        (
            {"kept": 2, "positions": ARCHED},
            "the order along the arch, if it is one: first r0, r1, r2, r3; in the middle r13, ",
        ),
        ({"kept": 2, "positions": ARCHED}, "last r26, r27, r28, r29 (positions.csv has all)"),
        ({"kept": 2, "positions": IN_THREE}, "rows lie in 3 separate groups rather than spread along the axes"),
        ({"kept": 3, "positions": CURVED}, "the axes depend on each other: one direction follows the square"),
        ({"kept": 2, "rotated": True, "correlations": CORRELATED}, "they correlate: axis 1 and axis 2 -0.40"),
        ({"kept": 2, "has_row_effects": True}, "how common ones are in a row is part of the axes"),
        ({"kept": 2}, "the axes are not rotated"),
        ({"kept": 2}, "two axes, which hold 100% of"),
        ({"n_end": 1}, "an end is one row"),
    ],
)
def test_what_holds_of_some_scales_is_said_of_these_alone(changed, said):
    assert said not in " ".join(scale_facts(SCALE))
    assert said in " ".join(scale_facts(dataclasses.replace(SCALE, **changed)))


def test_two_groups_on_one_axis_are_said():
    shape = Shape(groups=2, between=0.204)
    (said,) = shape_sentences(shape, np.array(["a", "b"]))
    assert said.startswith("rows lie in two groups with few rows between them")
    assert "(the density there is 20% of that in the sparser group)" in said


def test_of_ordered_categories_nothing_is_said_of_ones():
    told = " ".join(scale_facts(dataclasses.replace(SCALE, kept=2, categories=("no", "yes"), has_row_effects=True)))
    assert "common" not in told
    assert "how high the answers of a row are is part of the axes" in told


@pytest.mark.parametrize(
    ("r", "slopes", "changed", "said"),
    [
        (0.99, [2.0, 1.0, -0.05], {}, "this axis orders rows by their proportion of ones (rank correlation 0.99): "),
        (0.99, [2.0, 1.0, 0.1], {"categories": ("no", "yes")}, "this axis orders rows by their mean category (rank "),
        (0.99, [2.0, 1.0, 0.1], {"kept": 2}, "axis 1 orders rows by"),
        (0.89, [2.0, 1.0, 0.1], {}, None),
        (0.99, [2.0, 1.0, -0.2], {}, None),
    ],
)
def test_an_axis_that_orders_rows_by_their_number_of_ones_is_reported(r, slopes, changed, said):
    loadings = np.column_stack([slopes, [0.1, -0.1, 0.1]])
    more = {"discrimination": loadings, "mean_correlation": np.array([r, 0.99]), **changed}
    told = [sentence for sentence in scale_facts(dataclasses.replace(SCALE, **more)) if "orders rows" in sentence]
    assert len(told) == (said is not None)
    if said is not None:
        assert told[0].startswith(said)
        assert told[0].endswith(
            f"differ in how sharply they follow it (discriminations from {min(slopes):.2f} to 2.00)"
        )


def test_an_axis_that_all_columns_follow_alike_is_an_effect_of_rows():
    loadings = np.column_stack([[2.0, 1.98, 2.02], np.zeros(3)])
    told = " ".join(scale_facts(dataclasses.replace(SCALE, discrimination=loadings, mean_correlation=np.ones(2))))
    assert "all columns follow it about equally sharply, as in a Rasch model, so that it is an effect of rows" in told
    assert "differ in how sharply" not in told


def test_of_a_model_with_effects_of_rows_it_is_not_found_that_columns_are_alike():
    loadings = np.column_stack([[2.0, 1.98, 2.02], np.zeros(3)])
    alike = dataclasses.replace(SCALE, discrimination=loadings, mean_correlation=np.ones(2), has_row_effects=True)
    told = " ".join(scale_facts(alike))
    assert "it is the effect of rows in this model, which supposes that all columns follow it equally sharply" in told
    assert "Rasch" not in told


def test_ends_are_named_from_the_outside_with_their_intervals():
    lines = lines_of(SCALE)
    assert lines["high end"].startswith("r29 2.00 [1.50, 2.50], r28 1.86 [1.36, 2.36], ")
    assert lines["low end"].startswith("r0 -2.00 [-2.50, -1.50], r1 ")
    assert [name.split()[0] for name in lines["middle"].split(", r")] == ["r12", "13", "14", "15", "16"]


def test_names_with_commas_are_in_quotes():
    names = np.array(["Smith, John 24", *SCALE.row_names[1:]])
    named = dataclasses.replace(SCALE, row_names=names)
    assert lines_of(named)["low end"].startswith("'Smith, John 24' -2.00 [-2.50, -1.50], r1 ")


def test_few_rows_are_all_named():
    few = dataclasses.replace(
        SCALE, **{name: getattr(SCALE, name)[:5] for name in ("row_names", "positions", "lower", "upper")}
    )
    assert lines_of(few)["from low to high"].count("[") == 5


def test_rows_that_share_an_end_are_counted():
    positions = SCALE.positions.copy()
    positions[-12:, 0] = 2
    lines = lines_of(dataclasses.replace(SCALE, positions=positions))
    assert lines["high end"].startswith("12 rows at the same place, such as r")


def test_columns_that_separate_the_ends_are_named_with_both_ends():
    lines = lines_of(SCALE)
    assert lines["ones at high end"] == "'tax' 92% (low end: 8%)"
    assert lines["ones at low end"] == "'war' 81% (high end: 30%)"  # and 'milk', with 0.5% and 2%, at neither


def test_an_axis_that_separates_nothing_says_so():
    assert lines_of(SCALE, 1)["columns"] == "none separates the ends by 20% or more"


def test_the_table_is_that_of_item_response_theory():
    table = parameter_table(SCALE)
    assert list(table.head) == ["column", "discrimination", "difficulty", "location", "ones at low end", "at high end"]
    assert table.rows == [
        ["tax", "2.00", "1.00", "0.50", "8%", "92%"],
        ["war", "-1.00", "-0.75", "0.75", "81%", "30%"],
        ["milk", "0.10", "3.00", "", "0.5%", "2%"],  # nobody is near 30
    ]


@pytest.mark.parametrize(
    ("thresholds", "are_alike"),
    [([[1, 2], [-1, 0], [3, 4]], True), ([[1, 2], [-1, 0], [3, 4.1]], False), ([[1], [-1], [3]], False)],
)
def test_it_is_said_where_columns_share_a_scale_of_answers(thresholds, are_alike):
    answers = "no", "perhaps", "yes"
    scale = dataclasses.replace(SCALE, thresholds=np.array(thresholds, float), categories=answers)
    told = " ".join(parameter_table(scale).caption)
    assert "as in the graded response model" in told
    assert ("with the same distances between thresholds for all columns" in told) == are_alike


def test_locations_that_are_all_the_same_are_left_out():
    """Without effects of columns a model has them so."""
    same = dataclasses.replace(SCALE, thresholds=SCALE.discrimination[:, :1] * 0.5)
    assert "location" not in parameter_table(same).head
    assert not any("location" in sentence for sentence in parameter_table(same).caption)
    assert "location on axis 1" not in table_of_columns(same)
    assert "location on axis 1" in table_of_columns(SCALE)


def alike(count):
    """Return a scale on which columns differ in their location alone; the first is in the middle."""
    locations = np.roll(np.linspace(-1, 1, count), count // 2)
    return dataclasses.replace(
        SCALE,
        column_names=np.array([f"c{n}" for n in range(count)]),
        discrimination=np.column_stack([np.linspace(2, 1.9, count), np.zeros(count)]),
        thresholds=2 * locations[:, None],
        low=np.full((count, 2), 0.1),
        high=np.full((count, 2), 0.9),
    )


def test_columns_that_differ_in_location_alone_are_in_its_order():
    """Their discriminations differ by noise, which was the order."""
    few, many = parameter_table(alike(8)), parameter_table(alike(39))
    assert [row[0] for row in few.rows] == [f"c{(n + 4) % 8}" for n in range(8)]
    assert not few.note
    assert [row[0] for row in many.rows] == [f"c{(n + 19) % 39}" for n in range(0, 39, 2)]
    assert many.note == "... and 19 more columns between these: see columns.csv"


def test_of_two_axes_the_table_has_those_that_tell_most_of_each():
    loadings = np.zeros((60, 2))
    loadings[:50, 0], loadings[50:, 1] = np.linspace(3, 2, 50), np.linspace(1, 0.5, 10)
    many = dataclasses.replace(
        SCALE,
        kept=2,
        column_names=np.array([f"c{n}" for n in range(60)]),
        discrimination=loadings,
        thresholds=np.zeros((60, 1)),
    )
    table = parameter_table(many)
    assert [row[0] for row in table.rows] == [f"c{n}" for n in (*range(10), *range(50, 60))]
    assert table.note == "... and 40 more columns of lower discrimination on their axis: see columns.csv"


def test_text_and_page_can_be_made():
    report = Report("scale", [Section("Scale", scale_blocks(SCALE))])
    written, page = text.render(report), html.render(report)
    assert max(map(len, written.splitlines())) <= text.WIDTH
    for part in ("axis 1: 90% of what rows differ in; reliability of positions 0.85", "log-odds of a one = "):
        assert part in written
        assert part in page


OF_COUNTS = dataclasses.replace(
    SCALE,
    distribution=Sizes(np.array([2.0, 4.0, 1.0])),
    interval_kind=GIVEN_SLOPES,
    low=np.array([[0.3, 1.0], [60.0, 1.0], [3.0, 1.0]]),
    high=np.array([[40.0, 1.0], [1.2, 1.0], [3.3, 1.0]]),
    has_row_effects=True,
    mean_correlation=np.array([0.9, 0.1]),
)


def test_of_counts_there_are_slopes_levels_and_ratios():
    said = " ".join(scale_facts(OF_COUNTS))
    assert "holds 90% of the variance of the logarithms of their expected counts in this model" in said
    assert "how much was counted in a row is its effect, and no part of the axes" in said
    assert "the one towards which the larger slopes lead" in said
    without = dataclasses.replace(OF_COUNTS, has_row_effects=False)
    assert "the one towards which slopes sum to more than 0" in " ".join(scale_facts(without))
    assert GIVEN_SLOPES in said
    assert "numbers of columns are expected counts, in rows with an average effect" in said
    for word in ("discrimination", "difficult", "log-odds", "percentages"):
        assert word not in said
    lines = lines_of(OF_COUNTS)
    assert lines["more at high end"] == "'tax' 40 (low end: 0.3)"
    assert lines["more at low end"] == "'war' 60 (high end: 1.2)"
    table = parameter_table(OF_COUNTS)
    assert table.head == ["column", "slope", "level", "mean at low end", "at high end"]
    level = 2 * np.exp(-1)
    assert table.rows[0] == ["tax", "2.00", f"{level:.2g}", "0.3", "40"]
    assert table.caption == ["logarithm of an expected count = logarithm of the level + slope · position + row effect"]
    alike = dataclasses.replace(OF_COUNTS, high=OF_COUNTS.low * 1.5)
    assert lines_of(alike)["columns"] == "of none 2 times as many are expected at one end as at the other"


@pytest.mark.parametrize(
    ("count", "said"),
    [(1e-9, "<0.001"), (0.0014, "0.0014"), (0.3, "0.3"), (9.94, "9.9"), (12.4, "12"), (34619, "34,619")],
)
def test_expected_counts_have_two_digits_or_are_whole_and_never_an_exponent(count, said):
    assert COUNTS.text(count) == said


def test_an_axis_that_is_how_much_was_counted_is_called_so_where_no_effect_takes_it_out():
    without = dataclasses.replace(OF_COUNTS, has_row_effects=False)
    told = [each for each in scale_facts(without) if "sums" in each]
    said = "rows differ much as the logarithms of their sums do (r = {}): by how much was counted, which effects of"
    assert told == [f"along the axis {said.format('0.90')} rows would take out"]
    both = dataclasses.replace(without, kept=2, mean_correlation=np.array([0.6, -0.7]))
    assert f"along one direction of the axes {said.format('0.92')} rows would take out" in scale_facts(both)
    assert not [each for each in scale_facts(OF_COUNTS) if "sums" in each]
    unlike = dataclasses.replace(without, mean_correlation=np.array([0.79, 0.9]))
    assert not [each for each in scale_facts(unlike) if "sums" in each]
