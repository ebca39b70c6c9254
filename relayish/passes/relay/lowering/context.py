"""The context of lowering: what stayed as it was, and why."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, cast

from relayish.domain import TransformCtx
from relayish.domain.dispatch import Dispatch
from relayish.errors import PassError
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.kinds.opcode import place_of
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.rewriting.rule import tell_reason

Unlowerable: TypeAlias = Literal["keep", "refuse"]
"""What becomes of operators that tensor operators cannot express."""


class Left(NamedTuple):
    """A call that stayed as it was, and why."""

    call: Expr
    reason: str

    def __str__(self) -> str:
        domain, operator = place_of(self.call)
        return f"{operator.name!r} of domain {domain.name!r} stays: {self.reason}"


class LowerCtx(TransformCtx):
    """The context in which handlers of all domains lower one program.

    Nodes of domains that no handler serves are rebuilt with their children. Handlers of lowering do
    without it, in any :class:`TransformCtx`: there what cannot be lowered stays.

    Args:
        unlowerable: Whether a call that tensor operators cannot express is kept, or refused.

    Attributes:
        left: The calls that stayed as they were, with reasons, in the order they were met.

    Source:
        AIR ``LOWER_CTX``.
    """

    def __init__(self, *, unlowerable: Unlowerable = "keep") -> None:
        self.unlowerable: Final = unlowerable
        self.left: Final[list[Left]] = []

    def leave(self, node: Expr, image: Expr, reason: str) -> Expr:
        """Return ``image``, the call ``node`` with lowered arguments, which stays for a reason.

        Raises:
            PassError: If what cannot be lowered is refused.
        """
        found = Left(node, reason)
        if self.unlowerable == "refuse":
            raise PassError(
                f"{one_line_at(node)} cannot be lowered: {reason}; lower with unlowerable='keep' "
                f"to leave such calls as they are"
            )
        self.left.append(found)
        tell_reason(str(found))
        return image

    def handle_unknown_domain(self, visitor: Dispatch, node: Node) -> Node:
        """Return ``node`` with lowered children: its domain brings no lowering."""
        return cast("Node", self.handle_node(visitor, node))
