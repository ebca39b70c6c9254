"""Writing patterns. A pattern that occurs twice inside another is written once and referred to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from relayish.ir.node import Node
from relayish.ir.relay.adt import (
    Constructor,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.expr import Var
from relayish.ir.relay.traversal import PATTERNS


class PatternContext(Protocol):
    """What writing a pattern needs from the printer."""

    def bind(self, var: Var) -> str:
        """Bring a variable into scope and return how it is written where it is bound."""

    def constructor(self, constructor: Constructor) -> str:
        """Return how a constructor is referred to."""


class PatternPrinter:
    """Writes patterns, binding their variables as they are met."""

    def __init__(self, context: PatternContext) -> None:
        self._context = context
        self._labels: dict[Node, str] = {}
        self._shared: set[Node] = set()

    def text(self, root: Pattern, bound: list[Var]) -> str:
        """Return the text of a pattern; the variables it binds are added to ``bound``."""
        if type(root) in (PatternConstructor, PatternTuple) and root not in self._labels:
            self._find_shared(root)
        out: list[str] = []
        stack: list[object] = [root]
        while stack:
            item = stack.pop()
            if type(item) is str:
                out.append(item)
            elif isinstance(item, Var):
                bound.append(item)
                out.append(self._context.bind(item))
            elif isinstance(item, Pattern):
                label = self._labels.get(item)
                if label is not None:
                    out.append(label)
                    continue
                if item in self._shared:
                    label = self._labels[item] = f"#{len(self._labels)}"
                    out.append(f"{label}=")
                stack += reversed(list(_PARTS[type(item)](self._context, item)))
        return "".join(out)

    def _find_shared(self, root: Pattern) -> None:
        used: set[Node] = set()
        for node in PATTERNS.pre_order(root):
            for child in PATTERNS.children(node):
                if child in used and PATTERNS.children(child):
                    self._shared.add(child)
                used.add(child)


def _constructor(context: PatternContext, pattern: PatternConstructor) -> Iterator[object]:
    yield context.constructor(pattern.constructor)
    if pattern.patterns:
        yield "("
        yield from _separated(pattern.patterns)
        yield ")"


def _tuple(_: PatternContext, pattern: PatternTuple) -> Iterator[object]:
    yield "("
    yield from _separated(pattern.patterns)
    yield ",)" if len(pattern.patterns) == 1 else ")"


def _separated(items: tuple[Pattern, ...]) -> Iterator[object]:
    for index, item in enumerate(items):
        if index:
            yield ", "
        yield item


_PARTS: Final[dict[type[Node], Callable[[PatternContext, Any], Iterator[object]]]] = {
    PatternWildcard: lambda _context, _pattern: iter(("_",)),
    PatternVar: lambda _, pattern: iter((pattern.var,)),
    PatternConstructor: _constructor,
    PatternTuple: _tuple,
}
"""What a pattern consists of, in order; Any: a pattern of the key's kind."""
