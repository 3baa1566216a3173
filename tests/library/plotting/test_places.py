"""Where rows and columns are in a picture: the PNG says it, and its pixels are there."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_page import RED, picture
from PIL import Image

import nbmf
from nbmf.plotting import places, style


@pytest.fixture(autouse=True)
def no_screen():
    style.use_no_screen()


def noted(path):
    with Image.open(path) as image:
        return json.loads(image.text[places.KEY]), np.asarray(image.convert("RGB")).astype(int)


def colour_at(pixels, x, y):
    return pixels[round(y * pixels.shape[0]), round(x * pixels.shape[1])].tolist()


def test_what_is_noted_is_where_it_is_drawn(tmp_path):
    (lines, points), pixels = noted(picture(tmp_path / "a.png"))
    left, top, right, bottom = lines["box"]
    middle = (left + right) / 2
    assert colour_at(pixels, middle, lines["y"][RED]) == [255, 0, 0]
    assert colour_at(pixels, middle, lines["y"][RED - 1]) == [255, 255, 255]
    red = np.argwhere((pixels == [255, 0, 0]).all(axis=2)) / pixels.shape[:2]
    assert red[:, 1].min() == pytest.approx(left, abs=0.005)
    assert red[:, 1].max() == pytest.approx(right, abs=0.005)
    step = lines["y"][1] - lines["y"][0]
    assert np.ptp(red[:, 0]) == pytest.approx(step, abs=0.01)
    assert (bottom - top) == pytest.approx(12 * step, abs=0.01)
    assert points["at"] == [0, 5]
    assert colour_at(pixels, points["x"][0], points["y"][0]) == [0, 0, 255]
    assert colour_at(pixels, points["x"][1], points["y"][1]) == [0, 128, 0]


def test_a_picture_of_a_fit_has_numbers_and_no_names(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.arange(30) % 2
    p = np.where(kind[:, None] == np.arange(10) % 2, 0.9, 0.1)
    V = nbmf.BinaryMatrix.from_array((rng.random(p.shape) < p).astype(int), [f"secret{i}" for i in range(30)])
    model = nbmf.BetaDirVB(2, max_iter=50, random_state=0).fit(V)
    for name, axes in {
        "dictionary": nbmf.plot.dictionary(model, V, lines=20),
        "reconstruction": nbmf.plot.reconstruction(model, V),
    }.items():
        path = tmp_path / f"{name}.png"
        style.save(axes[0].figure, path)
        assert b"secret" not in path.read_bytes()
        panels, pixels = noted(path)
        kinds = [panel["kind"] for panel in panels]
        assert kinds == (["row", "column"] if name == "dictionary" else ["row", "column"] * 2)
        assert sorted(panels[1]["at"]) == list(range(10))
        if name == "dictionary":
            assert len(panels[0]["at"]) == 20
            continue
        rows, columns = panels[:2]  # of V itself: each pixel is the entry that is noted there
        for f, y in zip(rows["at"], rows["y"], strict=True):
            for n, x in zip(columns["at"], columns["x"], strict=True):
                assert (colour_at(pixels, x, y)[0] < 128) == (V.codes[f, n] == 1)


def test_of_many_rows_some_are_noted_evenly(monkeypatch):
    monkeypatch.setattr(places, "MOST", 5)
    figure, axis = plt.subplots()
    axis.set_ylim(0, 100)
    places.note(axis, "row", np.arange(100)[::-1], y=np.arange(100))
    (panel,) = json.loads(places.text_of(figure, 0.1, 100))
    assert panel["at"] == [99, 74, 49, 25, 0]
    assert np.diff(panel["y"]) == pytest.approx(np.mean(np.diff(panel["y"])), abs=0.01)
    plt.close(figure)


def test_a_picture_without_rows_says_nothing(tmp_path):
    figure, _ = plt.subplots()
    assert places.text_of(figure, 0.1, 100) == ""
    style.save(figure, tmp_path / "a.png", tmp_path / "a.pdf")
    with Image.open(tmp_path / "a.png") as image:
        assert places.KEY not in image.text
