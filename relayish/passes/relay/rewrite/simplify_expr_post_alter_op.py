"""Simplification of what alteration leaves behind.

Before::

    %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW4c");
    %1 = reshape(%0, newshape=[1, 2, 5, 5, 4]);
    cast(layout_transform(%1, src_layout="NCHW4c", dst_layout="NCHW"), dtype="float32")

After, with ``%x: Tensor[(1, 8, 5, 5), float32]``::

    %x
"""

from __future__ import annotations

from typing import Final

from relayish.dataflow_pattern import RuleSet, rewrite_rules
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.simplify.arithmetic import IDENTITIES
from relayish.passes.relay.rewrite.simplify.arrangement import ARRANGEMENT

_RULES: Final = RuleSet([IDENTITIES, ARRANGEMENT])


@register_pass(
    "SimplifyExprPostAlterOp",
    opt_level=0,
    required=("InferType",),
    infer_types=True,
    idempotent=True,
)
def simplify_expr_post_alter_op(expr: Expr, mod: IRModule | None = None) -> Expr:
    """Peephole simplification: clean up what alteration of operators leaves behind.

    Return ``expr``, whose types are known, without reshapes, changes of layout, conversions and
    limits that come one after the other where one would do, or none, and without operands that
    change nothing. A zero that is added no longer makes a positive zero of a negative one, as in
    ``SimplifyExpr``; all else keeps every bit.

    Args:
        expr: A well-formed expression; rules that ask for a type leave alone what has none.
        mod: The module it belongs to.

    Returns:
        ``expr`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes and of replacements; no recursion.

    Source:
        Relay ``SimplifyExprPostAlterOp``; changes of layout one after the other are Relay's
        ``SimplifyExpr``'s alone.
    """
    return rewrite_rules(_RULES, expr, mod, keep_order=True)
