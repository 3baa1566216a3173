"""Normal posteriors of many rows at once: a Cholesky factor of K x K numbers for each.

Symmetric matrices are packed: entry (a, b), a >= b, is number a (a + 1) / 2 + b.
"""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel


@kernel(fastmath={"contract"})
def posteriors(precision, linear, free, mean, second, log_determinant):
    """Write the normal distribution with density exp(linear·u - u' P u / 2) of every row.

    Parameters
    ----------
    precision : float array (rows, R (R + 1) / 2)
        P, packed, prior included.
    linear : float array (rows, R)
    free : int array (J,)
        Coordinates that are random; the others have the value that `mean` has, and no variance.
    mean : float array (rows, R)
        Output at `free`: the means.
    second : float array (rows, R (R + 1) / 2)
        Output: <u u'>, packed.
    log_determinant : float array (rows,)
        Output: of the covariance of what is free.
    """
    rows, R = linear.shape
    J = free.size
    L, S, right = np.zeros((J, J)), np.zeros((J, J)), np.empty(J)
    is_free = np.zeros(R, np.bool_)
    for a in range(J):
        is_free[free[a]] = True
    for row in range(rows):
        for a in range(J):
            total = linear[row, free[a]]
            for k in range(R):
                if not is_free[k]:
                    total -= precision[row, _packed(free[a], k)] * mean[row, k]
            right[a] = total
            for b in range(a + 1):
                L[a, b] = precision[row, _packed(free[a], free[b])]
        log_determinant[row] = _invert(L, S)
        for a in range(J):
            total = 0.0
            for b in range(J):
                total += S[a, b] * right[b]
            mean[row, free[a]] = total
        for a in range(R):
            for b in range(a + 1):
                second[row, a * (a + 1) // 2 + b] = mean[row, a] * mean[row, b]
        for a in range(J):
            for b in range(a + 1):
                second[row, _packed(free[a], free[b])] += S[a, b]


@inner_kernel
def _packed(a, b):
    """Return the place of entry (a, b) of a symmetric matrix."""
    return a * (a + 1) // 2 + b if a >= b else b * (b + 1) // 2 + a


@inner_kernel(fastmath={"contract"})
def _invert(L, S):
    """Write the inverse of a matrix, given by its lower part L, to S; return its log determinant.

    L becomes the inverse of the Cholesky factor.
    """
    J = L.shape[0]
    log_determinant = 0.0
    for a in range(J):
        for b in range(a):
            for c in range(b):
                L[a, b] -= L[a, c] * L[b, c]
            L[a, b] *= L[b, b]  # whose inverse is kept on the diagonal
        for c in range(a):
            L[a, a] -= L[a, c] * L[a, c]
        L[a, a] = 1.0 / math.sqrt(L[a, a])
        log_determinant += 2.0 * math.log(L[a, a])
    for b in range(J):
        for a in range(b + 1, J):
            total = 0.0
            for c in range(b, a):
                total -= L[a, c] * L[c, b]
            L[a, b] = total * L[a, a]
    for a in range(J):
        for b in range(a + 1):
            total = 0.0
            for c in range(a, J):
                total += L[c, a] * L[c, b]
            S[a, b] = S[b, a] = total
    return log_determinant
