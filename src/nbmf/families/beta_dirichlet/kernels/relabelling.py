"""Block moves: the components of all cells of a row or column change their names at once.

In a row (or column; what follows holds for either) the cells of one component are a group. With γ = 1/K a group is
worth far more than its cells alone, so that sampling cell by cell can hardly take it from one component to
another. But all groups can be renamed by an exact Gibbs step that is cheap: leave the row out of
all counts, and every other count has at most one cell of it, since the cell (f, n) alone is in both
row f and column n. So the joint is a product over the groups, of a score for each group and
component that depends on nothing else in the row, under the one condition that different groups
have different components.

Given the scores of a row, each group in turn draws a component among those that no other group
has; then each pair of groups may exchange theirs. Components that are empty without the row are
alike if priors are the same for all components: they are one candidate, its weight times their
number, and which of them a group gets is drawn at last, uniformly.

Rows share counts, so that they are done one after the other, with one random stream: the result
does not depend on the number of threads.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import generator_states, uniform
from nbmf.seeds import child

SMALLEST_GROUP = 2  # cells: single ones move in sweeps
LEAST = -40.0  # nats: what is that far below the best has no chance that a uniform number could see
EVERY = 5  # sweeps from one round of moves to the next (docs/uncertainty.md)


class Moves:
    """When a chain makes block moves, and with which random numbers.

    Parameters
    ----------
    seed : SeedSequence
        That of the chain.

    Attributes
    ----------
    generator : uint64 array (8,)
    """

    def __init__(self, seed: np.random.SeedSequence):
        self.generator = generator_states(child(seed, "block moves"), 1)[0]
        self._sweeps = np.zeros((), int)  # since the last moves

    def stretches(self, n_sweeps: int) -> Iterator[tuple[int, bool]]:
        """Yield how many sweeps come next, `n_sweeps` in all, and whether moves follow them."""
        while n_sweeps > 0:
            sweeps = min(n_sweeps, EVERY - int(self._sweeps))
            n_sweeps -= sweeps
            self._sweeps[...] = (self._sweeps + sweeps) % EVERY
            yield sweeps, self._sweeps == 0

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that changes, by name; writing to them sets the state."""
        return {"moves' generator": self.generator, "sweeps since moves": self._sweeps}


class Ordering(NamedTuple):
    """The components, used ones first; how many these are, n_used, changes from row to row.

    total : int64 array (K,), how many cells each component has
    order, place : int64 arrays (K,), the components, and where in `order` each one is
    alike : bool, whether priors are the same for all; if not, no component stands for another, and
        all count as used
    """

    total: np.ndarray
    order: np.ndarray
    place: np.ndarray
    alike: bool


class Groups(NamedTuple):
    """The groups of a row, in arrays with room for those of any row and for working.

    label, size : int64 arrays (most,), the component of group s, and how many cells it has
    new : int64 array (most,), the component that it gets
    score : float64 array (most, K + 1), nats: of group s at component order[c] in (s, c), and of any
        empty component in (s, n_used)
    choice : int64 array (most,), the candidate c that group s has
    weight : float64 array (K + 1,), of the candidates
    held, is_held : int64 arrays (K + 1,), how many groups have a candidate, and whether one has a
        component; all zero between rows
    """

    label: np.ndarray
    size: np.ndarray
    new: np.ndarray
    score: np.ndarray
    choice: np.ndarray
    weight: np.ndarray
    held: np.ndarray
    is_held: np.ndarray


@inner_kernel
def order_components(ordering):
    """Set `order` and `place` by `total`; return how many components are used."""
    total, order, place, alike = ordering
    n_used, end = 0, total.size
    for k in range(total.size):
        if total[k] > 0 or not alike:
            order[n_used] = k
            place[k] = n_used
            n_used += 1
        else:
            end -= 1
            order[end] = k
            place[k] = end
    return n_used


@inner_kernel
def _put(k, position, ordering):
    """Exchange component k with the one at a position of `order`."""
    _, order, place, _ = ordering
    other = order[position]
    order[place[k]], place[other] = other, place[k]
    order[position], place[k] = k, position


@inner_kernel
def leave_out(m, groups, n_used, ordering):
    """Take a row with m groups out of `total`; return how many components are used without it."""
    for s in range(m):
        k = groups.label[s]
        ordering.total[k] -= groups.size[s]
        if ordering.alike and ordering.total[k] == 0:
            n_used -= 1
            _put(k, n_used, ordering)
    return n_used


@inner_kernel
def put_in(m, groups, n_used, ordering):
    """Add a row to `total`, its m groups renamed; return how many components are used with it."""
    for s in range(m):
        k = groups.new[s]
        ordering.total[k] += groups.size[s]
        if ordering.place[k] >= n_used:
            _put(k, n_used, ordering)
            n_used += 1
    return n_used


@inner_kernel
def _redraw(s, groups, n_used, n_empty, generator):
    """Draw the candidate of group s among those that no other group has."""
    score, choice, weight, held = groups.score, groups.choice, groups.weight, groups.held
    held[choice[s]] -= 1
    free = n_empty - held[n_used]
    top = -math.inf
    for c in range(n_used + 1):
        if (held[c] == 0 if c < n_used else free > 0) and score[s, c] > top:
            top = score[s, c]
    total = 0.0
    for c in range(n_used + 1):
        times = free if c == n_used else 1 - held[c]
        below = score[s, c] - top
        weight[c] = times * math.exp(below) if times > 0 and below > LEAST else 0.0
        total += weight[c]
    u = uniform(generator) * total
    drawn = 0
    for c in range(n_used + 1):
        if weight[c] > 0.0:  # never one without weight, however the sums are rounded
            drawn = c
            if u < weight[c]:
                break
            u -= weight[c]
    choice[s] = drawn
    held[drawn] += 1


@inner_kernel
def _exchange(s, t, score, choice, generator):
    """Let the groups s and t exchange their candidates, with the probability that has."""
    a, b = choice[s], choice[t]
    if a != b:
        gain = score[s, b] + score[t, a] - score[s, a] - score[t, b]
        if uniform(generator) * (1.0 + math.exp(-gain)) < 1.0:
            choice[s], choice[t] = b, a


@kernel(_nrt=False)
def rename(m, groups, n_used, ordering, generator):
    """Draw the components `new` of the m groups of a row given their scores.

    n_used : how many components are used without the row, the first of `order`; the others are empty
    """
    label, size, new, score, choice, _, held, is_held = groups
    _, order, place, _ = ordering
    n_empty = order.size - n_used
    for s in range(m):
        choice[s] = min(place[label[s]], n_used)
        held[choice[s]] += 1
    for s in range(m):
        if size[s] >= SMALLEST_GROUP:
            _redraw(s, groups, n_used, n_empty, generator)
    for s in range(m):
        for t in range(s):
            if min(size[s], size[t]) >= SMALLEST_GROUP:
                _exchange(s, t, score, choice, generator)
    for s in range(m):
        held[choice[s]] = 0
        new[s] = order[choice[s]] if choice[s] < n_used else -1
        if new[s] < 0 and place[label[s]] >= n_used:  # an empty one: it keeps its own
            new[s] = label[s]
            is_held[label[s]] = 1
            n_empty -= 1
    for s in range(m):
        if new[s] < 0:
            skip = min(int(uniform(generator) * n_empty), n_empty - 1)
            position = n_used
            while is_held[order[position]] or skip > 0:
                skip -= 1 - is_held[order[position]]
                position += 1
            new[s] = order[position]
            is_held[new[s]] = 1
            n_empty -= 1
    for s in range(m):
        is_held[new[s]] = 0
