"""The nodes of one program, grouped by kind, so that each rule looks only at those it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from relayish.ir.nodes.node import Node
from relayish.tir.ir.family import IrNode

N = TypeVar("N", bound=Node)


class ProgramNodes:
    """All that a program evaluates.

    Attributes:
        root: The program.
        order: Its nodes, children before parents.
    """

    __slots__ = ("_by_kind", "order", "root")

    def __init__(self, root: IrNode, order: Sequence[Node]) -> None:
        self.root = root
        self.order = order
        self._by_kind: dict[type[Node], list[Node]] = {}
        for node in order:
            held = self._by_kind.get(type(node))
            if held is None:
                held = self._by_kind[type(node)] = []
            held.append(node)

    def of(self, kind: type[N]) -> list[N]:
        """Return the nodes of one kind, children before parents."""
        return cast("list[N]", self._by_kind.get(kind, []))

    @property
    def kinds(self) -> list[type[Node]]:
        """The kinds that occur."""
        return list(self._by_kind)
