"""The context that puts statements around others, and leaves these as they are."""

from __future__ import annotations

from typing import Any

from relayish.domain.dispatch import Dispatch, Handle
from relayish.domain.transform_ctx import TransformCtx
from relayish.ir.nodes.node import Node


class InstrumentCtx(TransformCtx):
    """The context of a visit that instruments a program: it adds statements and keeps the others.

    It is a :class:`TransformCtx` whose handlers need return nothing: one that returns ``None``
    leaves its node as default handling makes it, with what other handlers put around what is below
    it. Such a handler calls ``prepend`` and ``append`` and visits no children itself.

    Source:
        AIR ``INSTRUMENT_CTX``, which changes blocks in place.

    Example:
        >>> from relayish import core
        >>> from relayish.domain import DefaultHandler, Visitor
        >>> x = core.Var("x")
        >>> class Mark(DefaultHandler, domain="core"):
        ...     def handle_st(self, visitor, store):
        ...         visitor.context.append(core.Pragma("stored"))
        >>> print(Visitor(InstrumentCtx(), Mark).visit(core.Block([core.St(x, core.const(1))])))
        {
          st(%x, 1)
          pragma("stored")
        }
    """

    def _complete(self, step: Handle) -> Handle:
        """Return what calls the handler, and goes on by default where it returns nothing."""

        def run(visitor: Dispatch, node: Node) -> Any:  # Any: as handlers return
            result = step(visitor, node)
            return visitor.visit_by_default(node) if result is None else result

        return run
