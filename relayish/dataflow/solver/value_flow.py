"""Value flow of one node: of what other values its value, and what it binds, may be."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeAlias

from relayish.dataflow.points_to.rules import VALUE_FLOW, ValueFlow
from relayish.ir.nodes.node import Node

Source: TypeAlias = tuple[Node, Node, Hashable]
"""``(target, source, key)``: the value of ``target`` may be that part of the value of ``source``;

for :data:`WHOLE`, that value itself.
"""


class Whole:
    """Stands for the key of no part: the value itself."""

    def __repr__(self) -> str:
        return "WHOLE"


WHOLE: Final = Whole()


class FlowOfNode(ValueFlow):
    """Collects what the rule of a kind tells about one node.

    Attributes:
        sources: What values may be, or parts of them.
        unknown: What may have any value.
        created: What consists of parts that never change.
    """

    __slots__ = ("created", "sources", "unknown")

    def __init__(self, node: Node) -> None:
        self.sources: list[Source] = []
        self.unknown: list[Node] = []
        self.created: Mapping[Hashable, Node] | None = None
        VALUE_FLOW[type(node)](node, self)

    def same(self, node: Node, other: Node) -> None:
        self.sources.append((node, other, WHOLE))

    def passes(self, source: Node, target: Node) -> None:
        self.sources.append((target, source, WHOLE))

    def reads(self, container: Node, key: Hashable, target: Node) -> None:
        self.sources.append((target, container, key))

    def creates(self, node: Node, parts: Mapping[Hashable, Node], *, mutable: bool = False) -> None:  # noqa: ARG002
        if not mutable:
            self.created = parts

    def is_unknown(self, node: Node) -> None:
        self.unknown.append(node)

    def creates_function(
        self, node: Node, parameters: Sequence[Node], result: Node | None, case: int = 0
    ) -> None:
        """Say nothing: functions have no value here."""

    def writes(self, container: Node, key: Hashable, source: Node) -> None:
        """Say nothing: what changes has no value here."""

    def calls(self, call: Node, callee: Node, arguments: Sequence[Node]) -> None:
        """Say nothing: the solver goes into what is called."""

    def calls_by_name(self, call: Node, name: str, arguments: Sequence[Node]) -> None:
        """Say nothing, as for other calls."""

    def escapes(self, node: Node) -> None:
        """Say nothing: what never changes is not changed by others."""
