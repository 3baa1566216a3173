"""A hint to the processor: which memory a kernel will need soon.

An intrinsic through numba.extending, known to work with numba 0.68.1 and llvmlite 0.50.0.
"""

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def _prefetch_compiled(typing_context, array, i, j):
    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        view = context.make_array(kind)(context, builder, arguments[0])
        entry = cgutils.get_item_pointer(context, builder, kind, view, arguments[1:], wraparound=False)
        byte, int32 = ir.IntType(8), ir.IntType(32)
        address = builder.bitcast(entry, byte.as_pointer())
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch", [address.type], ir.FunctionType(ir.VoidType(), [address.type, int32, int32, int32])
        )
        for_writing, keep_close, data = int32(1), int32(3), int32(1)
        builder.call(hint, [address, for_writing, keep_close, data])
        return context.get_dummy_value()

    return types.void(array, i, j), generate


def _prefetch_nothing(array, i, j):
    """Stand in for the hint where kernels run as plain Python."""


# prefetch(array, i, j): array[i, j] will be read and written soon. The place may lie outside the
# array: a hint never faults.
prefetch = _prefetch_nothing if numba.config.DISABLE_JIT else _prefetch_compiled
