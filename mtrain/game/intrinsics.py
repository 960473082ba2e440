"""The few instructions that kernels need and numba does not offer: each a plain function, and what it compiles to.

In plain Python the function itself runs; in a kernel its `overload` does, with the same outcome.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import overload
from numba.np.arrayobj import getitem_arraynd_intp

from mtrain.game.state import HIDDEN, PUBLIC, PUBLIC_BYTES, STATE

intrinsic: Any = numba.extending.intrinsic


def popcount(bits: int) -> int:
    """Return how many bits of a non-negative integer are set."""
    return int(bits).bit_count()


def lowest(bits: int) -> int:
    """Return the index of the lowest set bit of a positive integer."""
    return (int(bits) & -int(bits)).bit_length() - 1


def call(kernels: Any, k: int, a: Any, b: Any) -> int:
    """Call kernel `k` of some that `jit.addressed` gave, with two records; it returns an int64."""
    return int(kernels[k](a, b))


def copy_masked(to: np.record, s: np.record) -> None:
    """Copy the public fields of the State `s` over those of `to`, and blank the hidden ones."""
    for name in PUBLIC:
        to[name] = s[name]
    for name in HIDDEN:
        to[name] = 0


# ── What they compile to ──────────────────────────────────────────────────────────────────────────────────


@intrinsic
def _ctpop(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.true_bit)

    return types.int64(types.int64), codegen


@intrinsic
def _call_address(typingctx: Any, kernels: Any, k: Any, a: Any, b: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, _, *records = args
        address = getitem_arraynd_intp(context, builder, types.int64(kernels, types.intp), args[:2])
        kind = ir.FunctionType(ir.IntType(64), [record.type for record in records])
        return builder.call(builder.inttoptr(address, kind.as_pointer()), records)

    return types.int64(kernels, types.intp, a, b), codegen


@intrinsic
def _copy_masked(typingctx: Any, to: Any, s: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        public = context.get_constant(types.intp, PUBLIC_BYTES)
        hidden = context.get_constant(types.intp, STATE.itemsize - PUBLIC_BYTES)
        cgutils.raw_memcpy(builder, args[0], args[1], public, 1)
        cgutils.memset(builder, cgutils.pointer_add(builder, args[0], public), hidden, 0)
        return context.get_dummy_value()

    return types.void(to, s), codegen


@overload(popcount)
def _(bits):
    return lambda bits: _ctpop(bits)


@overload(lowest)
def _(bits):
    return lambda bits: _cttz(bits)


@overload(call)
def _(kernels, k, a, b):
    return lambda kernels, k, a, b: _call_address(kernels, k, a, b)


@overload(copy_masked)
def _(to, s):
    return lambda to, s: _copy_masked(to, s)
