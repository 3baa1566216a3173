"""A page of tables, rows to look up and a picture, made without a fit: names are hostile, places are known."""

import matplotlib.pyplot as plt
import numpy as np

from nbmf.plotting import places, style
from nbmf.posterior.nearest import nearest_rows
from nbmf.reporting.model import Answer, Figure, Lines, Lookup, Measure, Report, Section, Table

HOSTILE = '</script><script>hacked = 1</script><img src=x onerror="hacked = 1">&'
LINES = 12
RED = 7  # the row of the picture that is red
SCORES = ["-0.20 ± 0.10", "0.003", "", "<1%", "12.5", "-3.00 [-4.00, -2.00]", ">99%", "1", "b", "3"]


def named(number):
    return f"row {number} {HOSTILE}"


def lookup(n=LINES, noun="row"):
    """Return rows on one axis: row i is at i, so that its neighbours are those before and after it."""
    positions = np.arange(n, dtype=float)
    near = nearest_rows(positions[:, None], 2)
    return Lookup(
        noun=noun,
        names=np.array([named(i) for i in range(n)]),
        total=n,
        measures=[Measure("axis 1", positions, positions - 0.5, positions + 0.5)],
        sentences=[f"Where a {noun} is: {HOSTILE}"],
        places=np.arange(n),
        nearest=near.places,
        distances=near.values,
        distance="difference",
        groups=np.array([f"group {i % 2}" for i in range(n)]),
    )


def picture(path):
    """Draw LINES rows as an image, one of them red, and a point of row 0 at the upper right; return the path."""
    figure, axes = plt.subplots(1, 2, figsize=(6, 4))
    colours = np.ones((LINES, 1, 3))
    colours[RED] = 1, 0, 0
    axes[0].imshow(colours, aspect="auto")
    axes[0].set(xticks=[], yticks=range(LINES), yticklabels=["a long name that is cut …"] * LINES)
    places.note(axes[0], "row", np.arange(LINES), y=np.arange(LINES))
    axes[1].scatter([1.0, 0.0], [1.0, 0.0], color=["blue", "green"])
    places.note(axes[1], "row", np.array([0, 5]), x=np.array([1.0, 0.0]), y=np.array([1.0, 0.0]))
    style.save(figure, path)
    return path


def report(folder):
    """Return the report, with its picture in a folder."""
    scores = Table(["method", "score"], [[f"method {i}", text] for i, text in enumerate(SCORES)], "<>", [HOSTILE])
    wide = Table([f"a column {i}" for i in range(30)], [["0.123 [0.1, 0.2]"] * 30] * 3, ">" * 30)
    return Report(
        f"made {HOSTILE}",
        [
            Section("", [Answer("found", True, scores, HOSTILE)]),
            Section("Look up a row", [lookup()]),
            Section("Pictures", [Figure(picture(folder / "a.png"), f"A picture: {HOSTILE}")]),
            Section("More", [Lines(["a sentence"]), wide]),
        ],
        ["nbmf fit"],
    )
