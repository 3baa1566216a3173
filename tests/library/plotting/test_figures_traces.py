"""The traces on made-up chains: every line, the shading, the verdict on the chains, the page."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import legend_texts, texts_of
from matplotlib.colors import to_hex

from nbmf.errors import DataError
from nbmf.plotting import style, traces

LABELS = {"dir-dir-gs": "Dir-Dir GS", "beta-dir-gs": "Beta-Dir GS"}
DATASETS = ["animals", "lastfm", "paleo", "parliament", "unvotes", "unvotes_coldwar"]
SIZE = {"animals": 2e3, "lastfm": 6e4, "paleo": 3e4, "parliament": 8e3, "unvotes": 3e5, "unvotes_coldwar": 9e4}


def made_up(datasets=DATASETS, method="dir-dir-gs", seeds=4, K=100):
    iterations = np.arange(1, 101) * 50
    frames = [
        pd.DataFrame(
            {
                "dataset": dataset,
                "method": method,
                "K": K,
                "seed": seed,
                "iteration": iterations,
                "perplexity": 0.1 + 0.5 * np.exp(-iterations / 500) + seed / 1000,
                "objective": -SIZE[dataset] * (1 + 9 * np.exp(-iterations / 100) + seed / 100),
                "active_components": 10 + seed + (100 * np.exp(-iterations / 300)).astype(int),
            }
        )
        for dataset in datasets
        for seed in range(seeds)
    ]
    return pd.concat(frames, ignore_index=True)


def verdicts(not_converged=(), r_hat=1.0042, ess=812.4):
    rows = [(d, "dir-dir-gs", r_hat, ess, d not in not_converged) for d in DATASETS]
    rows += [(d, "beta-dir-gs", 9.0, 9.0, False) for d in DATASETS]  # of another method
    return pd.DataFrame(rows, columns=["dataset", "method", "r_hat", "ess_bulk", "converged"])


def grid(figure):
    return np.array(figure.axes).reshape(3, -1)


def chains(axis):
    return [line for line in axis.lines if len(line.get_xdata()) > 2]


def test_one_of_several_methods_is_drawn():
    both = pd.concat([made_up(["animals"]), made_up(["paleo"], method="beta-dir-gs")])
    figure = traces.draw_method(both, verdicts(), "beta-dir-gs", "Beta-Dir GS", 4000)
    assert [axis.get_title() for axis in grid(figure)[0]] == ["paleo\nK = 100"]
    assert figure.get_suptitle() == "Beta-Dir GS"


def test_a_column_per_dataset_a_row_per_quantity_a_line_per_seed():
    given = made_up()
    figure = traces.draw(given.sample(frac=1, random_state=0).sort_values("dataset"), verdicts(), LABELS, 4000)
    axes = grid(figure)
    assert [axis.get_title() for axis in axes[0]] == [f"{name}\nK = 100" for name in DATASETS]
    assert figure.get_suptitle() == "Dir-Dir GS"
    units = {"objective": 1000, "perplexity": 1, "active_components": 1}
    for axis, (column, unit) in zip(axes[:, 2], units.items(), strict=True):
        assert len(chains(axis)) == 4
        for seed, line in enumerate(chains(axis)):
            own = given[(given["dataset"] == "paleo") & (given["seed"] == seed)]
            np.testing.assert_array_equal(line.get_xdata(), own["iteration"])
            np.testing.assert_allclose(line.get_ydata(), own[column] / unit)
            assert line.get_color() == style.COLOURS[seed]
    assert "1000 nats" in axes[0, 0].get_ylabel()
    assert legend_texts(figure) == ["seed 0", "seed 1", "seed 2", "seed 3", "burn-in"]


def test_burn_in_is_shaded_where_there_is_one():
    for axis in traces.draw(made_up(), verdicts(), LABELS, 4000).axes:
        (shade,) = axis.patches
        assert (shade.get_x(), shade.get_width()) == (0, 4000)
        assert axis.get_xlim() == (0, 5000)
    figure = traces.draw(made_up(), verdicts(), LABELS, 0)
    assert not any(axis.patches for axis in figure.axes)
    assert "burn-in" not in legend_texts(figure)


def test_the_first_iterations_do_not_set_the_range():
    given = made_up(["paleo"])
    figure = traces.draw(given, verdicts(), LABELS, 4000)
    later = given.loc[given["iteration"] >= 500, "objective"] / 1000
    low, high = grid(figure)[0, 0].get_ylim()
    assert low < later.min() < later.max() < high
    assert high - low < 1.3 * (later.max() - later.min())


def test_the_diagnostics_of_this_method_are_printed():
    axes = grid(traces.draw(made_up(), verdicts(), LABELS, 4000))
    for axis in axes[0]:
        (text,) = axis.texts
        assert text.get_text() == "R̂ 1.004, ESS 812"
    assert not any(axis.texts for axis in axes[1:].flat)


def test_chains_that_have_not_converged_are_flagged():
    axes = grid(traces.draw(made_up(), verdicts(["paleo"], ess=1234.0), LABELS, 4000))
    (text,) = axes[0, 2].texts
    assert text.get_text() == "R̂ 1.004, ESS 1,234\nNOT CONVERGED"
    assert to_hex(text.get_color()) == traces.ALARM.lower()
    alarmed = np.array(
        [[to_hex(axis.spines["left"].get_edgecolor()) == traces.ALARM.lower() for axis in row] for row in axes]
    )
    assert alarmed[:, 2].all()
    assert alarmed.sum() == 3


def test_unknown_diagnostics_are_said_to_be_undefined():
    given = verdicts(DATASETS, r_hat=np.nan, ess=np.nan)
    (text,) = grid(traces.draw(made_up(), given, LABELS, 4000))[0, 0].texts
    assert text.get_text() == "R̂ not defined\nESS not defined\nNOT CONVERGED"


def test_without_diagnostics_nothing_is_claimed():
    axes = grid(traces.draw(made_up(), verdicts()[:0], LABELS, 4000))
    assert not any(axis.texts for axis in axes.flat)


def test_a_quantity_that_was_not_recorded():
    given = made_up(["paleo"])
    given["objective"] = None
    axes = grid(traces.draw(given, verdicts()[:0], LABELS, 4000))
    assert [text.get_text() for text in axes[0, 0].texts] == ["not recorded"]
    assert not axes[1, 0].texts


def test_a_quantity_that_never_changes():
    given = made_up(["paleo"]).assign(active_components=2)
    axis = grid(traces.draw(given, verdicts(), LABELS, 4000))[2, 0]
    low, high = axis.get_ylim()
    assert low < 2 < high
    assert [tick for tick in axis.get_yticks() if low <= tick <= high] == [2]  # 1.5 components there are not


@pytest.mark.parametrize("count", [1, 2, 6])
@pytest.mark.parametrize("of_chains", [(np.nan, np.nan), (2.644, 1234.0)])
def test_every_text_is_on_the_page_and_over_no_other(count, of_chains):
    figure = traces.draw(made_up(DATASETS[:count], seeds=10), verdicts(DATASETS, *of_chains), LABELS, 4000)
    figure.draw_without_rendering()
    assert figure.get_size_inches()[0] == style.PAGE_WIDTH
    texts = [text for axis in figure.axes for text in texts_of(axis)]
    texts = [text for text in texts if text.get_text() and text.get_visible()]
    ticks = {id(label) for axis in grid(figure)[:-1].flat for label in axis.get_xticklabels()}
    boxes = [text.get_window_extent() for text in texts if id(text) not in ticks]  # shared below
    boxes.append(figure.legends[0].get_window_extent())
    canvas = figure.bbox.padded(1)
    for i, box in enumerate(boxes):
        assert canvas.x0 <= box.x0 < box.x1 <= canvas.x1
        assert canvas.y0 <= box.y0 < box.y1 <= canvas.y1
        assert not any(box.overlaps(other) for other in boxes[:i])
    for axis in grid(figure)[0]:
        panel, text = axis.get_window_extent(), axis.texts[0].get_window_extent()
        assert panel.y1 < text.y0, "on the chains"
        assert panel.x0 - 1 <= text.x0 < text.x1 <= panel.x1 + 1


def test_refusals():
    both = pd.concat([made_up(), made_up(method="beta-dir-gs")])
    with pytest.raises(DataError, match="one method per figure, not dir-dir-gs, beta-dir-gs"):
        traces.draw(both, verdicts(), LABELS, 4000)
    with pytest.raises(DataError, match="not none"):
        traces.draw(both[:0], verdicts(), LABELS, 4000)
    several = pd.concat([made_up(), made_up(["paleo"], K=50)])
    with pytest.raises(DataError, match="several K for paleo"):
        traces.draw(several, verdicts(), LABELS, 4000)


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_saved_twice_the_bytes_are_the_same(tmp_path, suffix):
    for name in ("one", "other"):
        figure = traces.draw(made_up(DATASETS[:2]), verdicts(), LABELS, 4000)
        style.save(figure, tmp_path / f"{name}.{suffix}")
    one, other = ((tmp_path / f"{n}.{suffix}").read_bytes() for n in ("one", "other"))
    assert one == other
