"""The part of FeatureModel that writes and takes over what was learned."""

from typing import Any

import numpy as np

from nbmf.errors import DataError
from nbmf.families.mixed_membership.features import Densities
from nbmf.families.mixed_membership.membership_parameters import MIXTURE
from nbmf.inference.model_file import Saved, is_learned

DENSITIES_PREFIX = "laws."  # before the names of arrays of `densities_` in a file
LEARNED = {
    "memberships_",
    "means_",
    "prior_",
    "bound_",
    "objective_",
    "objective_of_one_",
    "distinct_components_",
    "n_iter_",
    "converged_",
    "kinds_",
    "column_names_",
    "sizes_",
    "categories_",
}
# Arrays and their dimensions; single numbers, and the types JSON gives them.
NUMBERS = {"memberships_": 2, "prior_": 1}
SCALARS = {
    **{"bound_": (float,), "objective_": (float,), "distinct_components_": (int,)},
    **{"objective_of_one_": (float, type(None)), "n_iter_": (int,), "converged_": (bool, type(None))},
}


class SavedTableModel(Saved):
    """A model of a table, which has distributions of columns instead of W and H."""

    def _learned(self) -> dict[str, Any]:
        learned = {key: value for key, value in vars(self).items() if is_learned(key)}
        densities = learned.pop("densities_").arrays()
        return learned | {DENSITIES_PREFIX + key: array for key, array in densities.items()}

    def restore(self, learned: dict[str, Any]) -> None:
        """Take over what a file says was learned.

        Raises
        ------
        DataError
            If something is missing, or parts do not fit together.
        """
        densities = {k.removeprefix(DENSITIES_PREFIX): v for k, v in learned.items() if k.startswith(DENSITIES_PREFIX)}
        learned = {key: value for key, value in learned.items() if not key.startswith(DENSITIES_PREFIX)}
        learned = {"objective_of_one_": None} | learned  # older files have none
        if learned.keys() != LEARNED:
            odd = sorted(learned.keys() ^ LEARNED)[0]
            raise DataError(f"{odd} is missing, or is nothing that is learned")
        _check_numbers(learned, self.model)
        try:
            densities = Densities.of_arrays(densities)
            same = np.allclose(densities.mean(), learned["means_"], equal_nan=False)
            K, N = learned["means_"].shape
            fits = learned["memberships_"].shape[1:] == learned["prior_"].shape == (K,)
            fits &= learned["kinds_"].shape == learned["column_names_"].shape == (N,)
            fits &= learned["sizes_"].sum() == learned["categories_"].size
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise DataError(f"a learned array is not what it has to be ({error})") from error
        if not (same and fits):
            raise DataError("the densities, means, memberships and columns do not fit together")
        vars(self).update(learned, densities_=densities)


def _check_numbers(learned: dict[str, Any], model: str) -> None:
    for name, dimensions in NUMBERS.items():
        array = learned[name]
        right = isinstance(array, np.ndarray) and array.dtype == float and array.ndim == dimensions
        if not (right and np.isfinite(array).all() and (array >= 0).all()):
            raise DataError(f"{name}: {dimensions}-dimensional numbers of at least 0 are needed")
    if model != MIXTURE and not (learned["prior_"] > 0).all():  # else digammas go on for ever
        raise DataError("prior_ has to be positive")
    for name, types in SCALARS.items():
        if type(learned[name]) not in types:
            raise DataError(f"{name} is of another type")
