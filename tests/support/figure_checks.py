"""What every drawn figure has to satisfy: all of it inside the page, nothing over anything."""

from itertools import combinations

import matplotlib.pyplot as plt

from nbmf.plotting import style

# The workflow draws the figures of studies in the style (workflow/scripts/figure.py); so do tests.
plt.rcParams.update(style.RC)


def panels(figure):
    """Return the panels of a figure by the first line of their titles."""
    return {axis.get_title().split("\n")[0]: axis for axis in figure.axes if axis.axison}


def legend_texts(figure):
    """Return the texts of the only legend."""
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def assert_tidy(figure):
    """Check that panels and legend are apart, on the canvas, and that no two texts overlap."""
    figure.draw_without_rendering()
    canvas = figure.bbox.padded(1)
    boxes = [axis.get_tightbbox() for axis in panels(figure).values()]
    boxes += [legend.get_window_extent() for legend in figure.legends]
    texts = [text for axis in panels(figure).values() for text in texts_of(axis)]
    texts = [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]
    for box in boxes + texts:
        assert canvas.x0 <= box.x0 < box.x1 <= canvas.x1
        assert canvas.y0 <= box.y0 < box.y1 <= canvas.y1
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert not any(one.overlaps(other) for one, other in combinations(texts, 2))


def texts_of(axis):
    """Return titles, axis labels, labels of the ticks that are in view, and texts inside."""
    ticks = []
    for one in (axis.xaxis, axis.yaxis):
        low, high = sorted(one.get_view_interval())
        ticks += [tick.label1 for tick in one.get_major_ticks() if low <= tick.get_loc() <= high]
    return [axis.title, axis.xaxis.label, axis.yaxis.label, *ticks, *axis.texts]
