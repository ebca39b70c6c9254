"""What can be told of the type of an expression that is only just being built.

Type inference proper stands above and looks at whole programs. Here an annotation, a constant, an
inferred type and the type rules of operators are followed as far as they lead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.node import Node
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import FuncType, IncompleteType, TensorType, TupleType, Type
from relayish.op.registry import relation, rule

_KNOWN: Final[WeakKeyDictionary[Expr, Type]] = WeakKeyDictionary()
"""What was found before; ``_UNKNOWN`` where nothing was."""
_UNKNOWN: Final = IncompleteType()


def known_type(expr: Expr) -> Type | None:
    """Return the type of ``expr``, or ``None`` where looking at it does not tell.

    That of an ``If`` is the type of its first branch, though the second may be of other sizes: what
    is asked for here are element types and numbers of fields.

    Complexity:
        Linear in the distinct nodes it has to look at, each once in the life of the program, for
        what is found is kept with the node; no recursion.
    """
    pending = [expr]
    while pending:
        node = pending[-1]
        if node in _KNOWN:
            pending.pop()
            continue
        needed = [] if node.checked_type is not None else _PARTS.get(type(node), _nothing)(node)
        missing = [part for part in needed if part not in _KNOWN]
        if missing:
            pending += missing
            continue
        pending.pop()
        _KNOWN[node] = _type_of(node) if node.checked_type is None else node.checked_type
    found = _KNOWN[expr]
    return None if found is _UNKNOWN else found


def _nothing(_: object) -> tuple[Expr, ...]:
    return ()


# Any: each function takes the node kind it stands under
_PARTS: Final[dict[type[Node], Callable[[Any], tuple[Expr, ...]]]] = {
    Call: lambda call: call.args if type(call.op) is Op else (call.op,),
    Tuple: lambda tup: tup.fields,
    TupleGetItem: lambda get: (get.tuple_value,),
    Let: lambda let: (let.body,),
    If: lambda node: (node.true_branch,),
}
"""The expressions on whose types that of an expression depends."""


def _type_of(node: Expr) -> Type:
    find = _FINDERS.get(type(node))
    found = None if find is None else find(node)
    return _UNKNOWN if found is None or _has_gaps(found) else found


def _has_gaps(ty: Type) -> bool:
    if type(ty) is TensorType:
        return False
    return any(type(part) is IncompleteType for part in TYPES.pre_order(ty))


class _Silent:
    """Hears what a relation finds out about arguments, which nobody asked for here."""

    def assign(self, unknown: Type, found: Type) -> None:
        """Leave both types as they are."""


def _of_call(call: Call) -> Type | None:
    if type(call.op) is not Op:
        callee = _KNOWN[call.op]
        return callee.ret_type if type(callee) is FuncType and not callee.type_params else None
    types = [_KNOWN[arg] for arg in call.args]
    by_rule, by_relation = rule.get(call.op), relation.get(call.op)
    try:
        if by_rule is not None and not any(map(_has_gaps, types)):
            return by_rule(call.attrs, *types)
        if by_relation is not None:
            return by_relation(call.attrs, tuple(types), _Silent())
    except TypeInferenceError:
        return None  # an ill-typed call; type inference will say so, and say where
    return None


def _of_constant(constant: Constant) -> Type | None:
    data = constant.data
    if isinstance(data, (np.ndarray, np.generic)):
        return TensorType(data.shape, data.dtype.name)
    return None


def _of_function(func: Function) -> Type | None:
    annotated = [param.type_annotation for param in func.params]
    if func.ret_type is None or None in annotated:
        return None
    return FuncType(annotated, func.ret_type, func.type_params)  # type: ignore[arg-type]  # no None


def _of_projection(get: TupleGetItem) -> Type | None:
    whole = _KNOWN[get.tuple_value]
    if type(whole) is TupleType and 0 <= get.index < len(whole.fields):
        return whole.fields[get.index]
    return None


_FINDERS: Final[dict[type[Node], Callable[[Any], Type | None]]] = {  # Any: as above
    Var: lambda var: var.type_annotation,
    Constant: _of_constant,
    Call: _of_call,
    Function: _of_function,
    Tuple: lambda tup: TupleType(tuple([_KNOWN[field] for field in tup.fields])),
    TupleGetItem: _of_projection,
    Let: lambda let: _KNOWN[let.body],
    If: lambda node: _KNOWN[node.true_branch],
}
