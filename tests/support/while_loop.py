"""A loop as a package may declare it, without an effect of its own, and with no rule registered."""

from __future__ import annotations

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.expr import Expr, Var

DECLARED = declared_temporarily()
with DECLARED:

    @node("while_loop", effect=Effect.NONE)
    class While(Expr):
        """``var`` is ``init`` at first, then ``body`` as long as ``cond`` holds."""

        var: Var = field(binder=True)
        init: Expr
        cond: Expr = field(scope=Runs.REPEATEDLY)
        body: Expr = field(scope=Runs.REPEATEDLY)
