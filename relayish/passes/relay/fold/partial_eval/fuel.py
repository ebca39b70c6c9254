"""Termination: how often a function is evaluated inside itself while its arguments shrink.

Each activation of a function within one of the same function must have made progress: some argument
is a smaller number from zero on, or a lower structure, than it ever was on the way down. What was
smallest so far is kept for each argument, so no two can take turns in growing; there is always an
end. How much is evaluated in all is limited besides, in proportion to the program.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, TypeAlias

import numpy as np

from relayish.ir.relay.expr import Constant, Function
from relayish.passes.relay.fold.partial_eval.value import Built, Fields, Value

Measure: TypeAlias = "int | tuple[int | None, ...] | None"
"""How large a value is; ``None`` where nobody knows."""

STEPS: Final = 100_000
"""How many nodes may be evaluated besides those in proportion to the program."""
STEPS_PER_NODE: Final = 5


class Fuel:
    """What is left of it, for each function and in all.

    Args:
        size: How many nodes the program has.
    """

    def __init__(self, size: int) -> None:
        self.left = STEPS + STEPS_PER_NODE * size
        self._active: defaultdict[Function, list[tuple[Measure, ...]]] = defaultdict(list)

    def enter(self, func: Function, args: tuple[Value, ...]) -> bool:
        """Return whether a call of ``func`` may be evaluated; if so, :meth:`leave` it then."""
        if self.left <= 0:
            return False
        measures = tuple([_measure(arg) for arg in args])
        active = self._active[func]
        if active:
            least = tuple([_take_least(a, b) for a, b in zip(active[-1], measures, strict=True)])
            if least == active[-1]:
                return False
            measures = least
        active.append(measures)
        return True

    def enter_unknown(self, func: Function) -> None:
        """Begin to evaluate the body of ``func`` for arguments of which nothing is known."""
        active = self._active[func]
        active.append(active[-1] if active else (None,) * len(func.params))

    def leave(self, func: Function) -> None:
        """End what :meth:`enter` or :meth:`enter_unknown` began."""
        self._active[func].pop()


def _measure(value: Value) -> Measure:
    if isinstance(value.static, Fields):
        return tuple([_size(field) for field in value.static.fields])
    return _size(value)


def _size(value: Value) -> int | None:
    static = value.static
    if isinstance(static, (Fields, Built)):
        return static.height
    if not isinstance(static, Constant) or not isinstance(static.data, (np.integer, np.bool_)):
        return None
    number = int(static.data)
    return number if number >= 0 else None


def _take_least(one: Measure, other: Measure) -> Measure:
    """Return the lesser of two measures of an argument, each field of a tuple by itself."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        pairs = zip(one, other, strict=True)
        return tuple([b if a is None else a if b is None else min(a, b) for a, b in pairs])
    if isinstance(one, int) and isinstance(other, int):
        return min(one, other)
    return one
