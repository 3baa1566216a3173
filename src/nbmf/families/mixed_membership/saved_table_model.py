"""The part of FeatureModel that writes and takes over what was learned."""

import os
from typing import Any, Self

import numpy as np

from nbmf.errors import ConfigError, DataError
from nbmf.families.mixed_membership.features import Densities
from nbmf.inference import model_file
from nbmf.inference.model_file import Model, is_learned

LAWS_OF = "laws."  # before the names of arrays of `densities_` in a file
LEARNED = {
    *("memberships_", "means_", "prior_", "bound_", "objective_", "distinct_components_"),
    *("n_iter_", "converged_", "kinds_", "column_names_", "sizes_", "categories_"),
}


class SavedTableModel:
    """A model of a table, which has laws of columns in the place of W and H."""

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to an NPZ file without pickles, atomically; `load` reads it.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ConfigError
            If a parameter is nothing that JSON can hold.
        """
        self._require_fit()
        learned = {key: value for key, value in vars(self).items() if is_learned(key)}
        laws = learned.pop("densities_").arrays()
        learned |= {LAWS_OF + key: array for key, array in laws.items()}
        model_file.write(path, Model(_name_of(type(self)), self.get_params(), learned))

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read a fitted model that `save` has written; nothing in the file is executed.

        Raises
        ------
        DataError
            If the file is damaged or has no such model; the message names it.
        """
        model = model_file.read(path)
        try:
            if model.class_name != _name_of(cls):
                raise DataError(f"a model of class {model.class_name!r}, not {_name_of(cls)!r}")
            made = cls(**model.parameters)
            made.check_parameters()
            made.restore(model.learned)
        except (TypeError, ConfigError, DataError) as error:
            raise DataError(f"{path}: {error}") from error
        return made

    def restore(self, learned: dict[str, Any]) -> None:
        """Take over what a file says was learned.

        Raises
        ------
        DataError
            If something is missing, or parts do not fit together.
        """
        laws = {k.removeprefix(LAWS_OF): v for k, v in learned.items() if k.startswith(LAWS_OF)}
        learned = {key: value for key, value in learned.items() if not key.startswith(LAWS_OF)}
        if learned.keys() != LEARNED:
            odd = sorted(learned.keys() ^ LEARNED)[0]
            raise DataError(f"{odd} is missing, or is nothing that is learned")
        try:
            densities = Densities.of_arrays(laws)
            same = np.allclose(densities.mean(), learned["means_"], equal_nan=False)
            K, N = learned["means_"].shape
            fits = learned["memberships_"].shape[1:] == learned["prior_"].shape == (K,)
            fits &= learned["kinds_"].shape == learned["column_names_"].shape == (N,)
            fits &= learned["sizes_"].sum() == learned["categories_"].size
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise DataError(f"a learned array is not what it has to be ({error})") from error
        if not (same and fits):
            raise DataError("the laws, means, memberships and columns do not fit together")
        vars(self).update(learned, densities_=densities)


def _name_of(own: type) -> str:
    return f"{own.__module__}:{own.__qualname__}"
