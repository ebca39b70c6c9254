"""Type lookup during construction: the type of an expression that is only just being built.

Type inference proper stands above and looks at whole programs. Here an annotation, a constant, an
inferred type and the type rules of operators are followed as far as they lead.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.nodes.node import Node
from relayish.ir.relay import expr as kinds
from relayish.ir.relay.type import FuncType, IncompleteType, TensorType, TupleType, Type
from relayish.ir.values.dtype import element_name
from relayish.op.declaration.properties import relation, rule
from relayish.op.declaration.relation import NULL_REPORTER, is_known

_UNKNOWN: Final = IncompleteType()


class TypeFinder:
    """Tells the types of expressions from those of their parts, each once.

    Of a kind without a finder here nothing is told: its type is for type inference to say.

    Args:
        found: Where to keep what is found.
    """

    asks_for_all = False
    """Whether the type of a call is asked for only where those of all its arguments are known."""

    def __init__(self, found: MutableMapping[kinds.Expr, Type | None]) -> None:
        self._found = found

    def of(self, expr: kinds.Expr) -> Type | None:
        """Return the type of ``expr``, or ``None`` where looking at it does not tell.

        Complexity:
            Linear in the distinct nodes it has to look at; no recursion.
        """
        if expr.checked_type is not None:
            return expr.checked_type
        found = self._found
        pending = [expr]
        while pending:
            node = pending[-1]
            if node in found or node.checked_type is not None:
                pending.pop()
                continue
            finder = _FINDERS.get(type(node))
            parts = () if finder is None else finder.parts(node)
            missing = [p for p in parts if p.checked_type is None and p not in found]
            if missing:
                pending += missing
                continue
            pending.pop()
            ty = None if finder is None else finder.find(self, node)
            ty = self.decide(node, ty)
            found.setdefault(node, ty)
        return found[expr]

    def look_up(self, expr: kinds.Expr) -> Type | None:
        """Return what is known already of the type of ``expr``."""
        return self._found.get(expr) if expr.checked_type is None else expr.checked_type

    def decide(self, expr: kinds.Expr, ty: Type | None) -> Type | None:  # noqa: ARG002 - for others
        """Return the type of ``expr``, of which its parts tell ``ty``."""
        return ty if ty is not None and is_known(ty) else None

    def of_callee(self, op: kinds.Expr) -> Type | None:
        """Return the type of what a call calls, which is no operator."""
        return self.look_up(op)

    def of_operation(self, call: kinds.Call, args: tuple[Type, ...]) -> Type | None:
        """Return the type of a call of an operator on arguments of the types ``args``."""
        op = call.op
        assert type(op) is kinds.Op
        by_rule, by_relation = rule.get(op), relation.get(op)
        found: Type | None = None
        try:
            if by_rule is not None and all(map(is_known, args)):
                found = by_rule(call.attrs, *args)
            elif by_relation is not None:
                found = by_relation(call.attrs, args, NULL_REPORTER)
        except TypeInferenceError:
            return None  # an ill-typed call; type inference will say so, and say where
        return found if isinstance(found, Type) and is_known(found) else None

    def of_branches(self, node: kinds.If) -> Type | None:
        """Return the type of the branches of ``node``: that of the first will do."""
        return self.look_up(node.true_branch)


_KNOWN: Final = TypeFinder(WeakKeyDictionary())


def find_known_type(expr: kinds.Expr) -> Type | None:
    """Return the type of ``expr``, or ``None`` where looking at it does not tell.

    That of an ``If`` is the type of its first branch, though the second may be of other sizes: what
    is asked for here are element types and numbers of fields.

    Complexity:
        Linear in the distinct nodes it has to look at, each once in the life of the program, for
        what is found is kept with the node; no recursion.
    """
    return _KNOWN.of(expr)


def _of_call(finder: TypeFinder, call: kinds.Call) -> Type | None:
    if type(call.op) is not kinds.Op:
        callee = finder.of_callee(call.op)
        return callee.ret_type if type(callee) is FuncType and not callee.type_params else None
    known = [finder.look_up(arg) for arg in call.args]
    if finder.asks_for_all and None in known:
        return None
    return finder.of_operation(call, tuple([_UNKNOWN if ty is None else ty for ty in known]))


def _of_constant(_: TypeFinder, constant: kinds.Constant) -> Type | None:
    data = constant.data
    if isinstance(data, (np.ndarray, np.generic)):
        return TensorType(data.shape, element_name(data.dtype))
    return None


def get_annotated_type(func: kinds.Expr) -> Type | None:
    """Return the type that the head of a function says in full, or ``None``."""
    if type(func) is not kinds.Function or func.ret_type is None:
        return None
    params = [p.type_annotation for p in func.params if p.type_annotation is not None]
    if len(params) < len(func.params):
        return None
    return FuncType(tuple(params), func.ret_type, func.type_params)


def _of_tuple(finder: TypeFinder, tup: kinds.Tuple) -> Type | None:
    fields = [ty for field in tup.fields if (ty := finder.look_up(field)) is not None]
    return TupleType(tuple(fields)) if len(fields) == len(tup.fields) else None


def _of_projection(finder: TypeFinder, get: kinds.TupleGetItem) -> Type | None:
    whole = finder.look_up(get.tuple_value)
    if type(whole) is TupleType and 0 <= get.index < len(whole.fields):
        return whole.fields[get.index]
    return None


class _Finder(NamedTuple):
    """How the type of a kind of expression follows from those of some of its parts."""

    # Any: an expression of the kind
    find: Callable[[TypeFinder, Any], Type | None]
    parts: Callable[[Any], tuple[kinds.Expr, ...]] = lambda _: ()


_FINDERS: Final[dict[type[Node], _Finder]] = {
    kinds.Var: _Finder(lambda _, var: var.type_annotation),
    kinds.GlobalVar: _Finder(lambda finder, var: finder.of_callee(var)),
    kinds.Constant: _Finder(_of_constant),
    kinds.Call: _Finder(
        _of_call,
        lambda call: call.args if type(call.op) in (kinds.Op, kinds.GlobalVar) else (call.op,),
    ),
    kinds.Function: _Finder(lambda _, func: get_annotated_type(func)),
    kinds.Tuple: _Finder(_of_tuple, lambda tup: tup.fields),
    kinds.TupleGetItem: _Finder(_of_projection, lambda get: (get.tuple_value,)),
    kinds.Let: _Finder(lambda finder, let: finder.look_up(let.body), lambda let: (let.body,)),
    kinds.If: _Finder(
        lambda finder, node: finder.of_branches(node),
        lambda node: (node.true_branch, node.false_branch),
    ),
}
