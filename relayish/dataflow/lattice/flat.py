"""The flat lattice: one value, none, or any."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np

from relayish.dataflow.lattice.lattice import Lattice
from relayish.dataflow.lattice.symbols import BOTTOM, TOP, Extreme

V = TypeVar("V")

FlatState: TypeAlias = V | Extreme


class Flat(Lattice[FlatState[V]], Generic[V]):
    """The flat lattice, as of constants: BOTTOM below all values, TOP above, no two comparable.

    Args:
        same: Whether two values are the same; by default :func:`same_value`.

    Example:
        >>> constants = Flat()
        >>> constants.join(3, 3), constants.join(3, 4), constants.join(BOTTOM, 3)
        (3, TOP, 3)
        >>> constants.join(1, 1.0), constants.join(0.0, -0.0), constants.meet(3, 4)
        (TOP, TOP, BOTTOM)
    """

    finite_height = True
    bottom: FlatState[V] = BOTTOM
    top: FlatState[V] = TOP

    def __init__(self, same: Callable[[V, V], bool] | None = None) -> None:
        self.same: Callable[[Any, Any], bool] = same_value if same is None else same  # Any: values

    def join(self, a: FlatState[V], b: FlatState[V]) -> FlatState[V]:
        if a is b or b is BOTTOM or a is TOP:
            return a
        if a is BOTTOM or b is TOP:
            return b
        return a if self.same(a, b) else TOP

    def meet(self, a: FlatState[V], b: FlatState[V]) -> FlatState[V]:
        if a is b or b is TOP or a is BOTTOM:
            return a
        if a is TOP or b is BOTTOM:
            return b
        return a if self.same(a, b) else BOTTOM

    def leq(self, a: FlatState[V], b: FlatState[V]) -> bool:
        return a is BOTTOM or b is TOP or self.equal(a, b)

    def equal(self, a: FlatState[V], b: FlatState[V]) -> bool:
        if a is b:
            return True
        return not (a is BOTTOM or a is TOP or b is BOTTOM or b is TOP) and self.same(a, b)


def same_value(a: object, b: object) -> bool:
    """Return whether no program tells two values apart.

    Those of different types are apart, as ``1``, ``1.0`` and ``True`` are, and zeros of different
    signs; a NaN is the same as itself. Arrays are compared by element type, shape and bits, tuples
    element by element, everything else by ``==``.

    Example:
        >>> same_value(float("nan"), float("nan")), same_value(0.0, -0.0), same_value(1, True)
        (True, False, False)
    """
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in _PLAIN:
        return a == b
    if isinstance(a, float) and isinstance(b, float):
        if a != a or b != b:  # noqa: PLR0124 - a NaN is not equal to itself
            return a != a and b != b  # noqa: PLR0124 - as above
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    if isinstance(a, complex) and isinstance(b, complex):
        return same_value(a.real, b.real) and same_value(a.imag, b.imag)
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.hasobject:
            return all(map(same_value, a.ravel().tolist(), b.ravel().tolist()))
        return a.tobytes() == b.tobytes()
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_value, a, b))
    return bool(a == b)


_PLAIN: Final = frozenset({int, bool, str, bytes})
