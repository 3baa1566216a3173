"""Constructors that only store their parameters, as scikit-learn's do, written down as annotated attributes."""

import functools
from dataclasses import dataclass, field
from typing import dataclass_transform

import numpy as np

RandomState = int | np.random.SeedSequence | None


@dataclass_transform(eq_default=False, kw_only_default=True)
def with_parameters(cls: type) -> type:
    """Make the annotated attributes of a class, and those of its bases, the parameters of its constructor.

    Attributes have the defaults. All but `n_components` are given by name. Old names of parameters
    are taken as well, see `Parametrized.old_names`.
    """
    if "n_components" in vars(cls):
        cls.n_components = field(default=cls.n_components, kw_only=False)
    made = dataclass(eq=False, repr=False, match_args=False, kw_only=True)(cls)
    store = made.__init__

    @functools.wraps(store)
    def __init__(self, *args, **given):
        store(self, *args, **self.by_current_names(given))

    made.__init__ = __init__
    return made
