"""The pictures of a fit."""

from pathlib import Path
from typing import TYPE_CHECKING

from nbmf import plot
from nbmf.cli.output import OutputFolder
from nbmf.cli.plot import DICTIONARY, RECONSTRUCTION, TRACES
from nbmf.plotting import style

if TYPE_CHECKING:
    from nbmf.cli.fit import Result


def draw(folder: OutputFolder, result: "Result") -> dict[str, Path]:
    """Draw and write the pictures; return their files by their captions."""
    model, matrix, groups = result.fitted.model, result.matrix, result.column_groups
    axes = {DICTIONARY: plot.dictionary(model, matrix, column_groups=groups)}
    if result.fitted.expectation is not None:
        axes[RECONSTRUCTION] = plot.reconstruction(model, matrix, column_groups=groups)
    has_groups = matrix.row_groups is not None or groups is not None
    captions = {
        DICTIONARY: "W and H: what rows and columns are to each component. Its colour is the same in all pictures.",
        RECONSTRUCTION: "V and E[V]: the data and what is predicted, sorted alike. Strips are the "
        "components that rows and columns are most typical of"
        + (", and outside of these their groups." if has_groups else "."),
    }
    chains = result.fitted.chains
    if chains is not None and chains.sampled:
        axes[TRACES] = plot.chains(chains)
        captions[TRACES] = "Chains: what they recorded after burn-in. Red has not converged."
    for name, (axis, *_) in axes.items():
        folder.write(name, lambda path, axis=axis: style.save(axis.figure, path))
    return {captions[name]: folder.path / name for name in axes}
