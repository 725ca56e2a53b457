"""An exponential that the compiler turns into vector code, which it does not do with `math.exp`.

Measured in turn with `math.exp` in its place (medians of 31), a step of value iteration is 1.7 times as
fast with 10 and with 20 bins, 1.5 times with 5 and with 40.
"""

from __future__ import annotations

import math

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from inverse_rational_control.compiled import compiled

_LOG2_E = math.log2(math.e)
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # few enough digits that k times it is exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_ROUNDING = 1.5 * 2.0**52  # adding it rounds to a whole number, held in the lowest bits


@intrinsic
def _number_with_bits(context, bits):
    """The double whose 64 bits these are."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def _bits_of_number(context, number):
    """The 64 bits of a double."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@compiled(inline="always", error_model="numpy", fastmath={"contract"})
def exp_nonpositive(x):
    """exp(x) for x <= 0 to 2 units in the last place, 0 below -700.

    x = k log 2 + r with |r| <= log(2)/2; exp(r) is its Taylor series, and 2^k is made from bits.
    """
    shifted = x * _LOG2_E + _ROUNDING
    k = shifted - _ROUNDING
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    series = 1.0 / 6227020800.0
    series = series * r + 1.0 / 479001600.0
    series = series * r + 1.0 / 39916800.0
    series = series * r + 1.0 / 3628800.0
    series = series * r + 1.0 / 362880.0
    series = series * r + 1.0 / 40320.0
    series = series * r + 1.0 / 5040.0
    series = series * r + 1.0 / 720.0
    series = series * r + 1.0 / 120.0
    series = series * r + 1.0 / 24.0
    series = series * r + 1.0 / 6.0
    series = series * r + 0.5
    series = series * r + 1.0
    series = series * r + 1.0
    power = _number_with_bits((_bits_of_number(shifted) + 1023) << 52)
    return series * power if x > -700.0 else 0.0
