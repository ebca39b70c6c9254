"""Activations: functions of each element that neural networks bend their values by."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.numeric import elementary
from relayish.numeric.arguments import get_scalar
from relayish.numeric.error_function import erf
from relayish.numeric.precision import is_integral, narrow, widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import check_broadcasts, check_same, choice, without_warnings

# attributes of ONNX are 32-bit numbers: the defaults are what the decimals become there
_TENTH_FIFTH: Final = 0.20000000298023224
_HUNDREDTH: Final = 0.009999999776482582
_LARGEST: Final = 3.4028234663852886e38


@kernel("Relu", since=(1, 6, 13, 14))
def relu(x: Array) -> Array:
    """Return elements, 0 where they are negative."""
    return np.asarray(np.maximum(x, x.dtype.type(0)))


@kernel("LeakyRelu", since=(1, 6, 16))
@without_warnings
def leaky_relu(x: Array, *, alpha: float = _HUNDREDTH) -> Array:
    """Return elements, ``alpha`` times as large where they are negative."""
    wide = widen(x)
    return narrow(elementary.scale_negative(wide, wide.dtype.type(alpha)), x)


@kernel("PRelu", since=(1, 6))
@without_warnings
def prelu_of_channels(x: Array, slope: Array) -> Array:
    """Return elements, times the slope of their channel where they are negative."""
    if slope.size == 1:
        slope = slope.reshape(())
    elif slope.ndim == 1 and x.ndim > 1 and slope.shape[0] == x.shape[1]:
        slope = slope.reshape((-1,) + (1,) * (x.ndim - 2))
    return prelu(x, slope)


@kernel("PRelu", since=(7, 9, 16))
@without_warnings
def prelu(x: Array, slope: Array) -> Array:
    """Return elements, times a slope that is broadcast to them where they are negative."""
    check_broadcasts(slope, x.shape, "slope")
    return narrow(elementary.scale_negative(widen(x), widen(slope)), x)


@kernel("ThresholdedRelu", since=(10, 22))
def thresholded_relu(x: Array, *, alpha: float = 1.0) -> Array:
    """Return elements, 0 where they are not above ``alpha``."""
    return np.where(x > x.dtype.type(alpha), x, x.dtype.type(0))


@kernel("Elu", since=(1, 6, 22))
@without_warnings
def elu(x: Array, *, alpha: float = 1.0) -> Array:
    """Return elements, ``alpha * (exp(x) - 1)`` where they are negative."""
    return narrow(elementary.elu(widen(x), alpha), x)


@kernel("Celu", since=(12, 28))
@without_warnings
def celu(x: Array, *, alpha: float = 1.0) -> Array:
    """Return ``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    wide = widen(x)
    scale = wide.dtype.type(alpha)
    below = np.minimum(scale * np.expm1(wide / scale), 0)
    return narrow(np.maximum(wide, 0) + below, x)


@kernel("Selu", since=(1,))
def selu_of_first_constants(
    x: Array, *, alpha: float = 1.673200011253357, gamma: float = 1.0506999492645264
) -> Array:
    """Return the scaled exponential linear unit, with the constants of version 1."""
    return selu(x, alpha=alpha, gamma=gamma)


@kernel("Selu", since=(6, 22))
@without_warnings
def selu(
    x: Array, *, alpha: float = 1.6732631921768188, gamma: float = 1.0507010221481323
) -> Array:
    """Return ``gamma * x``, and ``gamma * alpha * (exp(x) - 1)`` where elements are negative."""
    wide = widen(x)
    return narrow(elementary.elu(wide, alpha) * wide.dtype.type(gamma), x)


@kernel("Sigmoid", since=(1, 6, 13))
@without_warnings
def sigmoid(x: Array) -> Array:
    """Return ``1 / (1 + exp(-x))``."""
    return narrow(elementary.sigmoid(widen(x)), x)


@kernel("HardSigmoid", since=(1, 6, 22))
@without_warnings
def hard_sigmoid(x: Array, *, alpha: float = _TENTH_FIFTH, beta: float = 0.5) -> Array:
    """Return ``alpha * x + beta``, at least 0 and at most 1."""
    wide = widen(x)
    number = wide.dtype.type
    line = wide * number(alpha) + number(beta)
    return narrow(np.clip(line, number(0), number(1)), x)


