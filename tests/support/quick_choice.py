"""Choosing among methods as `nbmf fit` does, in less time, for tests of what is made of a choice."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nbmf.catalogue import CANDIDATES, METHODS
from nbmf.inference import folds
from nbmf.inference.declarations import Inference
from nbmf.registry import estimator_class


@contextmanager
def choose_quickly() -> Iterator[None]:
    """Let the samplers among the candidates be brief, and hold a part of the entries out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folds, "ENTRIES_HELD_OUT", 120)
        patch.setattr(folds, "RARER_HELD_OUT", 0)
        for name in {name for names in CANDIDATES.values() for name in names}:
            if estimator_class(METHODS[name]["class"]).inference is Inference.SAMPLER:
                brief = METHODS[name]["settings"] | {"burn_in": 20, "n_samples": 40}
                patch.setitem(METHODS[name], "settings", brief)
        yield
