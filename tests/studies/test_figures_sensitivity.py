"""The sensitivity experiment of section 6.2, on tiny toy data, and its figure."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_tidy, legend_texts, panels
from matplotlib.colors import to_hex

from nbmf.errors import ConfigError
from nbmf.plotting import style
from nbmf_studies.lumbreras2020 import sensitivity
from nbmf_studies.lumbreras2020 import sensitivity_fits as experiment
from nbmf_studies.lumbreras2020.sensitivity_fits import run_sensitivity

BRIEF = {"burn_in": 10, "n_samples": 10}
METHODS = {
    "beta-dir-gs": ("BetaDirGibbs", BRIEF | {"alpha": 7, "gamma": "1/K"}),
    "beta-dir-vb": ("BetaDirVB", {"max_iter": 10}),
    "dir-beta-vb": ("DirBetaVB", {"max_iter": 10}),
    "dir-dir-gs": ("DirDirGibbs", BRIEF),
}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def run(sizes=(12, 16), concentrations=(0.1, 1, 10), masks=2, methods=METHODS):
    return run_sensitivity(sizes, 3, concentrations, masks, methods, log=lambda line: None)


def scores_of(rows):
    """Return what does not depend on the clock, by key."""
    key = ("size", "method", "concentration", "mask")
    return {tuple(row[name] for name in key): row["perplexity"] for row in rows}


def test_one_row_per_fit_and_one_for_the_truth():
    rows = run()
    expected = {
        (size, method, concentration, mask)
        for size in (12, 16)
        for method in METHODS
        for concentration in (None, 0.1, 1.0, 10.0)
        for mask in (0, 1)
    }
    assert len(rows) == len(expected)
    assert set(scores_of(rows)) == expected
    assert all(0.2 < row["perplexity"] < 2 for row in rows)
    assert all((row["seconds"] is None) == (row["concentration"] is None) for row in rows)
    assert tuple(rows[0]) == experiment.COLUMNS


def test_the_rows_repeat_whatever_else_is_run():
    all_rows = scores_of(run())
    some = scores_of(run(sizes=(16,), concentrations=(10,), masks=1, methods={"dir-dir-gs": METHODS["dir-dir-gs"]}))
    assert some.items() <= all_rows.items()
    assert len(set(all_rows.values())) > len(all_rows) / 2


def test_methods_of_one_model_see_the_same_data():
    scores = scores_of(run(concentrations=()))
    for size in (12, 16):
        for mask in (0, 1):
            truth = {name: scores[size, name, None, mask] for name in METHODS}
            assert truth["beta-dir-gs"] == truth["beta-dir-vb"]
            assert len(set(truth.values())) == 3


def test_all_concentrations_of_the_estimator_are_set(monkeypatch):
    made = []

    def make_estimator(class_name, K, settings, seed):
        made.append((class_name, K, settings, seed.entropy))
        return real(class_name, K, settings, seed)

    real = experiment.make_estimator
    monkeypatch.setattr(experiment, "make_estimator", make_estimator)
    run(sizes=(12,), concentrations=(0.5, 2), masks=1)
    settings = [settings for _, _, settings, _ in made]
    assert settings[0] == BRIEF | {"alpha": 0.5, "beta": 0.5, "gamma": 0.5}
    assert settings[-1] == BRIEF | {"gamma": 2, "eta": 2}
    assert settings[4] == {"max_iter": 10, "alpha": 0.5, "beta": 0.5, "eta": 0.5}
    assert made[0][3] == made[1][3] != made[2][3]  # one start per method, for all concentrations


@pytest.mark.parametrize("model", ["beta-dir", "dir-beta", "dir-dir"])
def test_toy_data_are_drawn_from_the_truth(model):
    truth, matrix, mask = experiment._toy(model, 200, 4, 0)
    assert truth.shape == matrix.shape == mask.shape == (200, 200)
    assert abs(mask.mean() - 0.25) < 0.01
    # The squared error of truth as a forecast of V is the mean variance of V, to 4 of its own sd.
    variance = truth * (1 - truth)
    error = (matrix.codes - truth) ** 2 - variance
    assert abs(error.mean()) < 4 * np.sqrt((variance * (1 - 2 * truth) ** 2).sum()) / error.size
    if model != "dir-dir":  # the factor that is Beta(1, 1) gives its side the larger variance
        rows, columns = truth.mean(axis=1).var(), truth.mean(axis=0).var()
        assert (rows > columns) == (model == "dir-beta")
    else:  # on average, the product of two points of the simplex is 1/K
        assert abs(truth.mean() - 0.25) < 0.01


def test_a_good_prior_comes_near_the_truth():
    methods = {"beta-dir-gs": ("BetaDirGibbs", {"burn_in": 200, "n_samples": 200})}
    scores = scores_of(run_sensitivity([80], 2, [1], 1, methods, log=lambda line: None))
    best, found = scores[80, "beta-dir-gs", None, 0], scores[80, "beta-dir-gs", 1.0, 0]
    assert best - 0.01 < found < best + 0.05


@pytest.mark.parametrize("name", ["LogisticPCA", "LDA"])
def test_a_method_without_a_model_of_ours_is_refused_before_anything_runs(name):
    with pytest.raises(ConfigError, match=f"{name} is of none of the models beta-dir"):
        run(methods=METHODS | {"other": (name, {})})


def test_the_log_names_each_fit():
    lines = []
    run_sensitivity([12], 2, [0.1], 1, {"vb": METHODS["beta-dir-vb"]}, log=lines.append)
    (line,) = lines
    assert line.startswith("12 x 12, mask 0, vb, concentration 0.1: 0.")


# --- The figure ------------------------------------------------------------------------------

LABELS = {"beta-dir-gs": "Beta-Dir GS", "beta-dir-vb": "Beta-Dir VB", "dir-dir-gs": "Dir-Dir GS"}
COLOURS = dict(zip(LABELS, style.COLOURS, strict=False))
CONCENTRATIONS = [0.1, 0.3, 1, 3, 10]


def made_up(sizes=(25, 50, 100, 200), masks=3):
    """Return scores that rise by 1 / size per method and step; masks are 0.01 apart."""
    rows = [
        (size, method, concentration, mask, 0.5 + step * (m + 1) / size + mask / 100, 1.0)
        for size in sizes
        for m, method in enumerate(LABELS)
        for step, concentration in enumerate([np.nan, *CONCENTRATIONS], start=-1)
        for mask in range(masks)
    ]
    return pd.DataFrame(rows, columns=experiment.COLUMNS)


def test_a_panel_per_size_with_means_and_spread():
    figure = sensitivity.draw(made_up(), LABELS, COLOURS)
    axes = panels(figure)
    assert list(axes) == ["25 × 25", "50 × 50", "100 × 100", "200 × 200"]
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


def test_the_change_is_that_of_means_and_leaves_out_the_truth():
    scores = pd.DataFrame(
        [
            (9, "a", np.nan, 0, 0.1, 0),
            (9, "a", 1, 0, 0.5, 0),
            (9, "a", 1, 1, 0.7, 0),
            (9, "a", 10, 0, 0.8, 0),
            (9, "a", 10, 1, 0.6, 0),
            (9, "b", 1, 0, 0.3, 0),
            (9, "b", 10, 0, 0.25, 0),
        ],
        columns=experiment.COLUMNS,
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
    assert axis.get_ylabel() == "held-out perplexity\n(nats per entry)"
    ticks = [text.get_text() for text in axis.get_xticklabels()]
    assert ticks == ["0.1", "0.3", "1", "3", "10"]


@pytest.mark.parametrize("sizes", [(25,), (25, 50), (25, 50, 100, 200), (10, 25, 50, 100, 200)])
@pytest.mark.parametrize("masks", [1, 3])
def test_the_figure_is_tidy(sizes, masks):
    figure = sensitivity.draw(made_up(sizes, masks), LABELS, COLOURS)
    assert len(panels(figure)) == len(sizes)
    assert_tidy(figure)
