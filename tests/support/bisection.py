"""The exact law of what a kernel draws: scripted uniform numbers, and bisection for their edges.

A kernel runs as plain Python and takes its uniform numbers from a script. As a function of the next
number, what it does is constant up to some edges: it draws an outcome, or it asks for a further
number. Bisection finds the edges to 1e-14; what follows each piece is examined in the same way. The
widths of the pieces, multiplied along every way, are the probability of each outcome: proposals,
acceptances, rejected tries and fallbacks included, without a single random number.

Where a kernel asks from the same place with the same whole numbers and arrays at hand, it does the
same from then on; so the ways after a rejection are examined once, however they came there.
`Tree.walk` says what a script of many numbers leads to, by which that is checked.
"""

import importlib.util
import sys
from collections import Counter
from functools import cache
from itertools import pairwise
from types import MappingProxyType, SimpleNamespace

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from nbmf.numerics import lanes, random, row_lists, urns

PROBES = (np.arange(16) + 0.5) / 16  # a piece between two probes that agree goes unseen
NARROW = 1e-14  # how exactly edges are found, and
NEAR = 1e-12  # how near to one of before one is looked for first
LONGEST = 100  # numbers of a draw
TOLERANCE = 1e-9  # of a probability


class Asked(BaseException):
    """Raised where a kernel asks for a number after the last one of the script."""

    def __init__(self, place):
        super().__init__(place)
        self.place = place


class Script:
    """Stands in for the function `uniform` of modules that run as plain Python.

    `arrays` are those that a draw may change before it ends.
    """

    def __init__(self):
        self.arrays = ()
        self._numbers = iter(())

    def uniform(self, generator):
        """Return the next number of the script."""
        for number in self._numbers:
            return number
        held = tuple(array.tobytes() for array in self.arrays)
        raise Asked((_place(sys._getframe(1)), held))

    def run(self, draw, numbers):
        """Return ("drew", what `draw()` returns) given these numbers, or ("asks", place)."""
        self._numbers = iter(numbers)
        try:
            return "drew", draw()
        except Asked as asked:
            return "asks", asked.place


def _place(frame):
    """Return where the functions of the package are, and the whole numbers that they hold."""
    found = []
    while frame.f_globals.get("__name__", "").startswith("nbmf."):
        held = sorted(
            (name, int(value)) for name, value in frame.f_locals.items() if isinstance(value, int | np.integer)
        )
        found.append((frame.f_code.co_name, frame.f_lasti, *held))
        frame = frame.f_back
    return tuple(found)


@cache
def _plain_lanes():
    """Return the functions of nbmf.numerics.lanes as they are where nothing is compiled."""
    specification = importlib.util.find_spec("nbmf.numerics.lanes")
    module = importlib.util.module_from_spec(specification)
    disabled, numba.config.DISABLE_JIT = numba.config.DISABLE_JIT, True
    try:
        specification.loader.exec_module(module)
    finally:
        numba.config.DISABLE_JIT = disabled
    return vars(module)


def plain(monkeypatch, *modules):
    """Let the compiled functions of modules run as plain Python; return their Script."""
    script = Script()
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher):
                monkeypatch.setattr(module, name, value.py_func)
            elif value is getattr(lanes, name, lanes):
                monkeypatch.setattr(module, name, _plain_lanes()[name])
        if hasattr(module, "uniform"):
            monkeypatch.setattr(module, "uniform", script.uniform)
    return script


