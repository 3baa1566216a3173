"""Block moves of the collapsed Beta-Dir sampler (relabelling.py has the idea).

**Rows.** Without row f the urns of components (k, n) have counts A and B, its predictive distributions are
φ^v_kn, and p(z_f, v_f | the others) ∝ Π_k Γ(γ_k + L_fk) / Γ(γ_k) Π_n φ^v_zn. A group of c cells
has the score log Γ(γ_l + c) / Γ(γ_l) + Σ_n log φ^v_ln at component l.

**Columns.** Without column n the urns of rows have counts L, and p(z_n, v_n | the others) ∝
Π_f (γ_z + L_fz) Π_k B(α_k + A_kn, β_k + B_kn) / B(α_k, β_k). A group with a ones and b zeros has
the score Σ_f log (γ_l + L_fl) + log B(α_l + a, β_l + b) / B(α_l, β_l) at component l.

Scores are differences from those of a component that is empty everywhere. Few components have a
cell in a given column or row, so that they are sums over short lists. If priors differ between
components, what an empty one has differs as well, and is added to all.
"""

import math
from typing import NamedTuple

import numpy as np

from nbmf.families.beta_dirichlet.kernels.relabelling import (
    SMALLEST_GROUP,
    Groups,
    Ordering,
    leave_out,
    order_components,
    put_in,
    rename,
)
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.row_lists import drop_one, take_one

SMALLEST, LARGEST = 1e-200, 1e200  # of a running product, before its logarithm is taken


class ColumnLists(NamedTuple):
    """The components that each column uses: column n has component[n, t] for t < length[n].

    component : int32 array (N, K)
    slot : int32 array (N, K), the t at which k stands in the list of column n, if it does
    length : int32 array (N,)
    """

    component: np.ndarray
    slot: np.ndarray
    length: np.ndarray


@inner_kernel
def _log_rising(x, count):
    """Return log Γ(x + count) / Γ(x)."""
    return math.lgamma(x + count) - math.lgamma(x) if count > 0 else 0.0


@inner_kernel
def _phi_without(k, at, own, columns):
    """Return φ of component k at a place 2 n + v without `own` of its cells there."""
    counts, prior, of_column = columns.counts, columns.prior, columns.of_column
    other = at ^ 1
    value = prior[at & 1, k] * of_column[at] + counts[k, at] - own
    return value / (value + prior[other & 1, k] * of_column[other] + counts[k, other])


@inner_kernel
def _prior_phi(k, at, columns):
    """Return φ of a component without any cells."""
    prior, of_column = columns.prior, columns.of_column
    other = at ^ 1
    value = prior[at & 1, k] * of_column[at]
    return value / (value + prior[other & 1, k] * of_column[other])


@inner_kernel
def _multiply(s, c, factor, score, product):
    """Multiply a running product, or put its logarithm away."""
    product[s, c] *= factor
    if not SMALLEST < product[s, c] < LARGEST:
        score[s, c] += math.log(product[s, c])
        product[s, c] = 1.0


@inner_kernel
def _add_logs(m, groups, n_used, product):
    """Add the logarithms of all running products to the scores."""
    for s in range(m):
        for c in range(n_used if groups.size[s] >= SMALLEST_GROUP else 0):
            if product[s, c] != 1.0:
                groups.score[s, c] += math.log(product[s, c])


@kernel(_nrt=False)
def score_row(f, first, end, cells, z, lists, m, groups, n_used, ordering, column_lists, columns, product):
    """Write the scores of the groups of a row.

    Parameters
    ----------
    f, first, end : int
        The row, and its cells, `first` up to `end`.
    cells : Cells
    z : uint32 array (cells,)
        The component of each cell.
    lists : RowLists
        Group s is entry s of the list of the row.
    m, groups : int, Groups
        How many groups there are, and their arrays, of which `score` is written.
    n_used, ordering : int, Ordering
        How many components other rows use, the first of `order`.
    column_lists, columns : ColumnLists, ColumnTables
    product : float64 array as `score`
        Room for running products.
    """
    label, size, score = groups.label, groups.size, groups.score
    order, place, alike = ordering.order, ordering.place, ordering.alike
    for s in range(m):
        for c in range(n_used + 1 if size[s] >= SMALLEST_GROUP else 0):
            score[s, c], product[s, c] = 0.0, 1.0
            if not alike and c < n_used:
                score[s, c] = _log_rising(columns.gamma[order[c]], size[s])
    for i in range(first, end):
        n, at = np.int64(cells.cross[i]), np.int64(2 * cells.cross[i] + cells.value[i])
        s = lists.slot[f, z[i]]
        if size[s] < SMALLEST_GROUP:
            continue
        if not alike:
            for c in range(n_used):
                _multiply(s, c, _prior_phi(order[c], at, columns), score, product)
        unused = 1.0 / _prior_phi(order[0], at, columns)
        for t in range(column_lists.length[n]):
            k = column_lists.component[n, t]
            c = place[k]
            if c < n_used:
                if not alike:
                    unused = 1.0 / _prior_phi(k, at, columns)
                now = _phi_without(k, at, 1.0, columns) if k == label[s] else columns.phi[k, at]
                _multiply(s, c, now * unused, score, product)
    _add_logs(m, groups, n_used, product)


