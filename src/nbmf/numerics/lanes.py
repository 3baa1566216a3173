"""Eight float32 numbers at a time: the arithmetic of a vector unit, spelled out.

The compiler turns a loop into vector instructions only for many trips, and each time checks first
that its arrays do not overlap: for a cell of eight components that costs more than the work.
`load`, `store`, `spread`, `total` and + - * / are one instruction or a few, for tables (m, K) whose
K is a multiple of LANES. As plain Python, lanes are an array of eight numbers.
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


def load(table, i, k):
    """Return table[i, k : k + LANES]."""
    return table[i, k : k + LANES].copy()


def store(table, i, k, lanes):
    """Set table[i, k : k + LANES]."""
    table[i, k : k + LANES] = lanes


def spread(number):
    """Return a float32 number in every lane."""
    return np.full(LANES, number, np.float32)


def total(lanes):
    """Return the sum of the lanes: halves are added to each other until one number is left."""
    while lanes.size > 1:
        lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
    return lanes[0]


_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_BYTES = 4  # of a float32: all that is known of where lanes start


class _Lanes(types.Type):
    """numba's type of what `load` returns."""

    def __init__(self):
        super().__init__(name="Lanes")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


_lanes = _Lanes()


def _address(context, builder, signature, arguments):
    kind = signature.args[0]
    view = context.make_array(kind)(context, builder, arguments[0])
    entry = cgutils.get_item_pointer(context, builder, kind, view, arguments[1:3], wraparound=False)
    return builder.bitcast(entry, _VECTOR.as_pointer())


@intrinsic
def _load(typing_context, table, i, k):
    def generate(context, builder, signature, arguments):
        return builder.load(_address(context, builder, signature, arguments), align=_BYTES)

    return _lanes(table, i, k), generate


@intrinsic
def _store(typing_context, table, i, k, lanes):
    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments)
        builder.store(arguments[3], address, align=_BYTES)
        return context.get_dummy_value()

    return types.void(table, i, k, lanes), generate


@intrinsic
def _spread(typing_context, number):
    def generate(context, builder, signature, arguments):
        lanes = ir.Constant(_VECTOR, ir.Undefined)
        for lane in range(LANES):
            lanes = builder.insert_element(lanes, arguments[0], ir.IntType(32)(lane))
        return lanes

    return _lanes(types.float32), generate


@intrinsic
def _total(typing_context, lanes):
    def generate(context, builder, signature, arguments):
        def part(start, width):
            places = ir.Constant(
                ir.VectorType(ir.IntType(32), width), list(range(start, start + width))
            )
            return builder.shuffle_vector(left, ir.Constant(left.type, ir.Undefined), places)

        left, width = arguments[0], LANES
        while width > 1:
            width //= 2
            left = builder.fadd(part(0, width), part(width, width))
        return builder.extract_element(left, ir.IntType(32)(0))

    return types.float32(lanes), generate


def _compile_operator(function, instruction):
    """Let numba compile `function` of two lanes to an instruction of LLVM."""

    @intrinsic
    def apply(typing_context, x, y):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return _lanes(x, y), generate

    @overload(function, jit_options={"_nrt": False, "forceinline": True})
    def of_two_lanes(x, y):
        if isinstance(x, _Lanes) and isinstance(y, _Lanes):
            return lambda x, y: apply(x, y)
        return None


if not numba.config.DISABLE_JIT:
    load, store, spread, total = _load, _store, _spread, _total
    _compile_operator(operator.add, "fadd")
    _compile_operator(operator.sub, "fsub")
    _compile_operator(operator.mul, "fmul")
    _compile_operator(operator.truediv, "fdiv")
