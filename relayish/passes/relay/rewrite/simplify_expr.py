"""Peephole simplification by local rewrite rules.

Before::

    %0 = reshape(%x, newshape=[-1, 8]);
    %1 = reshape(%0, newshape=[4, 2, 8]);
    add(multiply(%1, ones_like(%1)), zeros_like(%1))

After, with ``%x: Tensor[(8, 8), float32]``::

    reshape(%x, newshape=[4, 2, 8])
"""

from __future__ import annotations

from typing import Final

from relayish.dataflow_pattern import RuleSet, rewrite_rules
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.simplify.arithmetic import ARITHMETIC
from relayish.passes.relay.rewrite.simplify.arrangement import ARRANGEMENT
from relayish.passes.relay.rewrite.simplify.concretise import CONCRETISE
from relayish.passes.relay.rewrite.simplify.network import LATE, NETWORK
from relayish.passes.relay.rewrite.simplify.polynomial import POLYNOMIAL

SIMPLIFY: Final = RuleSet([CONCRETISE, ARRANGEMENT, ARITHMETIC, POLYNOMIAL, NETWORK])
"""The rules of :func:`simplify_expr`."""
_AT_LAST: Final = RuleSet([SIMPLIFY, LATE])


@register_pass(
    "SimplifyExpr", opt_level=0, required=("InferType",), infer_types=True, idempotent=True
)
def simplify_expr(expr: Expr, mod: IRModule | None = None) -> Expr:
    """Peephole simplification: apply algebraic rewrite rules until none fits.

    Return ``expr``, whose types are known, simplified by :data:`SIMPLIFY`.

    Shapes and element types taken from another tensor are written out; reshapes, transpositions,
    changes of layout, conversions and limits that follow one another become one, or none; operands
    that change nothing go; constants that are added or multiplied one after the other are combined,
    and multiplied in front of added ones; polynomials of the second degree become products; what is
    added to a reshaped product of matrices is added before the reshape.

    Numbers that are no numbers, infinite or negative zero keep their values, and whole numbers that
    overflow theirs, with these exceptions, all of them Relay's as well: a zero that is added no
    longer makes a positive zero of a negative one; where constants are combined, in polynomials and
    at reciprocal roots, floating-point numbers are rounded otherwise, and what would have become
    infinite on the way, or not a number because of an infinite part, need not become so; what is
    not a number may become another whole number where limited numbers are converted once, not
    twice.

    Args:
        expr: A well-formed expression; rules that ask for a type leave alone what has none.
        mod: The module it belongs to.

    Returns:
        ``expr`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes and of replacements; no recursion.

    Source:
        Relay ``SimplifyExpr`` (``src/relay/transforms/simplify_expr.cc``) and RAF's. A part that
        is used elsewhere too does not keep a rule from applying; a product with zero is zero for
        whole numbers only.
    """
    simplified = rewrite_rules(SIMPLIFY, expr, mod, keep_order=True)
    return rewrite_rules(_AT_LAST, simplified, mod, keep_order=True)
