"""What `transform` returns where scikit-learn's users ask for tables: names of its columns, and DataFrames."""

import sys
from typing import Any, Self

import numpy as np

from nbmf.data.named import names_of
from nbmf.errors import not_allowed

OUTPUTS = ("default", "pandas")
CONFIG = "_sklearn_output_config"  # where scikit-learn keeps it, which its `clone` copies


class TransformOutput:
    """The part of an estimator that says in which form `transform` returns W."""

    def set_output(self, *, transform: str | None = None) -> Self:
        """Let `transform` and `fit_transform` return arrays ("default") or DataFrames ("pandas"); None: as before.

        Without a call it is as `sklearn.set_config(transform_output=...)` says.

        Raises
        ------
        ConfigError
            If `transform` has another value.
        """
        if transform is None:
            return self
        if transform not in OUTPUTS:
            raise not_allowed("transform", transform, OUTPUTS)
        vars(self)[CONFIG] = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of `transform`, object array (K,): class and number, from 0.

        `input_features` is not used; it is there for scikit-learn's pipelines.

        Raises
        ------
        NotFittedError
            Before `fit`.
        """
        self._require_fit()
        name = type(self).__name__.lower()
        return np.array([f"{name}{k}" for k in range(self.n_components_)], dtype=object)

    def _as_output(self, W: np.ndarray, V: Any) -> Any:
        """Return W (F', K) of the rows of V in the form that was asked for."""
        config = vars(self).get(CONFIG)
        if config is None and "sklearn" in sys.modules:
            config = {"transform": sys.modules["sklearn"].get_config()["transform_output"]}
        if config is None or config["transform"] != "pandas":
            return W
        import pandas as pd  # not every fit needs it

        index = V.index if isinstance(V, pd.DataFrame) else names_of(V)[0]
        return pd.DataFrame(W, index=index, columns=self.get_feature_names_out())
