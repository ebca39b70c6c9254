"""DropDeadLoops: a loop whose condition never holds is its first value.

let %y = while (%i = %x) cond { False } do { add(%i, 1) };    ==>    let %y = %x;
"""

from __future__ import annotations

import relayish as relay
from relayish.transform import FunctionPass, PassContext, register_pass
from while_loops.kinds import While


class _Dropper(relay.ExprMutator):
    def visit_while_loop(self, loop: While) -> relay.Expr:
        image = super().visit_while_loop(loop)
        assert isinstance(image, While)
        cond = image.cond
        never = isinstance(cond, relay.Constant) and not cond.data
        return image.init if never else image


def drop_dead_loops(expr: relay.Expr) -> relay.Expr:
    """Return ``expr`` with each loop whose condition is the constant false replaced by its start.

    Returns:
        ``expr`` itself when there is no such loop.
    """
    return _Dropper().visit(expr)


@register_pass(opt_level=1, idempotent=True)
class DropDeadLoops(FunctionPass):
    """Replace loops whose condition never holds by their first value."""

    def transform_function(
        self,
        func: relay.Function,
        mod: relay.IRModule,  # noqa: ARG002
        ctx: PassContext,  # noqa: ARG002
    ) -> relay.Function:
        """Return ``func`` without dead loops."""
        dropped = drop_dead_loops(func)
        assert isinstance(dropped, relay.Function)
        return dropped