@kernel("HardSwish", since=(14, 22))
@without_warnings
def hard_swish(x: Array) -> Array:
    """Return ``x * max(0, min(1, x / 6 + 0.5))``."""
    wide = widen(x)
    number = wide.dtype.type
    gate = np.clip(wide * number(1 / 6) + number(0.5), number(0), number(1))
    return narrow(wide * gate, x)


@kernel("Swish", since=(24,))
@without_warnings
def swish(x: Array, *, alpha: float = 1.0) -> Array:
    """Return ``x * sigmoid(alpha * x)``."""
    wide = widen(x)
    return narrow(wide * elementary.sigmoid(wide * wide.dtype.type(alpha)), x)


@kernel("SwiGLU", since=(28,))
@without_warnings
def swi_glu(a: Array, b: Array, *, alpha: float = 1.0) -> Array:
    """Return ``a * sigmoid(alpha * a) * b``; the two have one shape."""
    check_same(a, b, "gate and value of SwiGLU")
    wide = widen(a)
    gate = wide * elementary.sigmoid(wide * wide.dtype.type(alpha))
    return narrow(gate * widen(b), a)


@kernel("Mish", since=(18, 22))
@without_warnings
def mish(x: Array) -> Array:
    """Return ``x * tanh(softplus(x))``."""
    wide = widen(x)
    return narrow(wide * np.tanh(elementary.softplus(wide)), x)


@kernel("Softplus", since=(1, 22))
@without_warnings
def softplus(x: Array) -> Array:
    """Return ``log(exp(x) + 1)``."""
    return narrow(elementary.softplus(widen(x)), x)


@kernel("Softsign", since=(1, 22))
@without_warnings
def softsign(x: Array) -> Array:
    """Return ``x / (1 + |x|)``."""
    wide = widen(x)
    return narrow(wide / (wide.dtype.type(1) + np.abs(wide)), x)


@kernel("Gelu", since=(20,))
@without_warnings
def gelu(x: Array, *, approximate: str = "none") -> Array:
    """Return ``x`` times the normal distribution up to it, or a hyperbolic tangent near that."""
    choice(approximate, ("none", "tanh"), "approximate")
    wide = widen(x)
    number = wide.dtype.type
    if approximate == "none":
        share = erf(wide * number(math.sqrt(0.5)))
    else:
        cubic = wide * wide * wide * number(0.044715)
        share = np.tanh((wide + cubic) * number(math.sqrt(2 / math.pi)))
    half = wide * number(0.5)
    return narrow(half + half * share, x)


@kernel("Shrink", since=(9,))
@without_warnings
def shrink(x: Array, *, bias: float = 0.0, lambd: float = 0.5) -> Array:
    """Return elements moved by ``bias`` towards 0, and 0 where they are within ``lambd`` of it."""
    wide = x.astype(np.float64) if is_integral(x.dtype) else widen(x)
    number = wide.dtype.type
    inward = np.where(wide > number(lambd), wide - number(bias), number(0))
    moved = np.where(wide < -number(lambd), wide + number(bias), inward)
    return narrow(moved, x)


def _clip(x: Array, low: Array | None, high: Array | None) -> Array:
    if low is not None:
        x = np.maximum(x, low)
    if high is not None:
        x = np.minimum(x, high)
    return np.asarray(x)


@kernel("Clip", since=(1,))
@without_warnings
def clip_where_bounded(
    x: Array,
    *,
    max: float | None = None,  # noqa: A002 (the name of the attribute)
    min: float | None = None,  # noqa: A002 (the name of the attribute)
) -> Array:
    """Return elements, at least ``min`` and at most ``max``."""
    low = None if min is None else x.dtype.type(min)
    high = None if max is None else x.dtype.type(max)
    return _clip(x, low, high)


@kernel("Clip", since=(6,))
@without_warnings
def clip_by_numbers(
    x: Array,
    *,
    max: float = _LARGEST,  # noqa: A002 (the name of the attribute)
    min: float = -_LARGEST,  # noqa: A002 (the name of the attribute)
) -> Array:
    """Return elements, at least ``min`` and at most ``max``."""
    return _clip(x, x.dtype.type(min), x.dtype.type(max))


@kernel("Clip", since=(11, 12, 13))
@without_warnings
def clip(x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    """Return elements, at least ``low`` and, before that, at most ``high``: both are scalars."""
    for bound, what in ((low, "min"), (high, "max")):
        if bound is not None:
            get_scalar(bound, f"{what} of Clip")
    return _clip(
        x, None if low is None else low.reshape(()), None if high is None else high.reshape(())
    )