@kernel(_nrt=False)
def score_column(n, first, end, by_column, row_of, z, lists, m, groups, group_of, n_used, ordering, columns, product):
    """Write the scores of the groups of a column.

    Parameters
    ----------
    n, first, end : int
        The column, and its cells, by_column[first] up to by_column[end - 1].
    by_column, row_of : int arrays (cells,)
        The cells column by column, and the row of each cell.
    group_of : int64 array (K,)
        The group of each component of the column.
    z, lists, m, groups, n_used, ordering, columns, product
        As for `score_row`; here `ordering` is that of the components that other columns use.
    """
    label, size, score = groups.label, groups.size, groups.score
    order, place, alike = ordering.order, ordering.place, ordering.alike
    prior, of_column, gamma = columns.prior, columns.of_column, columns.gamma
    for s in range(m):
        zeros, ones = columns.counts[label[s], 2 * n], columns.counts[label[s], 2 * n + 1]
        for c in range(n_used + 1 if size[s] >= SMALLEST_GROUP else 0):
            score[s, c], product[s, c] = 0.0, 1.0
            if not alike and c < n_used:
                to = order[c]
                beta = prior[0, to] * of_column[2 * n]
                alpha = prior[1, to] * of_column[2 * n + 1]
                score[s, c] = size[s] * math.log(gamma[to]) - _log_rising(alpha + beta, size[s])
                score[s, c] += _log_rising(alpha, ones) + _log_rising(beta, zeros)
    for j in range(first, end):
        i = by_column[j]
        f, k = row_of[i], z[i]
        s = group_of[k]
        if size[s] < SMALLEST_GROUP:
            continue
        for t in range(lists.length[f]):
            to = lists.component[f, t]
            c = place[to]
            if c < n_used:
                others = lists.count[f, t] - (1 if to == k else 0)
                _multiply(s, c, 1.0 + others / gamma[to], score, product)
    _add_logs(m, groups, n_used, product)


@inner_kernel
def _renew_phi(k, n, columns):
    """Compute φ of component k in column n from its counts."""
    one = _phi_without(k, 2 * n + 1, 0.0, columns)
    columns.phi[k, 2 * n], columns.phi[k, 2 * n + 1] = 1.0 - one, one


@inner_kernel
def _change_list(k, n, step, counts, column_lists):
    """Keep the list of column n, after a `step` of component k there."""
    component, slot, length = column_lists
    left = counts[k, 2 * n] + counts[k, 2 * n + 1]
    if left == 0 and step < 0:  # close the gap with the last of the list
        length[n] -= 1
        last = component[n, length[n]]
        component[n, slot[n, k]] = last
        slot[n, last] = slot[n, k]
    elif left == 1 and step > 0:
        component[n, length[n]] = k
        slot[n, k] = length[n]
        length[n] += 1


@kernel(_nrt=False)
def _rename_row(f, first, end, cells, z, lists, m, groups, column_lists, columns):
    """Give the groups of row f their new components."""
    component, _, slot, _ = lists
    new, counts = groups.new, columns.counts
    for i in range(first, end):
        old = np.int64(z[i])
        to = new[slot[f, old]]
        if to != old:
            n = np.int64(cells.cross[i])
            z[i] = to
            counts[old, 2 * n + cells.value[i]] -= 1
            _change_list(old, n, -1, counts, column_lists)
            counts[to, 2 * n + cells.value[i]] += 1
            _change_list(to, n, 1, counts, column_lists)
            _renew_phi(old, n, columns)
            _renew_phi(to, n, columns)
    for s in range(m):
        slot[f, component[f, s]] = -1
    for s in range(m):
        component[f, s] = new[s]
        slot[f, new[s]] = s


