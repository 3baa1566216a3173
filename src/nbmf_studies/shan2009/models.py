"""The class of all models of the study: what it sees of a table."""

from dataclasses import replace

import numpy as np

from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.data.table_parts import take_cells, take_columns
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import TRUE_OR_FALSE


@with_parameters
class ModelOfSeen(FeatureModel):
    """A FeatureModel of what it can learn of: columns without a cell among the rows of its fit are left out of all.

    Parameters are those of FeatureModel, and

    documents : bool
        Whether rows are documents: of a binary table the ones are words. Words stay, seen or not, as smoothing gives
        each a probability.
    """

    rules = FeatureModel.rules | {"documents": TRUE_OR_FALSE}

    documents: bool = False

    def fit(self, V, y=None, *, monitor=None):
        """Learn components and memberships, see FeatureModel."""
        self.check_parameters()
        table = self._shown(FeatureTable.of(V))
        seen = np.bincount(table.columns, minlength=table.shape[1]) > 0
        if not seen.all() and WORD not in table.kinds:
            table = take_columns(table, seen)
        return super().fit(table, monitor=monitor)

    def table_of(self, V):
        """Return V as the fit has seen its rows, see FeatureModel."""
        self._require_fit()
        table = self._shown(FeatureTable.of(V))
        if table.shape[1] != self.column_names_.size:
            table = take_columns(table, np.isin(table.column_names, self.column_names_))
        return super().table_of(table)

    def _shown(self, table: FeatureTable) -> FeatureTable:
        return ones_as_words(table) if self.documents else table


def ones_as_words(table: FeatureTable) -> FeatureTable:
    """Return the documents whose words are the ones of a binary table; one of documents is returned as it is."""
    if WORD in table.kinds:
        return table
    ones = take_cells(table, table.cells == 1)
    kinds = np.full(ones.kinds.size, WORD)
    return replace(ones, kinds=kinds, sizes=np.zeros(kinds.size, int), categories=np.array([], str))
