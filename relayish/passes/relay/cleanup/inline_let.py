"""Copy propagation: replace variables bound to variables by what they stand for.

Before::

    let %t = (%x, %y);
    let %a = %t.0;
    let %b = %a;
    add(%b, %b)

After::

    let %t = (%x, %y);
    add(%x, %x)
"""

from __future__ import annotations

from relayish.functor import MixedModeMutator
from relayish.ir.nodes.node import ATOMS
from relayish.ir.relay.expr import Expr, Let, Tuple, TupleGetItem, Var
from relayish.pass_infra import register_pass


class _LetInliner(MixedModeMutator):
    """Replaces variables that are other names of variables, and fields of tuples with a name."""

    def __init__(self) -> None:
        self._tuples: dict[Expr, Tuple] = {}

    def visit_let(self, let: Let) -> Expr:
        memo = self.memo_map
        chain: list[tuple[Let, Var | None, Expr]] = []  # no variable where the let goes
        tail: Expr = let
        while type(tail) is Let and tail not in memo:
            value = self.visit(tail.value)
            var: Var | None = None
            if type(value) is Var and tail.var.may_share is None and tail.var not in memo:
                memo[tail.var] = value
            else:
                var = self._rename(tail.var)
                if type(value) is Tuple:
                    self._tuples[var] = value
            chain.append((tail, var, value))
            tail = tail.body
        image = self.visit(tail)
        for binding, var, value in reversed(chain):
            if var is not None:
                image = binding.with_fields(var=var, value=value, body=image)
            memo[binding] = image
        return image

    def _rename(self, var: Var) -> Var:
        """Return ``var``, or what shares the memory of the variable its own is another name of."""
        image = self.visit(var)
        assert isinstance(image, Var)
        return image

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:  # noqa: ARG002
        tup = self._tuples.get(post.tuple_value)
        if tup is None or not 0 <= post.index < len(tup.fields):
            return post
        field = tup.fields[post.index]
        return field if type(field) in ATOMS else post


@register_pass("InlineLet", opt_level=1, idempotent=True)
def inline_let(expr: Expr) -> Expr:
    """Copy propagation: name what aliases, and fields of bound tuples, stand for.

    Return ``expr`` with one name for what has several.

    A let that binds a variable to another goes, and so does the projection from a tuple that a let
    binds, if its field is a name or constant. The let of the tuple remains, for dead code
    elimination to drop. Variables with ``may_share`` keep their lets.

    Args:
        expr: Any well-formed expression.

    Returns:
        ``expr`` itself when there are no such names.

    Complexity:
        Linear in distinct nodes; no recursion but over lets in the values of lets.

    Source:
        RAF ``InlineLet``.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> inline_let(Let(y, x, y)) is x
        True
    """
    return _LetInliner().visit(expr)
