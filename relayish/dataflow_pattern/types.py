"""The types of expressions that patterns and rules ask about, found once each and on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish.analysis.infer_type import infer_type
from relayish.analysis.timeless import Timeless
from relayish.errors import TypeInferenceError
from relayish.ir.node import Node
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TupleType, Type
from relayish.ir.structural_equal import structural_equal
from relayish.op.known_type import known_type


class Types:
    """Tells the types of expressions of one program, typed or not, and of what is made of them.

    What an expression carries is believed. The types of others follow from those of their parts;
    where they do not, types are inferred, for the whole of the program at once.

    Complexity:
        Linear in the distinct nodes asked about and what they are made of; no recursion.
    """

    def __init__(self, root: Expr | None = None, mod: IRModule | None = None) -> None:
        self._root = root
        self._mod = mod
        self._found: dict[Expr, Type | None] = {}
        self.timeless = Timeless()
        """Tells whether an expression may be dropped."""

    def tell(self, expr: Expr, ty: Type) -> None:
        """Note the type of ``expr``, which takes the place of another of that type."""
        self._found[expr] = ty

    def of(self, expr: Expr) -> Type | None:
        """Return the type of ``expr``, or ``None`` where it cannot be told."""
        if expr.checked_type is not None:
            return expr.checked_type
        found = self._found
        pending = [expr]
        while pending:
            node = pending[-1]
            if node in found or node.checked_type is not None:
                pending.pop()
                continue
            parts = _PARTS.get(type(node), _nothing)(node)
            missing = [p for p in parts if p.checked_type is None and p not in found]
            if missing:
                pending += missing
                continue
            pending.pop()
            find = _FINDERS.get(type(node))
            ty = None if find is None else find(node, self)
            if ty is None and node not in found:
                ty = self._infer(node)
            found[node] = ty
        return found[expr]

    def known(self, expr: Expr) -> Type | None:
        """Return what is known already of the type of ``expr``."""
        return self._found.get(expr) if expr.checked_type is None else expr.checked_type

    def of_global(self, var: GlobalVar) -> Type | None:
        """Return the type of the function that ``var`` names."""
        if self._mod is None or var.name_hint not in self._mod:
            return None
        definition = self._mod[var.name_hint]
        if not isinstance(definition, Expr):
            return None
        return definition.checked_type or _of_function(definition)

    def _infer(self, expr: Expr) -> Type | None:
        if self._root is not None:
            root, self._root = self._root, None
            typed = _try_infer(root, self._mod)
            if typed is not None:
                pairs = zip(
                    EXPRESSIONS.post_order(root), EXPRESSIONS.post_order(typed), strict=True
                )
                for before, after in pairs:
                    if isinstance(before, Expr) and isinstance(after, Expr):
                        self._found.setdefault(before, after.checked_type)
            if self._found.get(expr) is not None:
                return self._found[expr]
        typed = _try_infer(expr, self._mod)
        return None if typed is None else typed.checked_type


def _try_infer(expr: Expr, mod: IRModule | None) -> Expr | None:
    try:
        return infer_type(expr, mod)
    except TypeInferenceError:
        return None  # what has no type matches no pattern of types


def _nothing(_: object) -> tuple[Expr, ...]:
    return ()


# Any: each function takes the node kind it stands under
_PARTS: Final[dict[type[Node], Callable[[Any], tuple[Expr, ...]]]] = {
    Call: lambda call: call.args if type(call.op) in (Op, GlobalVar) else (call.op,),
    Tuple: lambda tup: tup.fields,
    TupleGetItem: lambda get: (get.tuple_value,),
    Let: lambda let: (let.body,),
    If: lambda node: (node.true_branch, node.false_branch),
}
"""The expressions on whose types that of an expression depends."""


def _of_call(call: Call, types: Types) -> Type | None:
    op = call.op
    if type(op) is Op:
        args = []
        for arg in call.args:
            ty = types.known(arg)
            if ty is None:
                return None
            args.append(Var("", ty))
        return known_type(Call(op, tuple(args), call.attrs))
    callee = types.of_global(op) if type(op) is GlobalVar else types.known(op)
    if type(callee) is not FuncType or callee.type_params:
        return None
    return callee.ret_type


def _of_tuple(tup: Tuple, types: Types) -> Type | None:
    fields = [ty for field in tup.fields if (ty := types.known(field)) is not None]
    return TupleType(tuple(fields)) if len(fields) == len(tup.fields) else None


def _of_projection(get: TupleGetItem, types: Types) -> Type | None:
    whole = types.known(get.tuple_value)
    if type(whole) is TupleType and 0 <= get.index < len(whole.fields):
        return whole.fields[get.index]
    return None


def _of_if(node: If, types: Types) -> Type | None:
    left, right = types.known(node.true_branch), types.known(node.false_branch)
    if left is None or right is None or not structural_equal(left, right):
        return None
    return left


def _of_function(func: Expr) -> Type | None:
    if type(func) is not Function or func.ret_type is None:
        return None
    params = [p.type_annotation for p in func.params if p.type_annotation is not None]
    if len(params) < len(func.params):
        return None
    return FuncType(tuple(params), func.ret_type, func.type_params)


# Any: as above
_FINDERS: Final[dict[type[Node], Callable[[Any, Types], Type | None]]] = {
    Var: lambda var, _: var.type_annotation,
    Constant: lambda constant, _: known_type(constant),
    Call: _of_call,
    Tuple: _of_tuple,
    TupleGetItem: _of_projection,
    Let: lambda let, types: types.known(let.body),
    If: _of_if,
    Function: lambda func, _: _of_function(func),
    GlobalVar: lambda var, types: types.of_global(var),
}
