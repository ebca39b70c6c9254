"""Writing patterns. A pattern that occurs twice inside another is written once and referred to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Final, Protocol, cast

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.adt import (
    Constructor,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.traversal import PATTERNS
from relayish.text.generic_form import (
    PartsContext,
    assemble,
    find_repeated,
    node_parts,
    separate_by_commas,
)
from relayish.text.tables import REGISTER, Parts


class PatternContext(PartsContext, Protocol):
    """What writing a pattern needs from the printer."""

    def bind(self, var: Node, bound: list[Node]) -> str:
        """Bring a variable into scope and return how it is written where it is bound."""

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
            self._shared |= find_repeated(
                (root,), PATTERNS, lambda p: PATTERNS.push[type(p)] is None
            )
        return assemble(root, partial(self._expand, bound))

    def _expand(self, bound: list[Node], item: Node) -> str | Iterator[object]:
        """Return the text of a variable, or of a pattern that has a label, or the pieces of one."""
        if type(item) in VARIABLES:
            bound.append(item)
            return self._context.bind(item, [])
        label = self._labels.get(item)
        if label is not None:
            return label
        parts = PATTERN_PARTS[type(item)](self._context, item)
        if item not in self._shared:
            return parts
        label = self._labels[item] = f"#{len(self._labels)}"
        return chain((f"{label}=",), parts)


def _constructor(context: PatternContext, pattern: PatternConstructor) -> Iterator[object]:
    yield context.constructor(pattern.constructor)
    if pattern.patterns:
        yield "("
        yield from separate_by_commas(pattern.patterns)
        yield ")"


def _tuple(_: PatternContext, pattern: PatternTuple) -> Iterator[object]:
    yield "("
    yield from separate_by_commas(pattern.patterns)
    yield ")"  # also behind one: parentheses do not group patterns


def _print_generic(context: PatternContext, pattern: Pattern) -> Iterator[object]:
    yield from node_parts(context, pattern, (Pattern,))


PATTERN_PARTS: Final[KindTable[Parts]] = KindTable("the printer of patterns", REGISTER)
"""What a pattern consists of, in order; of an unknown kind its generic form."""
for _kind, _parts in {
    PatternWildcard: lambda _context, _pattern: iter(("_",)),
    PatternVar: lambda _, pattern: iter((pattern.var,)),
    PatternConstructor: _constructor,
    PatternTuple: _tuple,
    Pattern: _print_generic,
}.items():
    PATTERN_PARTS.register(_kind, cast(Parts, _parts))
