"""Walks over programs that make boxes, on a stack of their own: holders, keys, edges."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge
from relayish.draw.readers.box_text import BOX_TEXTS, BoxText, details_of, family_of
from relayish.draw.readers.last_writers import Arm, LastWriters, Place
from relayish.draw.readers.memory import edge_of_place
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.getters import scope_fields
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import Scope, parts, scopes

HOLDERS: Final = {
    Runs.ONCE: BoxKind.BLOCK,
    Runs.ONE_OF: BoxKind.BRANCH,
    Runs.REPEATEDLY: BoxKind.LOOP,
    Runs.DEFERRED: BoxKind.FUNCTION,
}
"""By how often a scope runs, what it is drawn as."""

LONGEST_KEY: Final = 160

Flow: TypeAlias = Generator[Sequence[Node], None, None]
"""Makes the boxes of a node with scopes; yields what is in each of these."""


class Walk(ABC):
    """Makes the diagram of a program.

    Args:
        root: What it is of; what a function holds lies in no box, for the diagram is of it.
        title: What stands above the diagram.

    Attributes:
        diagram: What has been made.
        writers: Who wrote what last.
    """

    def __init__(self, root: Node, title: str) -> None:
        self.root = root
        self.diagram = Diagram(title or BOX_TEXTS[type(root)](root).title)
        self.writers = LastWriters()
        self._open: list[int] = []  # the boxes that are open, the innermost last
        self._depth: dict[int, int] = {}  # how many are around each of these
        self._names: Counter[tuple[int | None, str]] = Counter()
        self._edges: set[Edge] = set()

    @property
    def holder(self) -> int | None:
        """The box that is open, innermost."""
        return self._open[-1] if self._open else None

    @abstractmethod
    def show(self, node: Node) -> Flow | None:
        """Make the box of a node; if it has scopes, return what makes those in it."""

    def run(self, contents: Iterable[Node]) -> None:
        """Make the boxes of nodes, in order, and of all that is in their scopes."""
        flows: list[Flow] = []
        showing: list[Iterator[Node]] = [iter(contents)]
        while showing:
            for node in showing[-1]:
                flow = self.show(node)
                if flow is not None:
                    flows.append(flow)
                    showing.append(iter(()))
                    break
            else:
                showing.pop()
                if not flows:
                    continue
                following = next(flows[-1], None)
                if following is None:
                    flows.pop()
                else:
                    showing.append(iter(following))

    def add(
        self,
        kind: BoxKind,
        text: BoxText,
        *,
        family: str = "",
        inputs: tuple[str, ...] = (),
        details: Details | None = None,
    ) -> int:
        """Add a box to that which is open, and return its number."""
        holder = self.holder
        name = text.name or text.title
        number = self._names[holder, name] = self._names[holder, name] + 1
        around = "" if holder is None else self.diagram.boxes[holder].key
        if len(around) > LONGEST_KEY:  # else the keys of deep nests took quadratic space
            around = f"~{hashlib.blake2b(around.encode(), digest_size=8).hexdigest()}"
        own = name if number == 1 else f"{name}#{number}"
        return self.diagram.add(
            Box(
                kind,
                text.title,
                key=f"{around}/{own}" if around else own,
                parent=holder,
                family=family,
                lines=text.lines,
                inputs=inputs,
                details=details or Details(),
            )
        )

    def add_node(self, kind: BoxKind, node: Node, inputs: tuple[str, ...] = ()) -> int:
        """Add the box of a node."""
        text = BOX_TEXTS[type(node)](node)
        is_inner = kind in (BoxKind.OPERATOR, BoxKind.STATEMENT)
        family = family_of(node, text) if is_inner else ""
        details = details_of(node, is_nested=kind is BoxKind.STATEMENT)
        return self.add(kind, text, family=family, inputs=inputs, details=details)

    def add_holder(self, node: Node, runs: Runs, inputs: tuple[str, ...] = ()) -> int | None:
        """Add the box in which scopes of a node lie; none for a function that is the root."""
        if node is self.root and runs is Runs.DEFERRED:
            return None
        return self.add_node(HOLDERS[runs], node, inputs)

    def open(self, box: int) -> None:
        """Let boxes lie in ``box`` from now on."""
        self._depth[box] = len(self._open)
        self._open.append(box)

    def close(self) -> None:
        """Let boxes lie in what is around that which is open."""
        del self._depth[self._open.pop()]

    def connect(self, edge: Edge) -> None:
        """Add an edge, unless it is there, or would lead from a box to what lies in it."""
        if edge not in self._edges and edge.source not in self._depth:
            self._edges.add(edge)
            self.diagram.connect(edge)

    def carry(self, arm: Arm, around: int) -> None:
        """Go on behind a loop, with edges for what an iteration leaves to a later one."""
        for writer, reader, place in self.writers.repeat(arm, around):
            if reader != around:
                self.connect(self.edge_of_place(place, writer, reader))

    def edge_of_place(self, place: Place, writer: int, reader: int) -> Edge:
        """Return the edge from what writes a place to what reads it."""
        return edge_of_place(place, writer, reader)


def named_scopes(node: Node, names: Sequence[str]) -> list[tuple[str, Field, Scope]]:
    """Return the scopes of a node with their names and fields, those of its parts included."""
    fields: list[tuple[str, Field]] = []
    for each in (node, *parts(node)):
        for declared in scope_fields(type(each)).scopes:
            count = _count(declared, each)
            named = declared.name.replace("_", " ")
            fields += [(f"{named} {i}" if count > 1 else named, declared) for i in range(count)]
    found = scopes(node)
    own = [*names[: len(found)], *[name for name, _ in fields[len(names) :]]]
    return [
        (name, declared, scope)
        for name, (_, declared), scope in zip(own, fields, found, strict=True)
    ]


def _count(declared: Field, node: Node) -> int:
    """Return how many scopes a field of a node is."""
    held = getattr(node, declared.name)
    if declared.block:
        return 1
    if declared.holds_many:
        return sum([isinstance(each, Node) for each in held])
    return int(declared.shape is not Shape.OPTIONAL or held is not None)
