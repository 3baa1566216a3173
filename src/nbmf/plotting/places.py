"""Where rows and columns of V are in a picture, so that a page can name what a pointer is on.

Drawing functions note it, `text_of` puts it in fractions of the picture, and `style.save` into the PNG: numbers of
rows and columns, no names.
"""

import json
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

KEY = "nbmf places"  # of the text in a PNG
MOST = 3000  # of a panel; of more some, evenly
DIGITS = 4  # of a fraction


class Place(NamedTuple):
    """Some rows, or columns, in a panel.

    kind : str, "row" or "column"
    numbers : int array (n,), theirs in V
    x, y : float arrays (n,), in the panel's data coordinates; None along which they extend
    """

    kind: str
    numbers: np.ndarray
    x: np.ndarray | None
    y: np.ndarray | None


_noted: WeakKeyDictionary[Axes, list[Place]] = WeakKeyDictionary()


def note(
    axis: Axes, kind: str, numbers: np.ndarray, *, x: np.ndarray | None = None, y: np.ndarray | None = None
) -> None:
    """Note where rows or columns are drawn: lines at `y` or at `x`, or points at both."""
    if len(numbers) > MOST:
        some = np.linspace(0, len(numbers) - 1, MOST).round().astype(int)
        numbers, x, y = (None if each is None else np.asarray(each)[some] for each in (numbers, x, y))
    _noted.setdefault(axis, []).append(Place(kind, np.asarray(numbers), x, y))


def text_of(figure: Figure, padding: float, dpi: float) -> str:
    """Return what is noted of a figure as JSON, "" if nothing is.

    Coordinates are fractions of the picture from its upper left corner, of one that is cut to what is drawn with
    `padding` inches around it, at `dpi`: how wide texts are depends on it a little.
    """
    if not any(axis in _noted for axis in figure.axes):
        return ""
    before, figure.dpi = figure.dpi, dpi
    figure.draw_without_rendering()
    cut = figure.get_tightbbox(figure.canvas.get_renderer()).padded(padding)
    panels = [_panel(axis, place, cut) for axis in figure.axes for place in _noted.get(axis, ())]
    figure.dpi = before
    return json.dumps(panels, separators=(",", ":"))


def _panel(axis: Axes, place: Place, cut: Bbox) -> dict:
    """Return a panel's box and its rows or columns in fractions of the picture."""
    n = len(place.numbers)
    x, y = (np.zeros(n) if each is None else np.asarray(each, float) for each in (place.x, place.y))
    points = _fractions(axis, axis.transData.transform(np.column_stack([x, y])), cut)
    window = axis.get_window_extent()
    (left, bottom), (right, top) = _fractions(axis, window.get_points(), cut).tolist()
    panel = {"kind": place.kind, "box": [left, top, right, bottom], "at": place.numbers.tolist()}
    if place.x is not None:
        panel["x"] = points[:, 0].tolist()
    if place.y is not None:
        panel["y"] = points[:, 1].tolist()
    return panel


def _fractions(axis: Axes, pixels: np.ndarray, cut: Bbox) -> np.ndarray:
    """Return points of the screen (n, 2), as fractions from the left and from the top."""
    inches = pixels / axis.figure.dpi
    from_left = (inches[:, 0] - cut.x0) / cut.width
    return np.round(np.column_stack([from_left, (cut.y1 - inches[:, 1]) / cut.height]), DIGITS)
