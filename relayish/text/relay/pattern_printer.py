"""Writing patterns. A pattern that occurs twice inside another is written once and referred to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol, cast

from relayish.ir.kind_table import KindTable
from relayish.ir.node import VARIABLES, Node
from relayish.ir.relay.adt import (
    Constructor,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.traversal import PATTERNS
from relayish.text.node_writer import parts_of
from relayish.text.tables import REGISTER, Parts, family_of
from relayish.text.values_writer import ValueContext


class PatternContext(ValueContext, Protocol):
    """What writing a pattern needs from the printer."""

    def bind(self, var: Node, bound: list[Node]) -> str:
        """Bring a variable into scope and return how it is written where it is bound."""

    def kind_name(self, kind: type[Node]) -> str:
        """Return the name of a kind."""

    def bind_types(self, variables: tuple[Node, ...]) -> str:
        """Bring type variables into scope and return their text."""

    def leave_types(self, variables: tuple[Node, ...]) -> None:
        """Take type variables out of scope."""

    def constructor(self, constructor: Constructor) -> str:
        """Return how a constructor is referred to."""


class PatternPrinter:
    """Writes patterns, binding their variables as they are met."""

    def __init__(self, context: PatternContext) -> None:
        self._context = context
        self._labels: dict[Node, str] = {}
        self._shared: set[Node] = set()

    def text(self, root: Pattern, bound: list[Node]) -> str:
        """Return the text of a pattern; the variables it binds are added to ``bound``."""
        if PATTERNS.push[type(root)] is not None and root not in self._labels:
            self._find_shared(root)
        out: list[str] = []
        stack: list[object] = [root]
        while stack:
            item = stack.pop()
            if type(item) is str:
                out.append(item)
            elif isinstance(item, tuple):
                self._context.leave_types(item)
            elif isinstance(item, Node) and type(item) in VARIABLES:
                bound.append(item)
                out.append(self._context.bind(item, []))
            elif isinstance(item, Pattern):
                label = self._labels.get(item)
                if label is not None:
                    out.append(label)
                    continue
                if item in self._shared:
                    label = self._labels[item] = f"#{len(self._labels)}"
                    out.append(f"{label}=")
                stack += reversed(list(PATTERN_PARTS[type(item)](self._context, item)))
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


class _Pieces:
    """What the generic form of a pattern asks for; variables are bound as they are met."""

    def __init__(self, context: PatternContext) -> None:
        self._context = context
        self.metadata = context.metadata
        self.kind_name, self.bind_types = context.kind_name, context.bind_types
        self.operand, self.family_text = context.operand, context.family_text

    def piece(self, item: Node) -> object:
        """Return a pattern, or a variable where it is bound, as it is; the text of other nodes."""
        if isinstance(item, Pattern):
            return item
        if family_of(type(item)) is not None:
            return self._context.family_text(item)
        return self._context.operand(item)

    def binder(self, var: Node) -> object:
        """Return a variable that is bound, as it is."""
        return var


def _generic(context: PatternContext, pattern: Pattern) -> Iterator[object]:
    yield from parts_of(_Pieces(context), pattern)


PATTERN_PARTS: Final[KindTable[Parts]] = KindTable("the printer of patterns", REGISTER)
"""What a pattern consists of, in order; of an unknown kind its generic form."""
for _kind, _parts in {
    PatternWildcard: lambda _context, _pattern: iter(("_",)),
    PatternVar: lambda _, pattern: iter((pattern.var,)),
    PatternConstructor: _constructor,
    PatternTuple: _tuple,
    Pattern: _generic,
}.items():
    PATTERN_PARTS.register(_kind, cast(Parts, _parts))