class Tree:
    """All that `run` can lead to.

    Parameters
    ----------
    run : function
        Of a list of uniform numbers: ("drew", outcome) or ("asks", place), as Script.run returns;
        it begins from the same state each time.

    Attributes
    ----------
    law : mapping from outcomes to their probabilities
    """

    def __init__(self, run):
        self._run = run
        self._edges = set()  # of all pieces so far: at the next try they will be the same
        self._pieces, self._laws = {}, {}
        self._root = run([])
        self.law = MappingProxyType(self._law_after(self._root, []))

    def walk(self, numbers):
        """Return the outcome of a script, which may be longer than needed."""
        end = self._root
        for number in numbers:
            if end[0] == "drew":
                break
            end = next(end for high, end in self._pieces[end[1]] if number < high)
        assert end[0] == "drew", "the script is too short"
        return end[1]

    def _law_after(self, end, numbers):
        kind, what = end
        if kind == "drew":
            return Counter({what: 1.0})
        if what not in self._laws:
            assert len(numbers) < LONGEST, "the kernel asks for numbers without end"
            pieces = self._pieces[what] = self._examine(numbers)
            total, low = Counter(), 0.0
            for high, following in pieces:
                law = self._law_after(following, [*numbers, (low + high) / 2])
                for outcome, probability in law.items():
                    total[outcome] += (high - low) * probability
                low = high
            self._laws[what] = total
        return self._laws[what]

    def _examine(self, numbers):
        """Return the pieces of the number after `numbers`: (upper end, what it leads to)."""
        known = [edge + side for edge in self._edges for side in (-NEAR, NEAR)]
        probes = np.unique([0.0, *PROBES, *(x for x in known if 0.0 <= x < 1.0), 1.0 - 2.0**-53])
        ends = [self._run([*numbers, x]) for x in probes]
        pieces = []
        for (low, high), (before, after) in zip(pairwise(probes), pairwise(ends), strict=True):
            while before != after:
                edge, end = self._edge(numbers, low, high, before)
                pieces.append((edge, before))
                if all(abs(edge - known) > NEAR for known in self._edges):
                    self._edges.add(edge)
                low, before = edge, end
        return [*pieces, (1.0, ends[-1])]

    def _edge(self, numbers, low, high, before):
        """Return the first number found that no longer leads to `before`, and what it leads to."""
        after = None
        while after is None or high - low > NARROW:
            middle = (low + high) / 2
            end = self._run([*numbers, middle])
            if end == before:
                low = middle
            else:
                high, after = middle, end
            if not low < (low + high) / 2 < high:
                break
        return high, after if after is not None else self._run([*numbers, high])


def explore_sweeps(monkeypatch, module, chain, changing, drawn, twin, sweeps=2):
    """Sweep a chain whose blocks are single cells, and compare the law of each draw with a twin.

    Before each cell its tree is explored, and compared given the assignments of that moment; then
    one of its ways is taken. What a sweep carries along (counts, lists, running sums) is therefore
    what the kernel made of it. Return the cells in their order.

    Parameters
    ----------
    module : module of the kernel, with a function _sweep_block
    chain : a chain with as many blocks as its matrix has lines
    changing : function of the arguments of _sweep_block, by name: the arrays that change
    drawn : function of the same and of the number of a cell: its outcome
    twin : function of row and column: the probabilities of all possible outcomes, a dict
    """
    script = plain(monkeypatch, module, urns, row_lists)
    sweep_block, rng, cells = module._sweep_block, np.random.default_rng(3), []

    def explored(*arguments):
        given = SimpleNamespace(**dict(zip(names, arguments, strict=True)))
        f, n = int(arguments[0]), int(arguments[1])
        B = given.cells.block_start.size - 1
        segment = given.cells.start[f * B + n : f * B + n + 2]
        if segment.size < 2 or segment[0] == segment[1]:  # no such row, or not observed
            return
        i = segment[0]
        arrays = changing(given)
        before = [array.copy() for array in arrays]

        def draw():
            for array, values in zip(arrays, before, strict=True):
                array[...] = values
            sweep_block(*arguments)
            return drawn(given, i)

        script.arrays = arrays
        expected = twin(f, n)
        tree = Tree(lambda numbers: script.run(draw, numbers))
        assert set(tree.law) <= set(expected), "an impossible outcome"
        found = np.array([tree.law[outcome] for outcome in expected])
        np.testing.assert_allclose(found, list(expected.values()), rtol=0, atol=TOLERANCE)
        for _ in range(5):
            numbers = rng.random(80)
            assert script.run(draw, numbers) == ("drew", tree.walk(numbers))
        cells.append((f, n))

    code = sweep_block.__code__
    names = code.co_varnames[: code.co_argcount]
    monkeypatch.setattr(module, "_sweep_block", explored)
    chain.sweep(sweeps)
    return cells


def edge_of(is_below):
    """Return the number in [0, 1) at which a condition ceases to hold."""
    low, high = 0.0, 1.0
    while high - low > NARROW:
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high


def assert_same_bits(monkeypatch, chains, *modules):
    """Sweep two equal lists of chains, one as plain Python, and compare all their arrays."""
    compiled, interpreted = chains(), chains()
    for chain in compiled:
        chain.sweep(8)
    uniform = random.uniform.py_func
    plain(monkeypatch, *modules, urns, row_lists, random)
    for module in (*modules, urns):
        monkeypatch.setattr(module, "uniform", uniform)
    with np.errstate(over="ignore"):  # of whole numbers, by which the generator works
        for chain in interpreted:
            chain.sweep(8)
    for one, other in zip(compiled, interpreted, strict=True):
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)
