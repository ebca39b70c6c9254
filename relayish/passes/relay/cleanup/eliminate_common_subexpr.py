"""Common-subexpression elimination: compute once what is computed twice.

Before::

    %0 = add(%x, 1);
    %1 = add(%x, 1);
    multiply(%0, %1)

After::

    %0 = add(%x, 1);
    multiply(%0, %0)

and of two bindings of one value::

    let %a = add(%x, 1);
    let %b = add(%x, 1);
    multiply(%a, %b)

one is left::

    let %a = add(%x, 1);
    multiply(%a, %a)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeAlias

from relayish.analysis.effect_rules import effect_of_op
from relayish.analysis.exact_key import scalar_key
from relayish.functor import MixedModeMutator
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Op, Tuple, TupleGetItem, Var
from relayish.pass_infra import register_pass

_BY_VALUE: Final[frozenset[type[Node]]] = frozenset({Constant, Tuple})
"""Arguments that may be the same without being the same object."""


_First: TypeAlias = dict[Hashable, Expr]
"""The first node that has each key."""


class _Calls(dict[Expr, _First | None]):
    """The first calls of an operator by what is compared; ``None`` where they may not be merged.

    A key that names the operator as well would be one more tuple for each call, which the
    collector would look through again and again.
    """

    def __missing__(self, op: Expr) -> _First | None:
        mergeable = type(op) is Op and not effect_of_op(op)
        made: _First | None = {} if mergeable else None
        self[op] = made
        return made


class CommonSubexprEliminator(MixedModeMutator):
    """Gives every call, and every projection, the first one like it.

    Each has a key made of what is compared, so that no two have to be compared with one another.

    Source:
        Relay ``CommonSubexprEliminator``, which compares each call with all earlier ones of its
        operator.
    """

    def __init__(self, fskip: Callable[[Expr], bool] | None = None) -> None:
        self._fskip = fskip
        self._calls = _Calls()
        self._projections: _First = {}
        self._attrs: dict[int, Hashable] = {}
        self._held: list[Attrs] = []  # attributes whose identity is a key in ``_attrs``
        self._constants: dict[Hashable, Expr] = {}
        self._bound: dict[Expr, Var] = {}  # by its value: a variable that is in scope

    def visit_function(self, func: Function) -> Expr:
        """Leave variables of the function around alone: what is closed stays so."""
        around, self._bound = self._bound, {}
        image = self.mutate_children(func)
        self._bound = around
        return image

    def visit_let(self, let: Let) -> Expr:
        """Use the first of several variables that are bound to one value, and drop the others."""
        memo, bound = self.memo_map, self._bound
        chain: list[tuple[Let, Expr, bool]] = []
        tail: Expr = let
        while type(tail) is Let and tail not in memo:
            value = self.visit(tail.value)
            first = bound.get(value)
            is_dropped = first is not None and _is_same_variable(tail.var, first)
            if is_dropped:
                assert first is not None
                memo[tail.var] = first
            elif first is None and self._is_value(value):
                bound[value] = tail.var
            chain.append((tail, value, is_dropped))
            tail = tail.body
        image = self.visit(tail)
        for binding, value, is_dropped in reversed(chain):
            if not is_dropped:
                image = binding.with_fields(value=value, body=image)
                if bound.get(value) is binding.var:
                    del bound[value]
            memo[binding] = image
        return image

    def _is_value(self, value: Expr) -> bool:
        """Return whether a node has one value, wherever it is evaluated."""
        if type(value) is Call:
            return bool(value.args) and self._calls[value.op] is not None
        return type(value) is TupleGetItem

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        """Return the first call of the operator with these attributes and arguments."""
        args = post.args
        first = self._calls[post.op]
        if first is None or not args:
            return post
        if self._fskip is not None and self._fskip(post):
            return post
        key: Hashable = args
        for arg in args:
            if type(arg) in _BY_VALUE:
                key = tuple([self._argument_key(arg) for arg in args])
                break
        if post.attrs is not None:
            key = (key, self._attrs_key(post.attrs))
        return first.setdefault(key, post)

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:  # noqa: ARG002
        """Return the first projection of that field of that tuple."""
        if self._fskip is not None and self._fskip(post):
            return post
        return self._projections.setdefault((post.index, post.tuple_value), post)

    def _argument_key(self, arg: Expr) -> Hashable:
        """Return what counts of an argument: its identity, or the value of a scalar.

        The fields of a tuple count in the same way, but not those of a tuple within.
        """
        if type(arg) is Tuple:
            return (Tuple, *[self._scalar(field) for field in arg.fields])
        return self._scalar(arg)

    def _scalar(self, expr: Expr) -> Expr:
        """Return the first constant of the same value for a scalar, else ``expr`` itself."""
        key = scalar_key(expr)
        return expr if key is None else self._constants.setdefault(key, expr)

    def _attrs_key(self, attrs: Attrs) -> Hashable:
        key = self._attrs.get(id(attrs))
        if key is None:
            self._held.append(attrs)
            key = self._attrs[id(attrs)] = make_exact_key(attrs)
        return key


def _is_same_variable(var: Var, first: Var) -> bool:
    """Return whether ``first`` may stand for ``var``, which is bound to the same value."""
    if var.may_share is not None or first.may_share is not None:
        return False
    if var.type_annotation is None or var.type_annotation is first.type_annotation:
        return True
    return first.type_annotation is not None and structural_equal(
        var.type_annotation, first.type_annotation
    )


@register_pass("EliminateCommonSubexpr", opt_level=3, required=("InferType",), idempotent=True)
def eliminate_common_subexpr(expr: Expr, *, fskip: Callable[[Expr], bool] | None = None) -> Expr:
    """Common-subexpression elimination: compute once what is computed twice.

    Return ``expr`` in which equal calls of operators, and equal projections, are one node.

    Calls are equal when operator and attributes are, and each argument is the same node or a scalar
    constant of the same bits; so it is with the fields of an argument that is a tuple. Where two
    variables are bound to one of these by lets, one within the other in the same function, the
    first stands for both. Left as they are: calls of operators that have state, or that nobody
    declared, and calls without arguments.

    A node that two branches of an ``if`` come to share is not moved in front of it: it is evaluated
    by the first use that is reached, and not at all where none is.

    Args:
        expr: Any well-formed expression, shared subexpressions included.
        fskip: Says, of a call or projection after what is below it was merged, that it must stay.
            It cannot be written in a pipeline string: build the pass in Python,
            ``EliminateCommonSubexpr(fskip)``.

    Returns:
        ``expr`` itself when no two are equal.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``EliminateCommonSubexpr``, which is quadratic.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> from relayish.op import get_op
        >>> add, x = get_op("add"), Var("x")
        >>> image = eliminate_common_subexpr(Tuple((Call(add, (x, x)), Call(add, (x, x)))))
        >>> image.fields[0] is image.fields[1]
        True
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.text import parse_expr
        >>> from relayish.transform import EliminateCommonSubexpr
        >>> func = parse_expr("fn (%x: int32) { multiply(add(%x, 1), add(%x, 1)) }")
        >>> keep = EliminateCommonSubexpr(lambda expr: expr.op.name == "add")
        >>> mod = IRModule.from_expr(func)
        >>> keep(mod) is mod, EliminateCommonSubexpr()(mod) is mod
        (True, False)
    """
    return CommonSubexprEliminator(fskip).visit(expr)
