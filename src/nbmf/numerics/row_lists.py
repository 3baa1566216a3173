"""The components each row uses, as short lists roughly in descending order of their counts.

With γ_k = 1/K a row of a real matrix uses some three components of a hundred. An entry whose count
changes moves by at most one place: that keeps the large counts in front at O(1) an update, where
exact order would cost a scan in rows of many small counts.
"""

from typing import NamedTuple

import numpy as np

from nbmf.numerics.compilation import inner_kernel


class RowLists(NamedTuple):
    """Row f uses component[f, s] count[f, s] times, for s < length[f].

    component : uint32 array (F, K)
    count : int32 array (F, K)
    slot : int32 array (F, K), the s at which k stands in the list of row f, -1 if it does not
    length : int32 array (F,)
    """

    component: np.ndarray
    count: np.ndarray
    slot: np.ndarray
    length: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, z: np.ndarray, shape: tuple[int, int]) -> "RowLists":
        """Count the components `z` of cells in `rows`; shape is (F, K)."""
        L = np.bincount(rows * np.int64(shape[1]) + z, minlength=shape[0] * shape[1])
        L = L.reshape(shape)
        component, slot, length = used_components(L, order=-L)
        count = np.take_along_axis(L, component.astype(np.int64), axis=1)
        return cls(component, count.astype(np.int32), slot, length)

    def counts(self) -> np.ndarray:
        """Return L, int64 array (F, K)."""
        row, place = np.nonzero(np.arange(self.count.shape[1]) < self.length[:, None])
        L = np.zeros(self.count.shape, np.int64)
        L[row, self.component[row, place]] = self.count[row, place]
        return L


def used_components(L: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which components each row uses, by increasing `order`, for counts L (F, K).

    component : uint32 array (F, K); row f uses component[f, s] for s < length[f]
    slot : int32 array (F, K), the s at which k stands in the list of row f, -1 if it does not
    length : int32 array (F,)
    """
    component = np.argsort(order, axis=1, kind="stable")
    slot = np.where(L > 0, np.argsort(component, axis=1), -1)
    length = np.count_nonzero(L, axis=1)
    return component.astype(np.uint32), slot.astype(np.int32), length.astype(np.int32)


@inner_kernel
def _swap(f, s, t, lists):
    """Exchange the entries s and t of the list of row f."""
    component, count, slot, _ = lists
    component[f, s], component[f, t] = component[f, t], component[f, s]
    count[f, s], count[f, t] = count[f, t], count[f, s]
    slot[f, component[f, s]] = s
    slot[f, component[f, t]] = t


@inner_kernel
def take_one(f, k, lists):
    """Add one to the count of component k in row f of RowLists."""
    component, count, slot, length = lists
    one = np.uint64(1)
    if slot[f, k] < 0:
        end = np.uint64(length[f])
        component[f, end] = k
        count[f, end] = 0
        slot[f, k] = end
        length[f] += 1
    s = np.uint64(slot[f, k])
    count[f, s] += 1
    if s > 0 and count[f, s] > count[f, s - one]:
        _swap(f, s, s - one, lists)


@inner_kernel
def drop_one(f, k, lists):
    """Take one from the count of component k in row f of RowLists; at zero it leaves the list."""
    _, count, slot, length = lists
    one = np.uint64(1)
    s = np.uint64(slot[f, k])
    last = np.uint64(length[f]) - one
    count[f, s] -= 1
    if count[f, s] == 0:
        _swap(f, s, last, lists)
        slot[f, k] = -1
        length[f] -= 1
    elif s < last and count[f, s] < count[f, s + one]:
        _swap(f, s, s + one, lists)
