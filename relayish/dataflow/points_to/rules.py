"""Value flow of kinds: what the value of a node is made of, where it is put, what is called."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import binders, operands, scope_roots


class ValueFlow(Protocol):
    """What rules tell about values; it holds whenever and however often a node is evaluated."""

    @abstractmethod
    def same(self, node: Node, other: Node) -> None:
        """Say that the value of ``node`` is that of ``other``, and nothing else ever is.

        As :meth:`passes`, but sooner: what is the same has one set.
        """

    @abstractmethod
    def passes(self, source: Node, target: Node) -> None:
        """Say that the value of ``target`` may be that of ``source``."""

    @abstractmethod
    def creates(self, node: Node, parts: Mapping[Hashable, Node], *, mutable: bool = False) -> None:
        """Say that ``node`` creates a thing with these parts, by key.

        Args:
            node: The creation site.
            parts: What the parts are at first.
            mutable: Whether somebody to whom it is known may put other things in place of them.
        """

    @abstractmethod
    def creates_function(
        self, node: Node, parameters: Sequence[Node], result: Node | None, case: int = 0
    ) -> None:
        """Say that ``node`` creates a function.

        Args:
            node: The creation site.
            parameters: The variables that stand for arguments, in order.
            result: What is evaluated last, whose value a call gives; ``None``: nothing.
            case: Its body, by place among the scopes of the node.
        """

    @abstractmethod
    def reads(self, container: Node, key: Hashable, target: Node) -> None:
        """Say that the value of ``target`` may be that part of the value of ``container``."""

    @abstractmethod
    def writes(self, container: Node, key: Hashable, source: Node) -> None:
        """Say that the value of ``source`` may become that part of the value of ``container``."""

    @abstractmethod
    def calls(self, call: Node, callee: Node, arguments: Sequence[Node]) -> None:
        """Say that ``call`` calls the value of ``callee``; what that returns is its value."""

    @abstractmethod
    def calls_by_name(self, call: Node, name: str, arguments: Sequence[Node]) -> None:
        """Say that ``call`` calls what the module defines under that name."""

    @abstractmethod
    def escapes(self, node: Node) -> None:
        """Say that the value of ``node`` becomes known outside of the program.

        Whoever knows it may call it, and read and write its parts.
        """

    @abstractmethod
    def is_unknown(self, node: Node) -> None:
        """Say that the value of ``node`` may be anything that is known outside of the program."""


# Any: a node of one kind
ValueFlowRule: TypeAlias = Callable[[Any, ValueFlow], None]
"""``rule(node, flow)`` tells ``flow`` about the values of a node and of what it binds."""


def flow_anywhere(node: Node, flow: ValueFlow) -> None:
    """Tell what holds of any node: what it is given escapes, what it gives is unknown."""
    flow.is_unknown(node)
    for given in (*operands(node), *scope_roots(node)):
        flow.escapes(given)
    for bound in binders(node):
        flow.is_unknown(bound)


def flow_nowhere(node: Node, flow: ValueFlow) -> None:
    """Tell nothing: no value that the node has to do with is a function, nor has it an identity."""


VALUE_FLOW: Final[KindTable[ValueFlowRule]] = KindTable(
    "points-to analysis",
    "relayish.dataflow.VALUE_FLOW",
    {Node: flow_anywhere},
)
"""By kind: what the values of nodes are, and what they call.

Without a rule, what a node is given may go anywhere, and what it gives may be anything: so
functions given to it may be called by somebody who is not known. The rule tells of the value of the
node, and of the variables that it binds; free variables and names are seen to."""
