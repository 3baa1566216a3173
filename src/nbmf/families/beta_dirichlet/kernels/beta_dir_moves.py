"""Block moves of the collapsed Beta-Dir sampler (relabelling.py has the idea).

**Rows.** Without row f the urns of components (k, n) have counts A and B, its predictive laws are
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

import numpy as np

from nbmf.families.beta_dirichlet.kernels.relabelling import SMALLEST_GROUP, leave_out, order_components, put_in, rename
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.row_lists import drop_one, take_one

SMALLEST, LARGEST = 1e-200, 1e200  # of a running product, before its logarithm is taken


@inner_kernel
def _log_rising(x, count):
    """Return log Γ(x + count) / Γ(x)."""
    return math.lgamma(x + count) - math.lgamma(x) if count > 0 else 0.0


@inner_kernel
def _phi_without(k, at, own, column_counts, prior, of_column):
    """Return φ of component k at a place 2 n + v without `own` of its cells there."""
    other = at ^ 1
    value = prior[at & 1, k] * of_column[at] + column_counts[k, at] - own
    return value / (value + prior[other & 1, k] * of_column[other] + column_counts[k, other])


@inner_kernel
def _prior_phi(k, at, prior, of_column):
    """Return φ of a component without any cells."""
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
def _add_logs(m, size, n_used, score, product):
    """Add the logarithms of all running products to the scores."""
    for s in range(m):
        for c in range(n_used if size[s] >= SMALLEST_GROUP else 0):
            if product[s, c] != 1.0:
                score[s, c] += math.log(product[s, c])


@kernel(_nrt=False)
def score_row(
    f,
    first,
    end,
    cross,
    value,
    z,
    slot,
    m,
    label,
    size,
    n_used,
    order,
    place,
    in_column,
    n_of,
    column_counts,
    phi,
    prior,
    of_column,
    gamma,
    alike,
    score,
    product,
):
    """Write the scores of the m groups of row f, which holds the cells `first` to `end`.

    Parameters
    ----------
    in_column, n_of : int32 arrays (N, K), (N,)
        The components that column n uses: in_column[n, t] for t < n_of[n].
    alike : bool
        Whether priors are the same for all components.
    score : float64 array (at least m, at least n_used + 1)
        Output: nats, of group s at component order[c]; in the last column of an empty one.
    product : the same, room to work in
    """
    for s in range(m):
        for c in range(n_used + 1 if size[s] >= SMALLEST_GROUP else 0):
            score[s, c], product[s, c] = 0.0, 1.0
            if not alike and c < n_used:
                score[s, c] = _log_rising(gamma[order[c]], size[s])
    for i in range(first, end):
        n, at = np.int64(cross[i]), np.int64(2 * cross[i] + value[i])
        s = slot[f, z[i]]
        if size[s] < SMALLEST_GROUP:
            continue
        if not alike:
            for c in range(n_used):
                _multiply(s, c, _prior_phi(order[c], at, prior, of_column), score, product)
        unused = 1.0 / _prior_phi(order[0], at, prior, of_column)
        for t in range(n_of[n]):
            k = in_column[n, t]
            c = place[k]
            if c < n_used:
                if not alike:
                    unused = 1.0 / _prior_phi(k, at, prior, of_column)
                if k == label[s]:
                    now = _phi_without(k, at, 1.0, column_counts, prior, of_column)
                else:
                    now = phi[k, at]
                _multiply(s, c, now * unused, score, product)
    _add_logs(m, size, n_used, score, product)


@kernel(_nrt=False)
def score_column(
    n,
    first,
    end,
    by_column,
    row_of,
    z,
    lists,
    m,
    label,
    size,
    group_of,
    n_used,
    order,
    place,
    column_counts,
    prior,
    of_column,
    gamma,
    alike,
    score,
    product,
):
    """Write the scores of the m groups of column n, as `score_row` does.

    Its cells are by_column[first] to by_column[end - 1]; group_of (K,) has the group of each of
    its components.
    """
    component, count, _, length = lists
    for s in range(m):
        k = label[s]
        zeros, ones = column_counts[k, 2 * n], column_counts[k, 2 * n + 1]
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
        for t in range(length[f]):
            to = component[f, t]
            c = place[to]
            if c < n_used:
                others = count[f, t] - (1 if to == k else 0)
                _multiply(s, c, 1.0 + others / gamma[to], score, product)
    _add_logs(m, size, n_used, score, product)


@inner_kernel
def _renew_phi(k, n, column_counts, phi, prior, of_column):
    """Compute φ of component k in column n from its counts."""
    one = _phi_without(k, 2 * n + 1, 0.0, column_counts, prior, of_column)
    phi[k, 2 * n], phi[k, 2 * n + 1] = 1.0 - one, one


@inner_kernel
def _change_list(k, n, step, column_counts, in_column, slot_in, n_of):
    """Keep the list of column n, after a `step` of component k there."""
    left = column_counts[k, 2 * n] + column_counts[k, 2 * n + 1]
    if left == 0 and step < 0:  # close the gap with the last of the list
        n_of[n] -= 1
        last = in_column[n, n_of[n]]
        in_column[n, slot_in[n, k]] = last
        slot_in[n, last] = slot_in[n, k]
    elif left == 1 and step > 0:
        in_column[n, n_of[n]] = k
        slot_in[n, k] = n_of[n]
        n_of[n] += 1


@kernel(_nrt=False)
def _rename_row(
    f, first, end, cross, value, m, new, z, lists, column_counts, phi, prior, of_column, in_column, slot_in, n_of
):
    """Give the groups of row f their new components."""
    component, _, slot, _ = lists
    for i in range(first, end):
        old = np.int64(z[i])
        to = new[slot[f, old]]
        if to != old:
            n = np.int64(cross[i])
            z[i] = to
            column_counts[old, 2 * n + value[i]] -= 1
            _change_list(old, n, -1, column_counts, in_column, slot_in, n_of)
            column_counts[to, 2 * n + value[i]] += 1
            _change_list(to, n, 1, column_counts, in_column, slot_in, n_of)
            _renew_phi(old, n, column_counts, phi, prior, of_column)
            _renew_phi(to, n, column_counts, phi, prior, of_column)
    for s in range(m):
        slot[f, component[f, s]] = -1
    for s in range(m):
        component[f, s] = new[s]
        slot[f, new[s]] = s


@kernel(_nrt=False)
def _rename_column(
    n, first, end, by_column, row_of, m, label, new, group_of, z, lists, column_counts, phi, prior, of_column, kept
):
    """Give the groups of column n their new components."""
    component, count, slot, length = lists
    for j in range(first, end):
        i = by_column[j]
        k = z[i]
        s = group_of[k]
        if new[s] != label[s]:
            z[i] = new[s]
            take_one(row_of[i], np.uint64(new[s]), component, count, slot, length)
            drop_one(row_of[i], np.uint64(k), component, count, slot, length)
    for s in range(m):
        for v in range(2):
            kept[s, v] = column_counts[label[s], 2 * n + v]
            column_counts[label[s], 2 * n + v] = 0
    for s in range(m):
        for v in range(2):
            column_counts[new[s], 2 * n + v] = kept[s, v]
    for s in range(m):
        if new[s] != label[s]:
            _renew_phi(label[s], n, column_counts, phi, prior, of_column)
            _renew_phi(new[s], n, column_counts, phi, prior, of_column)


@inner_kernel
def _list_columns(column_counts, in_column, slot_in, n_of):
    """List the components that each column uses."""
    n_of[:] = 0
    for k in range(column_counts.shape[0]):
        for n in range(n_of.size):
            if column_counts[k, 2 * n] + column_counts[k, 2 * n + 1] > 0:
                in_column[n, n_of[n]] = k
                slot_in[n, k] = n_of[n]
                n_of[n] += 1


@inner_kernel
def _group_column(first, end, by_column, z, group_of, label, size):
    """Number the components of a column; return how many there are."""
    m = 0
    for j in range(first, end):
        k = z[by_column[j]]
        if group_of[k] < 0:
            group_of[k] = m
            label[m] = k
            size[m] = 0
            m += 1
        size[group_of[k]] += 1
    return m


@inner_kernel
def _are_alike(prior, gamma):
    """Whether priors are the same for all components."""
    for k in range(gamma.size):
        if gamma[k] != gamma[0] or prior[0, k] != prior[0, 0] or prior[1, k] != prior[1, 0]:
            return False
    return True


@kernel
def move_blocks(
    cells, row_of, by_column, column_start, z, lists, column_counts, phi, prior, of_column, gamma, generator
):
    """Rename the groups of all rows, then those of all columns."""
    _, cell_start, cross, value = cells
    component, count, slot, length = lists
    B = cells.block_start.size - 1
    K, F, N = gamma.size, length.size, column_start.size - 1
    most = min(K, max(F, N))  # groups of a line
    alike = _are_alike(prior, gamma)
    label, size, new = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    score, product = np.empty((most, K + 1)), np.empty((most, K + 1))
    choice, weight = np.empty(most, np.int64), np.empty(K + 1)
    held, is_held = np.zeros(K + 1, np.int64), np.zeros(K + 1, np.int64)
    group_of, kept = np.full(K, -1, np.int64), np.empty((most, 2), np.int64)
    in_column, slot_in = np.empty((N, K), np.int32), np.empty((N, K), np.int32)
    n_of = np.empty(N, np.int32)
    total, order, place = np.zeros(K, np.int64), np.empty(K, np.int64), np.empty(K, np.int64)
    for i in range(z.size):
        total[z[i]] += 1
    n_used = order_components(total, alike, order, place)

    _list_columns(column_counts, in_column, slot_in, n_of)
    for f in range(F):
        first, end = np.int64(cell_start[f * B]), np.int64(cell_start[(f + 1) * B])
        m = np.int64(length[f])
        for s in range(m):
            label[s], size[s] = component[f, s], count[f, s]
        n_used = leave_out(label, size, m, total, alike, n_used, order, place)
        score_row(
            f,
            first,
            end,
            cross,
            value,
            z,
            slot,
            m,
            label,
            size,
            n_used,
            order,
            place,
            in_column,
            n_of,
            column_counts,
            phi,
            prior,
            of_column,
            gamma,
            alike,
            score,
            product,
        )
        rename(m, label, size, score, n_used, order, place, choice, held, weight, is_held, generator, new)
        _rename_row(
            f,
            first,
            end,
            cross,
            value,
            m,
            new,
            z,
            lists,
            column_counts,
            phi,
            prior,
            of_column,
            in_column,
            slot_in,
            n_of,
        )
        n_used = put_in(new, size, m, total, n_used, order, place)
    for n in range(N):
        first, end = np.int64(column_start[n]), np.int64(column_start[n + 1])
        m = _group_column(first, end, by_column, z, group_of, label, size)
        n_used = leave_out(label, size, m, total, alike, n_used, order, place)
        score_column(
            n,
            first,
            end,
            by_column,
            row_of,
            z,
            lists,
            m,
            label,
            size,
            group_of,
            n_used,
            order,
            place,
            column_counts,
            prior,
            of_column,
            gamma,
            alike,
            score,
            product,
        )
        rename(m, label, size, score, n_used, order, place, choice, held, weight, is_held, generator, new)
        _rename_column(
            n,
            first,
            end,
            by_column,
            row_of,
            m,
            label,
            new,
            group_of,
            z,
            lists,
            column_counts,
            phi,
            prior,
            of_column,
            kept,
        )
        for s in range(m):
            group_of[label[s]] = -1
        n_used = put_in(new, size, m, total, n_used, order, place)
