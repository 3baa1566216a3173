"""Draw what comes out of a fit, for the first page: docs/figures/landing.png.

    python docs/landing.py

V ≈ WH of the example `votes`: the matrix with its rows and columns put in order, how each country
is made up of components, and how probable a yes of each component is on every roll call.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from publish import compress

import nbmf
from nbmf.plotting import style

TARGET = Path(__file__).resolve().parent / "figures/landing.png"
# What we call the component of which each of these countries has most.
NAMES = {"Sudan": "non-aligned", "Honduras": "Latin America", "Hungary": "Soviet bloc", "France": "the West"}
MISSING = (1.0, 0.93, 0.8)


def main() -> None:
    """Fit, draw and save."""
    V = nbmf.load_example("votes")
    model = nbmf.BetaDirVB(alpha="learn-columns", beta="learn-columns", mean_change_tol=1e-4, random_state=0).fit(V)
    names = list(V.row_names)
    components = [model.W_[names.index(country)].argmax() for country in NAMES]
    if len(set(components)) != model.active_components_:
        raise SystemExit(f"the components of {', '.join(NAMES)} are {components}")
    W, H = model.W_[:, components], model.H_[components]
    rows = np.lexsort((-W.max(axis=1), W.argmax(axis=1)))
    columns = np.argsort(H[3] - H[2], kind="stable")
    figure = drawn(V.codes[np.ix_(rows, columns)], W[rows], H[:, columns], V.row_names[rows])
    style.save(figure, TARGET, dpi=170)
    compress(TARGET, TARGET)


@style.in_style
def drawn(codes: np.ndarray, W: np.ndarray, H: np.ndarray, countries: np.ndarray) -> plt.Figure:
    """Return the figure: V on the left, W in the middle, H above V's columns again."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9, 6), width_ratios=[4, 1.6, 4], layout="constrained")
    grey = np.repeat(np.where(codes == 1, 0.0, 1.0)[:, :, None], 3, axis=2)
    grey[codes == -1] = MISSING
    shown = {"aspect": "auto", "interpolation": "nearest"}
    left.imshow(grey, **shown)
    left.set_title("V: yes black, no white, missing pale", fontsize=9)
    left.set_xlabel("72 roll calls")
    left.set_yticks(range(0, len(countries), 3), countries[::3], fontsize=6)
    middle.imshow(W, cmap="gray_r", vmin=0, vmax=1, **shown)
    middle.set_title("≈  W: who is what", fontsize=9)
    middle.set_xticks(range(len(NAMES)), NAMES.values(), rotation=90)
    middle.set_yticks([])
    right.imshow(np.repeat(H, 25, axis=0), cmap="gray_r", vmin=0, vmax=1, **shown)
    right.set_title("×  H: how probable a yes is", fontsize=9)
    right.set_yticks([12 + 25 * k for k in range(len(NAMES))], NAMES.values())
    right.yaxis.tick_right()
    right.set_xlabel("72 roll calls")
    for axis in (left, right):
        axis.set_xticks([])
    for axis in (left, middle, right):
        axis.tick_params(length=0)
    return figure


if __name__ == "__main__":
    main()
