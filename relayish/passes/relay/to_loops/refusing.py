"""Domains as loops whose operators are refused but for some, each for a reason."""

from __future__ import annotations

from typing import Any, ClassVar

from relayish.domain import Handler, register_handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import UnlowerableError
from relayish.ir.kinds.one_line import quote
from relayish.ir.kinds.opcode import operator_of
from relayish.ir.nodes.node import Node


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
        reason = self.reasons.get(operator_of(node).name, self.otherwise)
        raise UnlowerableError(f"{quote(node)} cannot be written as loops: {reason}")


@register_handler("loops")
class RandomToLoops(Refusing, domain="random"):
    """Refuses random numbers: the words that they are made of are counted through a key."""

    otherwise = "it draws random numbers, which evaluators do"


@register_handler("loops")
class DynamicToLoops(Refusing, domain="dyn"):
    """Refuses what has sizes that nobody knows."""

    otherwise = "its sizes are known when it runs only; DynamicToStatic writes those it can find"


@register_handler("loops")
class MemoryToLoops(Refusing, domain="memory"):
    """Refuses explicit memory, which loops have of their own."""

    otherwise = "it manages memory, of which loops have their own; lower before ManifestAlloc"


@register_handler("loops")
class MachineToLoops(Refusing, domain="vm"):
    """Refuses instructions of Relay's virtual machine."""

    otherwise = "it is an instruction of a virtual machine"
