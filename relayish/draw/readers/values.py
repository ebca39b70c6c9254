"""Values of an expression: which box computes each, and how it enters the blocks that use it."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from relayish.draw.diagram import Box, BoxKind, Diagram, Edge, EdgeKind
from relayish.draw.keys import join_key
from relayish.draw.readers.blocks import Blocks, resolve
from relayish.draw.readers.looks import Look
from relayish.draw.readers.texts import details, type_of
from relayish.draw.type_text import type_text
from relayish.ir.fields.naming import name_of
from relayish.ir.nodes.node import VARIABLES, Node

_TOLD: Final = frozenset({BoxKind.INPUT, BoxKind.CAPTURE})
"""Boxes that tell the type of their value themselves."""


class Value(NamedTuple):
    """Where a value comes from.

    Attributes:
        box: The number of the box that computes it.
        output: Which of its results it is.
        is_part: Whether it is one of several results.
    """

    box: int
    output: int = 0
    is_part: bool = False


class Source(NamedTuple):
    """Where an operand comes from, and what is written where its edge begins."""

    value: Value
    label: str


class Values:
    """The values of an expression, by the boxes that compute them.

    A value from a block further out enters a block by a box of its own, one for each value.

    Args:
        diagram: What boxes and edges are added to.
        blocks: The blocks of the expression.

    Attributes:
        bound: What variables stand for: what lets bind them to, and constants that are given.
        holder: The box that what is in a block lies in.
    """

    def __init__(self, diagram: Diagram, blocks: Blocks) -> None:
        self.bound = dict(blocks.bound)
        self.holder: dict[int, int | None] = {}
        self._diagram = diagram
        self._blocks = blocks
        self._value: dict[Node, Value] = {}
        self._home: dict[int, int] = {}
        self._captures: dict[tuple[int, Value], Value] = {}
        self._titles: dict[str, Counter[str]] = {}

    def key(self, path: str, name: str) -> str:
        """Return a key that no other box has."""
        counts = self._titles.setdefault(path, Counter())
        counts[name] += 1
        again = f"#{counts[name]}" if counts[name] > 1 else ""
        return join_key(path, f"{name}{again}")

    def add(self, box: Box, block: int, node: Node | None = None) -> int:
        """Add a box of a block, which computes ``node``, and return its number."""
        number = self._diagram.add(box)
        self._home[number] = block
        if node is not None:
            self._value[node] = Value(number)
        return number

    def add_given(
        self,
        node: Node,
        block: int,
        holder: int | None,
        path: str,
        title: str,
        kind: BoxKind = BoxKind.INPUT,
    ) -> int:
        """Add the box of a value that a block is given, and return its number."""
        ty = type_of(node)
        is_inner = kind is BoxKind.CAPTURE
        box = Box(
            kind,
            title,
            key=self.key(path, f"{title} (outside)" if is_inner else title),
            parent=holder,
            lines=(ty,) if ty else (),
            details=details(node, title, Look(title), {}),
        )
        return self.add(box, block)

    def let_be(self, node: Node, value: Value) -> None:
        """Let a node have no box of its own: its value is one of those of another."""
        self._value[node] = value

    def find(self, node: Node) -> Value | Node:
        """Return where a value comes from; what has no box of its own, as a constant, itself."""
        node = resolve(self.bound, node, self._value)
        return self._value.get(node, node)

    def name_of(self, node: Node) -> str:
        """Return what a value is called: by its variable, by a let, or as its box is."""
        if type(node) in VARIABLES:
            return name_of(node)
        found = self.find(node)
        if isinstance(found, Node):
            return self._blocks.name.get(node, "")
        title = self._diagram.boxes[found.box].title
        part = f"{title}.{found.output}" if found.is_part else title
        return self._blocks.name.get(node, part)

    def source(self, node: Node, block: int) -> Source | None:
        """Return where an operand comes from, as it is known in a block; of a constant nothing."""
        found = self.find(node)
        if isinstance(found, Node):
            return None
        value = self.entering(node, found, block)
        kind = self._diagram.boxes[value.box].kind
        label = "" if kind in _TOLD else type_text(getattr(node, "checked_type", None))
        return Source(value, label)

    def connect(
        self,
        source: Source | None,
        target: int,
        port: int = 0,
        kind: EdgeKind = EdgeKind.VALUE,
    ) -> None:
        """Add an edge, unless there is nothing that it comes from."""
        if source is not None:
            (box, output, _), label = source
            self._diagram.connect(Edge(box, target, port, output, label, kind))

    def entering(self, node: Node, value: Value, block: int) -> Value:
        """Return a value as it is known in a block: by a box of its own, if it is from outside."""
        home = self._home[value.box]
        if home == block:
            return value
        known = self._captures.get((block, value))
        if known is not None:
            return known
        around = self._blocks.around.get(block)
        source = value
        if around is not None and around != home:
            source = self._captures.get((around, value), value)
        holder = self.holder[block]
        path = "" if holder is None else self._diagram.boxes[holder].key
        title = self.name_of(node)
        number = self.add_given(node, block, holder, path, title, BoxKind.CAPTURE)
        label = "" if self._diagram.boxes[source.box].kind in _TOLD else type_of(node)
        edge = Edge(source.box, number, 0, source.output, label, EdgeKind.CAPTURE)
        self._diagram.connect(edge)
        known = self._captures[(block, value)] = Value(number)
        return known
