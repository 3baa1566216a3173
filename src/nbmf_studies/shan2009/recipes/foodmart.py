"""Foodmart: customers x products, how many of each a customer has bought."""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from nbmf.data.feature_columns import BERNOULLI, POISSON
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import DataError

COLUMNS = ["transaction_date", "customer_id", "product_id", "quantity"]
LAST_MONTH = 11  # of 1998: the paper's number of sales is that of January to November
LEAST = 10  # cells of a row or column of the binary table


def build(*, sales: Path, binary: bool) -> FeatureTable:
    """Build customers x products, sorted by their numbers; what was not bought is missing.

    Parameters
    ----------
    sales : path
        CSV with COLUMNS, dates as month/day/year.
    binary : bool
        Whether an amount above the median is a one and another a zero, after which lines with
        fewer than 10 cells are left out; otherwise a cell is the amount less one, Poisson.
    """
    amounts, customers, products = _amounts(sales)
    names = [f"customer {c}" for c in customers], [f"product {p}" for p in products]
    if not binary:
        amounts.data -= 1
        return FeatureTable.from_sparse(amounts, *names, kinds=POISSON)
    amounts.data = (amounts.data > np.median(amounts.data)).astype(int)
    rows, columns = dense_lines(amounts)
    kept = np.array(names[0])[rows], np.array(names[1])[columns]
    return FeatureTable.from_sparse(amounts[rows][:, columns], *kept, kinds=BERNOULLI)


def _amounts(path: Path) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Return the amounts, customers x products, and the numbers of both."""
    try:
        sales = pd.read_csv(path, usecols=COLUMNS)
        month = pd.to_datetime(sales["transaction_date"], format="%m/%d/%Y").dt.month
    except (ValueError, pd.errors.ParserError) as error:
        raise DataError(f"{path}: {error}") from error
    taken = sales[month <= LAST_MONTH]
    if taken.empty:
        raise DataError(f"{path}: there is no sale before December")
    customers, row = np.unique(taken["customer_id"], return_inverse=True)
    products, column = np.unique(taken["product_id"], return_inverse=True)
    shape = customers.size, products.size
    summed = sparse.coo_array((taken["quantity"].to_numpy(), (row, column)), shape).tocsr()
    return summed, customers, products


def dense_lines(cells: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns that have at least LEAST stored cells among each other."""
    stored = sparse.csr_array((np.ones(cells.nnz, int), cells.indices, cells.indptr), cells.shape)
    rows, columns = (np.arange(size) for size in cells.shape)
    while True:
        part = stored[rows][:, columns]
        of_rows, of_columns = part.sum(axis=1) >= LEAST, part.sum(axis=0) >= LEAST
        if of_rows.all() and of_columns.all():
            return rows, columns
        rows, columns = rows[of_rows], columns[of_columns]
