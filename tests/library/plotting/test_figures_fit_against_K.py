"""The loss against K on made-up fits: every dot, the best line, the rings, the page."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_tidy, legend_texts, panels

from nbmf.plotting import fit_against_K, style

LABELS = {"bica": "bICA", "logpca": "logPCA"}
COLOURS = {"bica": "#E69F00", "logpca": "#7F7F7F", "lda": "#000000"}
SHOWN = {"parliament": {"bica": 8, "logpca": 8}, "paleo": {"bica": 4, "logpca": 7}}
DATASETS = ["parliament", "unvotes_coldwar", "paleo"]


def made_up(datasets=DATASETS, methods=("logpca", "bica"), seeds=3):
    rows = [
        (dataset, method, K, seed, 10 ** (4 + i) * (1 + 1 / K + seed / 100 + (method == "bica")))
        for i, dataset in enumerate(datasets)
        for K in range(12, 1, -1)  # in no good order
        for method in methods
        for seed in range(seeds if method == "bica" else 1)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "K", "seed", "loss"])


def lines(axis, marker):
    return [line for line in axis.lines if line.get_marker() == marker]


def test_one_panel_per_dataset():
    figure = fit_against_K.draw(made_up(), LABELS, COLOURS, SHOWN)
    assert list(panels(figure)) == DATASETS
    assert_tidy(figure)


def test_a_dot_per_fit_and_a_line_through_the_best():
    scores = made_up()
    axis = panels(fit_against_K.draw(scores, LABELS, COLOURS, SHOWN))["paleo"]
    for method, dots, line in zip(LABELS, lines(axis, "."), lines(axis, "None"), strict=True):
        fits = scores[(scores["dataset"] == "paleo") & (scores["method"] == method)]
        assert sorted(zip(*dots.get_data(), strict=True)) == sorted(zip(fits["K"], fits["loss"], strict=True))
        assert line.get_xdata().tolist() == list(range(2, 13))
        best = [fits.loc[fits["K"] == K, "loss"].min() for K in range(2, 13)]
        assert line.get_ydata().tolist() == best
        assert dots.get_color() == line.get_color() == COLOURS[method]


def test_the_axis_starts_at_zero_and_says_what_it_shows():
    axis = panels(fit_against_K.draw(made_up(), LABELS, COLOURS, SHOWN))["parliament"]
    assert axis.get_ylim()[0] == 0
    assert axis.get_xlabel() == "K"
    assert axis.get_ylabel() == "D(V|V̂) (nats)"


def test_the_shown_K_is_ringed_at_its_best_fit():
    scores = made_up()
    axes = panels(fit_against_K.draw(scores, LABELS, COLOURS, SHOWN))
    rings = [(ring.get_xdata()[0], ring.get_ydata()[0]) for ring in lines(axes["paleo"], "o")]
    own = scores[scores["dataset"] == "paleo"].groupby(["method", "K"])["loss"].min()
    assert rings == [(4, own["bica", 4]), (7, own["logpca", 7])]
    assert not lines(axes["unvotes_coldwar"], "o")


def test_the_legend():
    best = " (line: best of seeds)"
    figure = fit_against_K.draw(made_up(), LABELS, COLOURS, SHOWN)
    assert legend_texts(figure) == ["bICA" + best, "logPCA" + best, "K of the dictionaries shown"]
    assert len(legend_texts(fit_against_K.draw(made_up(), LABELS, COLOURS, {}))) == 2


def test_methods_without_a_label_and_K_without_a_fit_are_not_drawn():
    scores = made_up(methods=("bica", "lda"))
    scores = pd.concat([scores, made_up(["animals"], methods=("lda",))])
    assert "animals" not in panels(fit_against_K.draw(scores, LABELS, COLOURS, {}))
    shown = {"paleo": {"bica": 20, "logpca": 7}}
    axis = panels(fit_against_K.draw(scores, LABELS, COLOURS, shown))["paleo"]
    assert sum(len(line.get_xdata()) for line in lines(axis, ".")) == 11 * 3
    assert not lines(axis, "o")


@pytest.mark.parametrize("count", [1, 2, 4])
def test_other_numbers_of_datasets(count):
    datasets = [f"dataset {i}" for i in range(count)]
    figure = fit_against_K.draw(made_up(datasets), LABELS, COLOURS, {})
    assert list(panels(figure)) == datasets
    assert_tidy(figure)


def test_a_single_K_is_a_dot():
    scores = made_up()[lambda s: s["K"] == 5]
    axis = panels(fit_against_K.draw(scores, LABELS, COLOURS, SHOWN))["paleo"]
    assert np.isfinite(axis.get_xlim()).all()
    assert {x for line in lines(axis, ".") for x in line.get_xdata()} == {5}


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_saved_twice_the_bytes_are_the_same(tmp_path, suffix):
    for name in ("one", "other"):
        figure = fit_against_K.draw(made_up(), LABELS, COLOURS, SHOWN)
        style.save(figure, tmp_path / f"{name}.{suffix}")
    one, other = ((tmp_path / f"{n}.{suffix}").read_bytes() for n in ("one", "other"))
    assert one == other
