"""What a model of a table declares: it has distributions of columns instead of W and H."""

from typing import Any, ClassVar

from nbmf.data.named import NamedMatrix
from nbmf.inference.declarations import Declarations
from nbmf.inference.parameters import Parametrized


class TableModel(Declarations, Parametrized):
    """Base class of models that the workflow fits, but that are no Factorization: they score no single entries.

    A class declares `inference`, `takes_starts` where it has starts, and

    - table : the kind of matrix that it takes

    and defines `fit`, with the parameters n_components, max_iter and random_state. What is to be known of rows that
    were held out, the function `measure` of a fit asks (nbmf.fits).

    Attributes
    ----------
    objective_ : float
        What the fit has maximised: of several starts the one with the largest is the best.
    objective_of_one_ : float or None
        As of every estimator (Factorization).
    n_iter_, converged_ : int, bool or None
        As of every estimator.
    """

    table: ClassVar[type[NamedMatrix]]

    @property
    def findings(self) -> dict[str, Any]:
        """What a fit has found, for its report: values that JSON can hold."""
        return {}
