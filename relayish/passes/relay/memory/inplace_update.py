"""Let results take the place of what operators may write over.

Before::

    let %a = exp(%x);
    let %b = scatter_elements(%a, %indices, %updates);
    %b

After, where ``%b`` may share the memory of ``%a``::

    let %a = exp(%x);
    let %b(share: %a) = scatter_elements(%a, %indices, %updates);
    %b
"""

from __future__ import annotations

from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.relay.expr import Call, Expr, Let, TupleGetItem, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TupleType
from relayish.op.declaration import properties
from relayish.pass_infra import register_pass


class _Renamer(ExprRewriter):
    """Puts other variables in the place of some, where they are bound and wherever they occur."""

    def __init__(self, renamed: dict[Var, Var]) -> None:
        self._renamed = renamed

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        """Return the other variable, if there is one."""
        return self._renamed.get(pre, post)


def share(expr: Expr, shared: dict[Var, Var | None]) -> Expr:
    """Return ``expr`` with ``may_share`` of variables set as told, outer lets first."""
    renamed: dict[Var, Var] = {}
    for var, other in shared.items():
        place = None if other is None else renamed.get(other, other)
        renamed[var] = var.with_fields(may_share=place)
    return post_order_rewrite(expr, _Renamer(renamed)) if renamed else expr


@register_pass(
    "InplaceUpdate", opt_level=1, required=("InferType",), infer_types=True, idempotent=True
)
def update_in_place(expr: Expr) -> Expr:
    """In-place update: let results take the place of what operators may write over.

    Return ``expr`` with let-bound results sharing the memory of what their operators write over.

    Which operators do is in the table ``in_place`` of
    :mod:`relayish.op.declaration.properties`: of Relay's, scattering, and ``nn.batch_norm`` of its
    running mean and variance. A result that is one of several shares through the let of its
    projection. Whether what was there is needed later is not
    asked: ``ValidateInplaceUpdate`` does.

    Args:
        expr: A typed expression in A-normal form; calls that no let binds are left alone.

    Returns:
        ``expr`` itself when nothing is written over, or everything shares already.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        RAF ``InplaceUpdate``. What it does to operators that are told where to put their results is
        left out, for Relay's are not.

    Example:
        >>> from relayish.analysis.infer_type import infer_type
        >>> from relayish.ir.relay.type import TensorType
        >>> from relayish.op import scatter_elements
        >>> x = Var("x", TensorType((3,), "float32"))
        >>> i, y = Var("i", TensorType((1,), "int64")), Var("y", TensorType((1,), "float32"))
        >>> b = Var("b")
        >>> func = Function((x, i, y), Let(b, scatter_elements(x, i, y), b))
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.transform import InplaceUpdate
        >>> let = InplaceUpdate()(IRModule.from_expr(func))["main"].body
        >>> let.var.may_share.name_hint
        'x'
    """
    shared: dict[Var, Var | None] = {}
    several: dict[Expr, dict[int, Var]] = {}
    for let in EXPRESSIONS.pre_order(expr):
        if type(let) is not Let:
            continue
        found = _find_overwritten(let.value)
        if found and type(let.value.checked_type) is TupleType:
            several[let.var] = found
        place = found.get(0) if let.var not in several else None
        if type(let.value) is TupleGetItem:
            place = several.get(let.value.tuple_value, {}).get(let.value.index)
        if place is not None and let.var.may_share is None:
            shared[let.var] = place
    return share(expr, shared)


def _find_overwritten(value: Expr) -> dict[int, Var]:
    """Return the variables whose place results of a call take, by the number of the result."""
    if type(value) is not Call:
        return {}
    pairs = properties.in_place.get(value.op, ())
    args = value.args
    taken = {result: args[arg] for arg, result in pairs if arg < len(args)}
    return {result: place for result, place in taken.items() if type(place) is Var}
