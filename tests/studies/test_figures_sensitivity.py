"""The sensitivity experiment of section 6.2, on tiny toy data, and its figure."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, shipped_configuration
from figure_checks import assert_tidy, legend_texts, panels
from matplotlib.colors import to_hex

from nbmf.data.masks import draw_mask
from nbmf.fits import FitRequest, run_fit
from nbmf.plotting import style
from nbmf_studies.lumbreras2020 import sensitivity, sensitivity_data
from nbmf_studies.lumbreras2020.study import sensitivity_cases
from nbmf_studies.pipeline import configuration

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


CHOSEN = {
    "sizes": [12, 16],
    "K": 3,
    "concentrations": [0.1, 1, 10],
    "masks": 2,
    "methods": {
        "beta-dir-gs": {"burn_in": 10, "n_samples": 10},
        "beta-dir-vb": {"max_iter": 10},
        "dir-beta-vb": {"max_iter": 10},
        "dir-dir-gs": {"burn_in": 10, "n_samples": 10},
    },
}


def cases(**changes):
    """Return the cases of CHOSEN with some options replaced, by what tables say of them."""
    config = shipped_configuration()
    config["studies"]["lumbreras2020"]["options"]["sensitivity"] = CHOSEN | changes
    config = configuration.check(config, SCHEMA)
    found = list(sensitivity_cases(configuration.plans(config)["lumbreras2020"]))
    assert all(case.dataset["recipe"] == sensitivity_data.__name__ for case in found)
    return {tuple(case.columns.values()): case for case in found}


def test_one_fit_per_size_method_concentration_and_mask():
    assert set(cases()) == set(product((12, 16), CHOSEN["methods"], (0.1, 1, 10), (0, 1)))


def test_the_fits_are_the_same_whatever_else_is_run():
    some = cases(sizes=[16], concentrations=[10], masks=1, methods={"dir-dir-gs": CHOSEN["methods"]["dir-dir-gs"]})
    assert some.items() <= cases().items()


def test_methods_of_one_model_see_the_same_data():
    every = cases()
    for size, mask in product((12, 16), (0, 1)):
        keys = {name: every[size, name, 1, mask].key for name in CHOSEN["methods"]}
        assert keys["beta-dir-gs"].dataset == keys["beta-dir-vb"].dataset
        assert len({key.dataset for key in keys.values()}) == 3
        assert {key.mask for key in keys.values()} == {0}
    assert len({case.key.dataset for case in every.values()}) == 2 * 2 * 3


def test_all_concentrations_of_the_estimator_are_set_and_nothing_else_differs():
    every = cases(concentrations=[0.5, 2])
    one, other = (every[12, "beta-dir-gs", value, 0].method for value in (0.5, 2))
    assert one["settings"] == {"burn_in": 10, "n_samples": 10, "alpha": 0.5, "beta": 0.5, "gamma": 0.5}
    assert other == {**one, "settings": {"burn_in": 10, "n_samples": 10, "alpha": 2, "beta": 2, "gamma": 2}}
    assert one["starts_as"] == "beta-dir-gs"  # the same random numbers
    assert every[12, "dir-dir-gs", 2, 0].method["settings"] == {"burn_in": 10, "n_samples": 10, "gamma": 2, "eta": 2}
    assert every[12, "dir-beta-vb", 2, 0].method["settings"] == {"max_iter": 10, "alpha": 2, "beta": 2, "eta": 2}


@pytest.mark.parametrize("model", ["beta-dir", "dir-beta", "dir-dir"])
def test_toy_data_are_drawn_from_the_truth(model):
    truth, V = sensitivity_data._drawn(model, 200, 4, 0)
    np.testing.assert_array_equal(sensitivity_data.build(model=model, size=200, K=4, number=0).codes, V)
    assert (sensitivity_data._drawn(model, 200, 4, 1)[1] != V).any()
    # The squared error of truth as a forecast of V is the mean variance of V, to 4 of its own sd.
    variance = truth * (1 - truth)
    error = (V - truth) ** 2 - variance
    assert abs(error.mean()) < 4 * np.sqrt((variance * (1 - 2 * truth) ** 2).sum()) / error.size
    if model != "dir-dir":  # the factor that is Beta(1, 1) gives its side the larger variance
        rows, columns = truth.mean(axis=1).var(), truth.mean(axis=0).var()
        assert (rows > columns) == (model == "dir-beta")
    else:  # on average, the product of two points of the simplex is 1/K
        assert abs(truth.mean() - 0.25) < 0.01


def test_a_good_prior_comes_near_the_truth():
    options = {"model": "beta-dir", "size": 80, "K": 2, "number": 0}
    matrix = sensitivity_data.build(**options)
    settings = {"burn_in": 200, "n_samples": 200, "alpha": 1, "beta": 1, "gamma": 1}
    request = FitRequest(
        *("BetaDirGibbs", 2, settings, ["fit", "toy"]),
        measure=f"{sensitivity_data.__name__}:measure",
        arguments=options,
    )
    mask = draw_mask(matrix, 0.25, np.random.SeedSequence(0))
    report = run_fit(matrix, mask, request, log=[].append).report
    assert report["measures"]["truth"] - 0.01 < report["perplexity"] < report["measures"]["truth"] + 0.05


# --- The figure ------------------------------------------------------------------------------

LABELS = {"beta-dir-gs": "Beta-Dir GS", "beta-dir-vb": "Beta-Dir VB", "dir-dir-gs": "Dir-Dir GS"}
COLOURS = dict(zip(LABELS, style.COLOURS, strict=False))
COLUMNS = ["size", "method", "concentration", "mask", "perplexity", "truth"]
CONCENTRATIONS = [0.1, 0.3, 1, 3, 10]


def made_up(sizes=(25, 50, 100, 200), masks=3):
    """Return scores that rise by 1 / size per method and step from the truth; masks are 0.01 apart."""
    rows = [
        (size, method, concentration, mask, *(0.5 + at * (m + 1) / size + mask / 100 for at in (step, -1)))
        for size in sizes
        for m, method in enumerate(LABELS)
        for step, concentration in enumerate(CONCENTRATIONS)
        for mask in range(masks)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def test_a_panel_per_size_with_means_and_spread():
    figure = sensitivity.draw(made_up(), LABELS, COLOURS)
    axes = panels(figure)
    assert list(axes) == ["25 × 25", "50 × 50", "100 × 100", "200 × 200"]
    assert len({axis.get_ylim() for axis in axes.values()}) == 1
    for axis, size in zip(axes.values(), (25, 50, 100, 200), strict=True):
        for m, (bars, method) in enumerate(zip(axis.containers, LABELS, strict=True)):
            line, _, (spread,) = bars.lines
            assert to_hex(line.get_color()) == COLOURS[method].lower()
            assert line.get_xdata() == pytest.approx(CONCENTRATIONS, rel=0.05)
            means = 0.51 + np.arange(5) * (m + 1) / size
            assert line.get_ydata() == pytest.approx(means)
            ends = [segment[:, 1] for segment in spread.get_segments()]
            assert np.ptp(ends, axis=1) == pytest.approx(0.02)


def test_each_panel_states_the_largest_change():
    titles = [axis.get_title() for axis in sensitivity.draw(made_up(), LABELS, COLOURS).axes]
    assert titles[0] == "25 × 25\nlargest change 0.480\n(Dir-Dir GS)"
    assert titles[3] == "200 × 200\nlargest change 0.060\n(Dir-Dir GS)"


def test_the_change_is_that_of_means():
    scores = pd.DataFrame(
        [
            (9, "a", 1, 0, 0.5, 0),
            (9, "a", 1, 1, 0.7, 0),
            (9, "a", 10, 0, 0.8, 0),
            (9, "a", 10, 1, 0.6, 0),
            (9, "b", 1, 0, 0.3, 0),
            (9, "b", 10, 0, 0.25, 0),
        ],
        columns=COLUMNS,
    )
    change, method = sensitivity.largest_change(scores)
    assert (change, method) == (pytest.approx(0.1), "a")


def test_methods_that_are_not_drawn_do_not_count():
    labels = {"beta-dir-gs": "Beta-Dir GS"}
    figure = sensitivity.draw(made_up(), labels, COLOURS)
    assert "0.160\n(Beta-Dir GS)" in figure.axes[0].get_title()
    assert len(figure.axes[0].containers) == 1


def test_the_score_of_the_truth_is_dashed():
    axis = panels(sensitivity.draw(made_up(), LABELS, COLOURS))["25 × 25"]
    dashed = [line for line in axis.lines if line.get_linestyle() == "--"]
    heights = {to_hex(line.get_color()): line.get_ydata()[0] for line in dashed}
    expected = {COLOURS[name].lower(): 0.51 - (m + 1) / 25 for m, name in enumerate(LABELS)}
    assert heights == pytest.approx(expected)


def test_the_legend_and_axes_say_what_they_show():
    figure = sensitivity.draw(made_up(), LABELS, COLOURS)
    assert legend_texts(figure)[:3] == list(LABELS.values())
    assert legend_texts(figure)[3].startswith("the true WH")
    axis = figure.axes[0]
    assert axis.get_xlabel() == "assumed concentration"
    assert axis.get_ylabel() == "held-out log loss\n(nats per entry)"
    ticks = [text.get_text() for text in axis.get_xticklabels()]
    assert ticks == ["0.1", "0.3", "1", "3", "10"]


@pytest.mark.parametrize("sizes", [(25,), (25, 50), (25, 50, 100, 200), (10, 25, 50, 100, 200)])
@pytest.mark.parametrize("masks", [1, 3])
def test_the_figure_is_tidy(sizes, masks):
    figure = sensitivity.draw(made_up(sizes, masks), LABELS, COLOURS)
    assert len(panels(figure)) == len(sizes)
    assert_tidy(figure)
