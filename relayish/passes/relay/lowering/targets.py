"""Targets of lowering: which handlers lower the domains, where a target has operators of its own.

A target is told by the handlers that differ from those the domains bring themselves; these serve
in their place. Handlers usually derive from those, and override in part.
"""

from __future__ import annotations

from typing import Final

from relayish.domain import DefaultHandler, Handler, Visitor, assemble, handler_of
from relayish.domain.dispatch import Dispatch
from relayish.errors import DeclarationError, UnknownNameError, suggest
from relayish.ir.kinds.one_line import show_found
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.ir.relay.expr import Call, Expr
from relayish.passes.relay.lowering.context import LowerCtx
from relayish.passes.relay.lowering.contracting import ByMatrices, BySums
from relayish.passes.relay.lowering.nn.handler import LowerNN
from relayish.passes.relay.lowering.relay import LowerRelay
from relayish.passes.relay.lowering.vision.handler import LowerVision

_TARGETS: Final[ClaimedTable[str, tuple[type[Handler], ...]]] = ClaimedTable(
    lambda name: f"the lowering target {name!r}", "choose another name"
)


def register_lowering_target(name: str, *handlers: type[Handler], replace: bool = False) -> None:
    """Declare a target that programs can be lowered for: ``Lower{target=name}``.

    Args:
        name: What it is called.
        handlers: Classes of handlers, made without arguments, that lower their domains for it; each
            other domain is lowered as it says itself.
        replace: Take the place of a target of that name.

    Raises:
        DeclarationError: If something else than a class of handlers is given.
        DuplicateNameError: If two of them serve one domain; if somebody else declared a target of
            that name and ``replace`` is false.

    Example:
        >>> from relayish.ir.registration.declarations import declared_temporarily
        >>> class KeepDense(LowerNN):
        ...     def handle_dense(self, visitor, node):
        ...         return visitor.visit_by_default(node)
        >>> with declared_temporarily():
        ...     register_lowering_target("dense_unit", KeepDense)
        ...     "dense_unit" in list_lowering_targets()
        True
    """
    for handler in handlers:
        given: object = handler
        if not isinstance(given, type) or not issubclass(given, Handler):
            raise DeclarationError(
                f"register_lowering_target({name!r}, ...) is given {show_found(handler)}; expected "
                f"classes of handlers"
            )
    Visitor(LowerCtx(), *handlers)
    _TARGETS.register(name, handlers, replace=replace)


def list_lowering_targets() -> tuple[str, ...]:
    """Return the names of all targets, sorted."""
    return tuple(sorted(_TARGETS))


def handlers_of_target(name: str) -> tuple[type[Handler], ...]:
    """Return the handlers that a target has in place of those that domains bring.

    Raises:
        UnknownNameError: If there is no such target.
    """
    found = _TARGETS.get(name)
    if found is None:
        raise UnknownNameError(
            f"there is no lowering target {name!r}{suggest(name, _TARGETS)}; there are "
            f"{', '.join(list_lowering_targets())}; register_lowering_target declares one"
        )
    return found


def assemble_lowering(name: str, context: LowerCtx, domain: str | None = None) -> Visitor[LowerCtx]:
    """Return the visitor that lowers all domains for a target, or one domain alone."""
    handlers = handlers_of_target(name)
    if domain is None:
        return assemble("lower", context, *handlers, occurrences=False)
    own = [handler for handler in handlers if handler().domain.name == domain]
    lowers = own[0] if own else handler_of("lower", domain) or DefaultHandler
    return Visitor(context, lowers, LowerRelay, occurrences=False)


class LowerNNToSums(BySums, LowerNN):
    """Lowers ``nn`` for what multiplies element by element only."""


class LowerNNToMatrices(ByMatrices, LowerNN):
    """Lowers ``nn`` for what multiplies matrices: convolutions too become products of matrices."""

    def handle_dense(self, visitor: Dispatch, node: Call) -> Expr:
        """Keep the product."""
        kept: Expr = visitor.visit_by_default(node)
        return kept

    handle_matmul = handle_batch_matmul = handle_dense


class LowerVisionToSums(BySums, LowerVision):
    """Lowers ``vision`` for what multiplies element by element only."""


class LowerVisionToMatrices(ByMatrices, LowerVision):
    """Lowers ``vision`` for what multiplies matrices."""


register_lowering_target("einsum")
register_lowering_target("sum", LowerNNToSums, LowerVisionToSums)
register_lowering_target("matmul", LowerNNToMatrices, LowerVisionToMatrices)
