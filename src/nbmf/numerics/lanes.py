"""Eight numbers at a time, float32 or float64: the arithmetic of a vector unit, spelled out.

The compiler turns a loop into vector instructions only for many trips, and each time checks first
that its arrays do not overlap: for a cell of eight components that costs more than the work.
`load`, `store`, `spread`, `total`, `running`, `count_at_most` and + - * / are one
instruction or a few, for tables (m, K) whose K is a multiple of LANES; `aligned_table` makes them.
As plain Python, lanes are an array of eight numbers.

Types and instructions are added through numba.extending, which changes from version to version:
known to work with numba 0.68.1 and llvmlite 0.50.0. tests/library/numerics/test_lanes.py checks it.
"""

import operator

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

LANES = 8


def padded(K: int) -> int:
    """Return the smallest multiple of LANES that is at least K."""
    return -(-K // LANES) * LANES


def aligned_table(rows: int, K: int, dtype: type = np.float64) -> np.ndarray:
    """Return zeros (rows, K) of a type: lanes of such a table never lie across two cache lines.

    Passes over tables that are not aligned so take 1.5 times as long.
    """
    numbers = np.zeros(rows * K + LANES, dtype)
    first = (-numbers.ctypes.data // numbers.itemsize) % LANES
    return numbers[first : first + rows * K].reshape(rows, K)


def load(table, i, k):
    """Return table[i, k : k + LANES]."""
    return table[i, k : k + LANES].copy()


def store(table, i, k, lanes):
    """Set table[i, k : k + LANES]."""
    table[i, k : k + LANES] = lanes


def spread(number):
    """Return a number, float32 or float64, in every lane."""
    return np.full(LANES, number)


def total(lanes):
    """Return the sum of the lanes: halves are added to each other until one number is left."""
    while lanes.size > 1:
        lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
    return lanes[0]


def running(lanes):
    """Return the sums of the first 1, 2, ..., 8 lanes: steps of 1, 2 and 4 lanes, added up."""
    step = 1
    while step < LANES:
        lanes = lanes + np.concatenate([np.zeros(step, lanes.dtype), lanes[:-step]])
        step *= 2
    return lanes


def count_at_most(lanes, number):
    """Return how many lanes are at most `number`, of their own type; an integer."""
    return int((lanes <= number).sum())


_VECTORS = {types.float32: ir.VectorType(ir.FloatType(), LANES), types.float64: ir.VectorType(ir.DoubleType(), LANES)}
_BYTES = {types.float32: 4, types.float64: 8}  # of a number: all that is known of where lanes start


class _Lanes(types.Type):
    """numba's type of what `load` returns, by the type of the numbers."""

    def __init__(self, number):
        self.number = number
        super().__init__(name=f"Lanes({number})")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTORS[kind.number])


def _address(context, builder, signature, arguments):
    kind = signature.args[0]
    view = context.make_array(kind)(context, builder, arguments[0])
    entry = cgutils.get_item_pointer(context, builder, kind, view, arguments[1:3], wraparound=False)
    return builder.bitcast(entry, _VECTORS[kind.dtype].as_pointer())


@intrinsic
def _load(typing_context, table, i, k):
    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments)
        return builder.load(address, align=_BYTES[table.dtype])

    return _Lanes(table.dtype)(table, i, k), generate


@intrinsic
def _store(typing_context, table, i, k, lanes):
    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments)
        builder.store(arguments[3], address, align=_BYTES[table.dtype])
        return context.get_dummy_value()

    return types.void(table, i, k, lanes), generate


@intrinsic
def _spread(typing_context, number):
    def generate(context, builder, signature, arguments):
        lanes = ir.Constant(_VECTORS[number], ir.Undefined)
        for lane in range(LANES):
            lanes = builder.insert_element(lanes, arguments[0], ir.IntType(32)(lane))
        return lanes

    return _Lanes(number)(number), generate


@intrinsic
def _total(typing_context, lanes):
    def generate(context, builder, signature, arguments):
        def part(start, width):
            places = ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(start, start + width)))
            return builder.shuffle_vector(left, ir.Constant(left.type, ir.Undefined), places)

        left, width = arguments[0], LANES
        while width > 1:
            width //= 2
            left = builder.fadd(part(0, width), part(width, width))
        return builder.extract_element(left, ir.IntType(32)(0))

    return lanes.number(lanes), generate


@intrinsic
def _running(typing_context, lanes):
    def generate(context, builder, signature, arguments):
        sums, step = arguments[0], 1
        zeros = ir.Constant(sums.type, None)
        while step < LANES:
            places = [LANES] * step + list(range(LANES - step))
            mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), places)
            sums = builder.fadd(sums, builder.shuffle_vector(sums, zeros, mask))
            step *= 2
        return sums

    return lanes(lanes), generate


@intrinsic
def _count_at_most(typing_context, lanes, number):
    def generate(context, builder, signature, arguments):
        limit = ir.Constant(_VECTORS[number], ir.Undefined)
        for lane in range(LANES):
            limit = builder.insert_element(limit, arguments[1], ir.IntType(32)(lane))
        found = builder.fcmp_ordered("<=", arguments[0], limit)
        bits = builder.bitcast(found, ir.IntType(LANES))
        return builder.zext(builder.ctpop(bits), ir.IntType(64))

    return types.uint64(lanes, number), generate


def _compile_operator(function, instruction):
    """Let numba compile `function` of two lanes to an instruction of LLVM."""

    @intrinsic
    def apply(typing_context, x, y):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return x(x, y), generate

    @overload(function, jit_options={"_nrt": False, "forceinline": True})
    def of_two_lanes(x, y):
        if isinstance(x, _Lanes) and x == y:
            return lambda x, y: apply(x, y)
        return None


if not numba.config.DISABLE_JIT:
    load, store, spread, total = _load, _store, _spread, _total
    running, count_at_most = _running, _count_at_most
    _compile_operator(operator.add, "fadd")
    _compile_operator(operator.sub, "fsub")
    _compile_operator(operator.mul, "fmul")
    _compile_operator(operator.truediv, "fdiv")
