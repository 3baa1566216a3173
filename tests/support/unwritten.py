"""Memory that tells: what a loop over blocks leaves out is NaN, not what happened to be there."""

import numpy as np


def signal_unwritten(monkeypatch) -> None:
    """Let np.empty give arrays whose floats are NaN until they are written."""
    empty = np.empty

    def signalling(*arguments, **options):
        array = empty(*arguments, **options)
        if array.dtype.kind == "f":
            array.fill(np.nan)
        return array

    monkeypatch.setattr(np, "empty", signalling)
