"""Random matrices with given row and column sums, by trades that leave every sum as it is.

A trade takes two rows (or two columns) and deals the ones of the columns in which they differ anew
among them (curveball: Strona et al. 2014, doi:10.1038/ncomms5114). Of a symmetric matrix, an
undirected network, a trade replaces the edges a-b and c-d by a-d and c-b. Missing entries stay
missing: only columns that both rows have are dealt. Every step is as likely as the step back, so
matrices with the same sums are equally likely in the long run (Carstens 2015,
doi:10.1103/PhysRevE.91.042812).
"""

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import uniform


@inner_kernel
def _below(n, generator):
    """Return an integer of 0 ... n - 1."""
    return int(uniform(generator) * n)


@inner_kernel
def _another(n, first, generator):
    """Return an integer of 0 ... n - 1 other than `first`."""
    other = _below(n - 1, generator)
    return other + 1 if other >= first else other


@inner_kernel
def trade(codes, i, j, places, generator):
    """Deal the ones of two rows anew, among the columns where one of them has a one and the other a zero.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing); changed in place. A transposed view deals those of two columns.
    i, j : int
    places : int64 array, at least (N,)
        Workspace.
    generator : uint64 array
        Of nbmf.numerics.random.
    """
    differ = ones = 0
    for n in range(codes.shape[1]):
        if codes[i, n] >= 0 and codes[j, n] >= 0 and codes[i, n] != codes[j, n]:
            places[differ] = n
            differ += 1
            ones += codes[i, n]
    for t in range(differ):
        if t < ones:  # the first `ones` of a random order are row i's
            other = t + _below(differ - t, generator)
            places[t], places[other] = places[other], places[t]
        codes[i, places[t]] = 1 if t < ones else 0
        codes[j, places[t]] = 0 if t < ones else 1


@kernel
def trade_many(codes, trades, generator):
    """Make so many trades, of rows or of columns by a coin; `codes` int8 (F, N) is changed in place."""
    F, N = codes.shape
    places = np.empty(max(F, N), np.int64)
    for _ in range(trades):
        if uniform(generator) < 0.5:
            i = _below(F, generator)
            trade(codes, i, _another(F, i, generator), places, generator)
        else:
            i = _below(N, generator)
            trade(codes.T, i, _another(N, i, generator), places, generator)


@kernel
def trade_rows(codes, trades, generator):
    """Make so many trades of rows; `codes` int8 (F, N) is changed in place. A transposed view has columns for rows."""
    F, N = codes.shape
    places = np.empty(N, np.int64)
    for _ in range(trades):
        i = _below(F, generator)
        trade(codes, i, _another(F, i, generator), places, generator)


@kernel
def swap_edges(codes, swaps, generator):
    """Try so many swaps of two edges of a symmetric matrix; `codes` int8 (N, N) is changed in place.

    What lies on the diagonal stays. A swap that would need an entry which is missing, on the
    diagonal or one already is not made.
    """
    edges = np.argwhere(np.triu(codes, 1) == 1)
    if len(edges) < 2:
        return
    for _ in range(swaps):
        first = _below(len(edges), generator)
        second = _another(len(edges), first, generator)
        a, b = edges[first]
        c, d = edges[second]
        if uniform(generator) < 0.5:
            c, d = d, c
        if a != d and b != c and codes[a, d] == 0 and codes[c, b] == 0:
            codes[a, b] = codes[b, a] = codes[c, d] = codes[d, c] = 0
            codes[a, d] = codes[d, a] = codes[c, b] = codes[b, c] = 1
            edges[first, 0], edges[first, 1] = a, d
            edges[second, 0], edges[second, 1] = c, b
