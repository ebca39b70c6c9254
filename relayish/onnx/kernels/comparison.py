"""Comparisons, logic and operations on bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.onnx.kernels.legacy_broadcast import align_second
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import broadcast_shape, choice, on_broadcast, without_warnings

_LEGACY_TOO: Final = {
    "Equal": ((7, 11, 13, 19), np.equal),
    "Greater": ((7, 9, 13), np.greater),
    "Less": ((7, 9, 13), np.less),
    "And": ((7,), np.logical_and),
    "Or": ((7,), np.logical_or),
    "Xor": ((7,), np.logical_xor),
}

_BROADCASTING: Final = {
    "GreaterOrEqual": ((12, 16), np.greater_equal),
    "LessOrEqual": ((12, 16), np.less_equal),
    "BitwiseAnd": ((18,), np.bitwise_and),
    "BitwiseOr": ((18,), np.bitwise_or),
    "BitwiseXor": ((18,), np.bitwise_xor),
}


def _declare_legacy(name: str, function: Callable[[Array, Array], Array]) -> None:
    @without_warnings
    def aligned(a: Array, b: Array, *, axis: int | None = None, broadcast: int = 0) -> Array:
        return np.asarray(function(a, align_second(a, b, axis, broadcast)))

    kernel(name, since=(1,))(aligned)


def _declare(
    name: str, versions: tuple[int, ...], function: Callable[[Array, Array], Array]
) -> None:
    @without_warnings
    def broadcasting(a: Array, b: Array) -> Array:
        return on_broadcast(function, a, b)

    kernel(name, since=versions)(broadcasting)


for _name, (_versions, _function) in (_LEGACY_TOO | _BROADCASTING).items():
    _declare(_name, _versions, _function)

for _name, (_, _function) in _LEGACY_TOO.items():
    _declare_legacy(_name, _function)


@kernel("Not", since=(1,))
def negate(x: Array) -> Array:
    """Return whether each element is false."""
    return np.asarray(np.logical_not(x))


@kernel("BitwiseNot", since=(18,))
def invert(x: Array) -> Array:
    """Return elements with each of their bits inverted."""
    return np.asarray(np.invert(x))


@kernel("BitShift", since=(11, 28))
def shift_bits(x: Array, y: Array, *, direction: str) -> Array:
    """Return elements with their bits shifted; all are shifted out by as many as there are."""
    choice(direction, ("LEFT", "RIGHT"), "direction")
    return on_broadcast(np.left_shift if direction == "LEFT" else np.right_shift, x, y)


@kernel("Where", since=(9, 16))
def select(condition: Array, x: Array, y: Array) -> Array:
    """Return elements of ``x`` where ``condition``, of ``y`` elsewhere."""
    broadcast_shape(condition, x, y)
    return np.where(condition, x, y)
