"""Legalization: what is registered for operators stands in place of their calls.

Before, with a function registered for ``nn.dense`` that widens its operands::

    nn.dense(%x, %weight)

After::

    %0 = cast(%x, dtype="int16");
    %1 = cast(%weight, dtype="int16");
    nn.dense(%0, %1)
"""

from __future__ import annotations

from typing import Final

from relayish.errors import PassError, indefinite
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.op.builders.call import attrs_of
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.rewriting import LEGALIZE, QNN_CANONICALIZE, Rewriting, legalizations
from relayish.pass_infra import register_pass
from relayish.registry.source import TableSource

_SOURCE: Final = TableSource("relayish.passes", {QNN_CANONICALIZE: "relay.quantisation.canonical"})
"""What registers functions under a name, loaded when somebody legalises by that."""


@register_pass("Legalize", opt_level=1, required=("InferType",), infer_types=True)
def legalize(expr: Expr, *, legalize_map_attr_name: str = LEGALIZE) -> Expr:
    """Legalization: put what is registered for operators in place of their calls.

    Return ``expr``, whose types are known, with calls replaced by what is registered for operators.

    :func:`~relayish.op.register_legalize` registers a function for an operator. It is given the
    arguments as they have become, the types they had, and behind these that of the result, which
    has to stay. What it returns is not legalized again.

    Args:
        expr: A well-formed expression.
        legalize_map_attr_name: Under which name the functions were registered.

    Returns:
        ``expr`` itself where nothing is registered under that name for any operator in it.

    Raises:
        PassError: If a function returns what is no expression.

    Complexity:
        Linear in the number of distinct nodes, beside the functions registered; no recursion.

    Source:
        Relay ``Legalize``.
    """
    _SOURCE.load_for(legalize_map_attr_name)
    table = legalizations(legalize_map_attr_name)
    if table is None or not len(table):
        return expr
    return post_order_rewrite(expr, _Legalizer(table))


class _Legalizer(ExprRewriter):
    """Asks the functions of a table."""

    def __init__(self, table: OpTable[Rewriting]) -> None:
        self._table = table

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        legal = self._table.get(pre.op)
        if legal is None:
            return post
        types = [*[arg.checked_type for arg in pre.args], pre.checked_type]
        found: object = legal(attrs_of(pre), list(post.args), types)
        if found is None:
            return post
        if not isinstance(found, Expr):
            assert isinstance(pre.op, Op)
            raise PassError(
                f"the legalization of {pre.op.full_name} returned {indefinite(type(found))}; "
                f"expected an expression, or None to leave the call as it is"
            )
        return found