@kernel(_nrt=False)
def _rename_column(n, first, end, by_column, row_of, z, lists, m, groups, group_of, columns, kept):
    """Give the groups of column n their new components; `kept` (most, 2) is room for its counts."""
    label, new, counts = groups.label, groups.new, columns.counts
    for j in range(first, end):
        i = by_column[j]
        k = z[i]
        s = group_of[k]
        if new[s] != label[s]:
            z[i] = new[s]
            take_one(row_of[i], np.uint64(new[s]), lists)
            drop_one(row_of[i], np.uint64(k), lists)
    for s in range(m):
        for v in range(2):
            kept[s, v] = counts[label[s], 2 * n + v]
            counts[label[s], 2 * n + v] = 0
    for s in range(m):
        for v in range(2):
            counts[new[s], 2 * n + v] = kept[s, v]
    for s in range(m):
        if new[s] != label[s]:
            _renew_phi(label[s], n, columns)
            _renew_phi(new[s], n, columns)


@inner_kernel
def _list_columns(counts, column_lists):
    """List the components that each column uses."""
    component, slot, length = column_lists
    length[:] = 0
    for k in range(counts.shape[0]):
        for n in range(length.size):
            if counts[k, 2 * n] + counts[k, 2 * n + 1] > 0:
                component[n, length[n]] = k
                slot[n, k] = length[n]
                length[n] += 1


@inner_kernel
def _group_column(first, end, by_column, z, groups, group_of):
    """Number the components of a column; return how many there are."""
    m = 0
    for j in range(first, end):
        k = z[by_column[j]]
        if group_of[k] < 0:
            group_of[k] = m
            groups.label[m] = k
            groups.size[m] = 0
            m += 1
        groups.size[group_of[k]] += 1
    return m


@inner_kernel
def _are_alike(prior, gamma):
    """Whether priors are the same for all components."""
    for k in range(gamma.size):
        if gamma[k] != gamma[0] or prior[0, k] != prior[0, 0] or prior[1, k] != prior[1, 0]:
            return False
    return True


@kernel
def move_blocks(cells, row_of, by_column, column_start, z, lists, columns, generator):
    """Rename the groups of all rows, then those of all columns.

    Parameters
    ----------
    cells : Cells
    row_of, by_column : int arrays (cells,)
        The row of each cell, and the cells column by column.
    column_start : int array (N + 1,)
        Where each column begins in `by_column`.
    z : uint32 array (cells,)
        The component of each cell; it changes, as lists and columns do.
    lists : RowLists
    columns : ColumnTables
    generator : uint64 array (8,)
    """
    B = cells.block_start.size - 1
    K, F, N = columns.gamma.size, lists.length.size, column_start.size - 1
    most = min(K, max(F, N))  # groups of a row or column
    alike = _are_alike(columns.prior, columns.gamma)
    ordering = Ordering(np.zeros(K, np.int64), np.empty(K, np.int64), np.empty(K, np.int64), alike)
    groups = Groups(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty((most, K + 1)),
        np.empty(most, np.int64),
        np.empty(K + 1),
        np.zeros(K + 1, np.int64),
        np.zeros(K + 1, np.int64),
    )
    product = np.empty((most, K + 1))
    group_of, kept = np.full(K, -1, np.int64), np.empty((most, 2), np.int64)
    column_lists = ColumnLists(np.empty((N, K), np.int32), np.empty((N, K), np.int32), np.empty(N, np.int32))
    for i in range(z.size):
        ordering.total[z[i]] += 1
    n_used = order_components(ordering)

    _list_columns(columns.counts, column_lists)
    for f in range(F):
        first, end = np.int64(cells.start[f * B]), np.int64(cells.start[(f + 1) * B])
        m = np.int64(lists.length[f])
        for s in range(m):
            groups.label[s], groups.size[s] = lists.component[f, s], lists.count[f, s]
        n_used = leave_out(m, groups, n_used, ordering)
        score_row(f, first, end, cells, z, lists, m, groups, n_used, ordering, column_lists, columns, product)
        rename(m, groups, n_used, ordering, generator)
        _rename_row(f, first, end, cells, z, lists, m, groups, column_lists, columns)
        n_used = put_in(m, groups, n_used, ordering)
    for n in range(N):
        first, end = np.int64(column_start[n]), np.int64(column_start[n + 1])
        m = _group_column(first, end, by_column, z, groups, group_of)
        n_used = leave_out(m, groups, n_used, ordering)
        score_column(
            n, first, end, by_column, row_of, z, lists, m, groups, group_of, n_used, ordering, columns, product
        )
        rename(m, groups, n_used, ordering, generator)
        _rename_column(n, first, end, by_column, row_of, z, lists, m, groups, group_of, columns, kept)
        for s in range(m):
            group_of[groups.label[s]] = -1
        n_used = put_in(m, groups, n_used, ordering)
