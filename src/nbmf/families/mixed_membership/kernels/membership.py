"""E-steps of mixed membership: rows of cells, and the densities of their atoms in each component.

An atom is a distinct cell: a column with a value, or a word. Cells of row i are starts[i] up to
starts[i + 1]; each has an atom a and a weight w (how often the word is there; 1 of features).
Kernels know p_a = (p_a1 ... p_aK), the densities of an atom, and nothing about the distributions that they come from.
Densities come divided by their maximum over components, whose logarithm belongs to the bound.

**Full** (equations 16 and 17): e_c = exp Ψ(γ_c), N_j = Σ_c e_c p_jc, φ_jc = e_c p_jc / N_j and
γ_c = α_c + Σ_j w_j φ_jc. Normalising Ψ(Σγ) cancels. **Fast** (26 and 27): one φ for all cells of a
row, φ_c ∝ exp(Ψ(γ_c) + s_c / m), γ = α + m φ, with s_c = Σ_j w_j ln p_jc and m = Σ_j w_j.

A round is an update of γ; the last one is that which moves γ by less than inner_tol on average over
components, and at most inner_max are made. Rows with no cell keep γ = α.
"""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel

SERIES_FROM = 6.0  # of the argument: relative error 3e-10
# exp Ψ of γ below 1/690 would vanish, and with it the mixture of a cell that no other component can
# give. Any e > 0 makes a bound, so it is kept from that.
SMALLEST_E = 1e-300
# v exp(-d) is below that where d is above this, as v < 12 there: exponentials that underflow take many times as long.
LARGEST_SHIFT = 694.0
SIDE_BY_SIDE = 16  # cells whose sums go on together; the last ones are filled up with empty cells
# A sum may be taken in any order in a loop that writes nothing: it has one version, see
# beta_dirichlet's fold-in.
REORDER = {"reassoc", "contract", "nsz", "nnan", "ninf"}


@inner_kernel
def series_and_shift(x):
    """Return v and d with exp Ψ(x) = v exp(-d), for x > 0: no logarithm, no loop and no branch."""
    # Ψ(x) = Ψ(x + 6) - Σ 1 / (x + i), i = 0 .. 5, whose fraction has t = x (x + 5) in it:
    # the terms go together as x (x + 5) = t, (x + 1)(x + 4) = t + 4, (x + 2)(x + 3) = t + 6.
    t = x * (x + 5.0)
    fraction = (2.0 * x + 5.0) * (24.0 + t * (20.0 + 3.0 * t)) / (t * (t + 4.0) * (t + 6.0))
    shift = fraction if x < SERIES_FROM else 0.0
    y = (x + 6.0 if x < SERIES_FROM else x) - 0.5
    r = 1.0 / (y * y)
    series = 1 / 24 - r * (37 / 5760 - r * (10313 / 2903040 - r * (5509121 / 1393459200)))
    return y * (1.0 + r * series), shift


@inner_kernel
def kept_exp_digamma(value, shift):
    """Return exp Ψ = v exp(-d), kept from vanishing, of what series_and_shift returns with d > 0."""
    return max(value * math.exp(-shift), SMALLEST_E) if shift < LARGEST_SHIFT else SMALLEST_E


@kernel
def full_e_step(starts, atoms, weights, density, alpha, rounds, gamma, counts, logs):
    """Update γ of each row until it stands still, or `rounds` = (inner_max, inner_tol) end it.

    Parameters
    ----------
    starts : int64 array (n + 1,)
    atoms : uint32 array (cells,)
    weights : float array (cells,)
    density : float array (A, K)
        p of each atom, its maximum over components 1.
    alpha : float array (K,)
    rounds : tuple (int, float)
    gamma : float array (n, K)
        The start, and then the result.
    counts : float array (A, K)
        Gets Σ w φ of each atom on top, still to be multiplied by p.
    logs : float array (n,)
        Output: Σ_j w_j ln N_j - Σ_c (γ_c - α_c) ln e_c, with the e that made φ.

    Returns
    -------
    int
        The rounds of all cells together, for the speed per cell, component and round.
    """
    K = np.uint64(alpha.size)
    longest = np.uint64(0)
    for i in range(starts.size - 1):
        longest = max(longest, np.uint64(starts[i + 1] - starts[i]))
    block = np.empty((K, longest + np.uint64(SIDE_BY_SIDE)))
    mixture, share = np.empty(block.shape[1]), np.empty(block.shape[1])
    e, fresh = np.empty(K), np.empty(K)
    inner_max, inner_tol = rounds
    work = 0
    for i in range(np.uint64(starts.size - 1)):
        first, m = np.uint64(starts[i]), np.uint64(starts[i + 1] - starts[i])
        if m == 0:
            gamma[i] = alpha
            logs[i] = 0.0
            continue
        width = _gather(first, m, atoms, weights, density, block, share)
        for number in range(inner_max):
            for c in range(K):
                value, shift = series_and_shift(gamma[i, c])
                e[c] = value if shift == 0.0 else kept_exp_digamma(value, shift)
            _mix(block, e, width, mixture)
            for j in range(width):
                mixture[j] = share[j] / mixture[j]
            moved = 0.0
            for c in range(K):
                fresh[c] = alpha[c] + e[c] * _dot(block, c, mixture, width)
                moved += abs(fresh[c] - gamma[i, c])
                gamma[i, c] = fresh[c]
            work += m
            if moved < inner_tol * K or number + 1 == inner_max:
                break
        log = 0.0
        for j in range(m):
            log += share[j] * math.log(share[j] / mixture[j])
            a = np.uint64(atoms[first + j])
            for c in range(K):
                counts[a, c] += mixture[j] * e[c]
        for c in range(K):
            log -= (gamma[i, c] - alpha[c]) * math.log(e[c])
        logs[i] = log
    return work


