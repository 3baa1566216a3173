"""The pictures of a fit."""

from pathlib import Path
from typing import TYPE_CHECKING

from nbmf import plot
from nbmf.cli.output import OutputFolder
from nbmf.cli.plot import DICTIONARY, RECONSTRUCTION, TRACES
from nbmf.plots import style

if TYPE_CHECKING:
    from nbmf.cli.fit import Result


def draw(folder: OutputFolder, result: "Result") -> dict[str, Path]:
    """Draw and write the pictures; return their files by what they show."""
    model, matrix, groups = result.fitted.model, result.matrix, result.column_groups
    axes = {
        DICTIONARY: plot.dictionary(model, matrix, column_groups=groups),
        RECONSTRUCTION: plot.reconstruction(model, matrix, column_groups=groups),
    }
    words = {"W and H": DICTIONARY, "V and E[V]": RECONSTRUCTION}
    chains = result.fitted.chains
    if chains is not None and chains.sampled:
        axes[TRACES] = plot.chains(chains)
        words["what the chains recorded"] = TRACES
    for name, (axis, *_) in axes.items():
        folder.write(name, lambda path, axis=axis: style.save(axis.figure, path))
    return {shown: folder.path / name for shown, name in words.items()}
