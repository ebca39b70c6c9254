"""The context of lowering: symbols of the new program, and what stayed as it was, and why."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, cast

from relayish.domain import TransformCtx
from relayish.domain.dispatch import Dispatch
from relayish.errors import PassError
from relayish.ir.node import Node
from relayish.ir.one_line import one_line_at
from relayish.ir.opcode import place_of
from relayish.ir.relay.expr import Expr, GlobalVar, Var
from relayish.ir.renaming import make_fresh_variable

Unlowerable: TypeAlias = Literal["keep", "refuse"]
"""What becomes of operators that tensor operators cannot express."""


class Left(NamedTuple):
    """A call that stayed as it was, and why."""

    call: Expr
    reason: str

    def __str__(self) -> str:
        domain, operator = place_of(self.call)
        return f"{operator.name!r} of domain {domain.name!r} stays: {self.reason}"


class SymbolMap:
    """The symbols of a program and those that stand for them in the lowered one (AIR's id maps).

    Attributes:
        global_vars: By name of a definition, that of what it became.
        variables: By variable that the old program binds, that of the new one.
        fresh: Whether variables become new ones; otherwise they are their own images.
    """

    def __init__(self, global_vars: dict[GlobalVar, GlobalVar] | None = None) -> None:
        self.global_vars: Final = {} if global_vars is None else global_vars
        self.variables: Final[dict[Var, Var]] = {}
        self.fresh = any(old is not new for old, new in self.global_vars.items())

    def image_of(self, variable: Var) -> Var:
        """Return what stands for ``variable`` in the lowered program."""
        found = self.variables.get(variable)
        if found is None:
            found = make_fresh_variable(variable) if self.fresh else variable
            self.variables[variable] = found
        return found


class LowerCtx(TransformCtx):
    """The context in which handlers of all domains lower one program.

    Nodes of domains that no handler serves are rebuilt with their children. Handlers of lowering do
    without it, in any :class:`TransformCtx`: then symbols stay, and so does what cannot be lowered.

    Args:
        unlowerable: Whether a call that tensor operators cannot express is kept, or refused.
        symbols: The symbols of the old program, with those of the new one.

    Attributes:
        left: The calls that stayed as they were, with reasons, in the order they were met.
        lowered: How many calls did not.

    Source:
        AIR ``LOWER_CTX``.
    """

    def __init__(
        self, *, unlowerable: Unlowerable = "keep", symbols: SymbolMap | None = None
    ) -> None:
        self.unlowerable: Final = unlowerable
        self.symbols: Final = SymbolMap() if symbols is None else symbols
        self.left: Final[list[Left]] = []
        self.lowered = 0

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
        return image

    def handle_unknown_domain(self, visitor: Dispatch, node: Node) -> Node:
        """Return ``node`` with lowered children: its domain brings no lowering."""
        return cast("Node", self.handle_node(visitor, node))