@inner_kernel
def _gather(first, m, atoms, weights, density, block, share):
    """Put densities and weights of a row side by side; return their number with empty cells."""
    K = np.uint64(density.shape[1])
    for j in range(m):
        a = np.uint64(atoms[first + j])
        share[j] = weights[first + j]
        for c in range(K):
            block[c, j] = density[a, c]
    side = np.uint64(SIDE_BY_SIDE)
    width = (m + side - np.uint64(1)) // side * side
    for j in range(m, width):
        share[j] = 0.0
        for c in range(K):
            block[c, j] = 1.0
    return width


@inner_kernel
def _mix(block, e, width, mixture):
    """Set N_j = Σ_c e_c p_jc."""
    for j in range(width):
        mixture[j] = e[0] * block[0, j]
    for c in range(np.uint64(1), np.uint64(e.size)):
        for j in range(width):
            mixture[j] += e[c] * block[c, j]


@inner_kernel(fastmath=REORDER)
def _dot(block, c, share, width):
    """Return Σ_j p_jc share_j."""
    total = 0.0
    for j in range(width):
        total += block[c, j] * share[j]
    return total


@kernel
def fast_e_step(sizes, sums, alpha, rounds, gamma, phi, logs):
    """Update γ and φ of each row; K numbers a round, whatever the size of the row.

    Parameters
    ----------
    sizes : float array (n,)
        m, the weights of each row together.
    sums : float array (n, K)
        s_c, the log density of all its cells in each component; -inf where it has none.
    alpha : float array (K,)
    rounds : tuple (int, float)
    gamma : float array (n, K)
        The start, and then the result.
    phi : float array (n, K)
        Output.
    logs : float array (n,)
        Output: Σ φ_c s_c - m Σ φ_c ln φ_c; -inf of a row that no component can give.
    """
    K = np.uint64(alpha.size)
    density, weight = np.empty(K), np.empty(K)
    now, value, shift = np.empty(K), np.empty(K), np.empty(K)
    inner_max, inner_tol = rounds
    for i in range(np.uint64(sizes.size)):
        m = sizes[i]
        highest = -np.inf
        for c in range(K):
            highest = max(highest, sums[i, c])
        if m == 0.0 or highest == -np.inf:
            for c in range(K):
                gamma[i, c], phi[i, c] = alpha[c], 1.0 / K
            logs[i] = 0.0 if m == 0.0 else -np.inf
            continue
        for c in range(K):
            density[c] = math.exp((sums[i, c] - highest) / m)
            now[c] = gamma[i, c]
        for _ in range(inner_max):
            for c in range(K):  # of all components at once, and exponentials one by one
                value[c], shift[c] = series_and_shift(now[c])
            total = 0.0
            for c in range(K):
                if shift[c] > 0.0:
                    value[c] = kept_exp_digamma(value[c], shift[c])
                weight[c] = value[c] * density[c]
                total += weight[c]
            moved, scale = 0.0, 1.0 / total
            for c in range(K):
                renewed = alpha[c] + m * (weight[c] * scale)
                moved += abs(renewed - now[c])
                now[c] = renewed
            if moved < inner_tol * K:
                break
        log = 0.0
        for c in range(K):
            gamma[i, c], phi[i, c] = now[c], weight[c] * scale
            if phi[i, c] > 0.0:
                log += phi[i, c] * (sums[i, c] - m * math.log(phi[i, c]))
        logs[i] = log


@kernel
def digamma_sums(gamma):
    """Return Σ_i (Ψ(γ_ic) - Ψ(Σ_c γ_ic)), float array (K,): what α is learned from.

    exp Ψ of several rows are multiplied before a logarithm is taken.
    """
    n, K = gamma.shape
    sums, products = np.zeros(K + 1), np.ones(K + 1)  # the last ones of the totals
    for i in range(n):
        total = 0.0
        for c in range(K + 1):
            value, shift = series_and_shift(gamma[i, c] if c < K else total)
            if c < K:
                total += gamma[i, c]
            products[c] *= value
            sums[c] -= shift
            if not 1e-100 < products[c] < 1e100:
                sums[c] += math.log(products[c])
                products[c] = 1.0
    for c in range(K + 1):
        sums[c] += math.log(products[c])
    return sums[:K] - sums[K]


@kernel
def add_at(table, rows, values):
    """Add values (n, K) to the given rows of a table (m, K), as np.add.at does but faster."""
    K = np.uint64(table.shape[1])
    for i in range(np.uint64(rows.size)):
        row = np.uint64(rows[i])
        for c in range(K):
            table[row, c] += values[i, c]


@kernel
def row_sums(starts, atoms, weights, log_density):
    """Return s (n, K), the sum of w ln p over the cells of each row."""
    n, K = np.uint64(starts.size - 1), np.uint64(log_density.shape[1])
    sums = np.zeros((n, K))
    for i in range(n):
        for cell in range(np.uint64(starts[i]), np.uint64(starts[i + np.uint64(1)])):
            a, w = np.uint64(atoms[cell]), weights[cell]
            for c in range(K):
                sums[i, c] += w * log_density[a, c]
    return sums


@kernel
def spread(starts, atoms, weights, shares, n_atoms):
    """Return Σ w φ of each atom, (A, K), where φ (n, K) is the same for all cells of a row."""
    n, K = np.uint64(starts.size - 1), np.uint64(shares.shape[1])
    counts = np.zeros((n_atoms, K))
    for i in range(n):
        for cell in range(np.uint64(starts[i]), np.uint64(starts[i + np.uint64(1)])):
            a, w = np.uint64(atoms[cell]), weights[cell]
            for c in range(K):
                counts[a, c] += w * shares[i, c]
    return counts
