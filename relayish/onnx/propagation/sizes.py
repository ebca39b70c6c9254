"""Expressions of dimensions, one object for each that is built alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimExpr, PrimOp
from relayish.onnx.propagation.fact import Element, Fact
from relayish.op.types import dimension
from relayish.op.types.dimension import ANY

_DEEPEST: Final = 32
"""How deep expressions nest; nothing is known of those that are deeper."""


class Sizes:
    """Makes expressions of dimensions, so that those that are alike are the same object."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], PrimOp] = {}
        self._depth: dict[PrimExpr, int] = {}
        self.alike: dict[tuple[object, ...], list[Fact]] = {}
        """What followed from facts, made of these expressions, by what is alike in calls."""

    def keep(self, size: int | PrimExpr | None) -> Element:
        """Return the one object for a size; ``None`` where nothing is known of it."""
        if size is None or isinstance(size, int):
            return size
        if isinstance(size, AnyDim):
            return None
        if not isinstance(size, PrimOp) or size in self._depth:
            return size
        args = []
        for arg in size.args:
            kept = self.keep(arg)  # not deep: what is within was kept before
            if kept is None:
                return None
            args.append(kept)
        found = self._known.get((size.name, *args))
        if found is not None:
            return found
        depth = 1 + max(self._depth.get(arg, 0) for arg in args if isinstance(arg, PrimExpr))
        if depth > _DEEPEST:
            return None
        if any(a is not b for a, b in zip(args, size.args, strict=True)):
            size = size.with_fields(args=tuple(args))
        self._known[(size.name, *args)] = size
        self._depth[size] = depth
        return size

    def product(self, sizes: Sequence[int | PrimExpr]) -> Element:
        """Return the product of sizes, 1 for none; ``None`` where one is not known."""
        found: Element = 1
        if 0 in sizes:
            return 0
        for size in sizes:
            if found is None or isinstance(size, AnyDim):
                return None
            found = self.keep(dimension.multiply(found, size))
        return found

    def sum(self, sizes: Sequence[int | PrimExpr]) -> Element:
        """Return the sum of sizes; ``None`` where one is not known."""
        found: Element = 0
        for size in sizes:
            if found is None or isinstance(size, AnyDim):
                return None
            found = self.keep(dimension.add(found, size))
        return found


def as_size(element: Element) -> int | PrimExpr:
    """Return an element of a shape as a size of a type: ``Any`` where nothing is known of it."""
    if element is None or (isinstance(element, int) and element < 0):
        return ANY
    return element
