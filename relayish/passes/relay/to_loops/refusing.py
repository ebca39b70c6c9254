"""Handlers that say why operators are no loops, each for a reason."""

from __future__ import annotations

from typing import Any, ClassVar

from relayish.domain import Handler, assemble
from relayish.domain.dispatch import Dispatch
from relayish.errors import UnlowerableError
from relayish.ir.kinds.one_line import quote
from relayish.ir.kinds.opcode import operator_of
from relayish.ir.nodes.node import Node
from relayish.passes.relay.lowering.context import LowerCtx


class Refusing(Handler):
    """The base of handlers that say why operators without a method are no loops.

    Attributes:
        reasons: Why, by operator.
        otherwise: Why all others are none.
    """

    reasons: ClassVar[dict[str, str]] = {}
    otherwise: ClassVar[str] = "nobody said how; a handler for the task 'loops' can"

    def any_operator(self, visitor: Dispatch, node: Node) -> Any:  # noqa: ARG002 - Any: as the base
        """Refuse what has no method.

        Raises:
            UnlowerableError: Always.
        """
        raise UnlowerableError(f"{quote(node)} cannot be written as loops: {self.reason_for(node)}")

    def reason_for(self, node: Node) -> str:
        """Return why a node is not written as loops."""
        return self.reasons.get(operator_of(node).name, self.otherwise)


class Unlowered(Refusing):
    """The base of handlers of domains whose other operators ``Lower`` writes by those of the core.

    What it left is refused for the reason that it has.
    """

    def reason_for(self, node: Node) -> str:
        """Return why ``Lower`` left a call as it was."""
        context = LowerCtx()
        assemble("lower", context, occurrences=False).visit(node)
        told = [left.reason for left in context.left if left.call is node]
        return told[0] if told else super().reason_for(node)
