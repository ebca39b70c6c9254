"""Schema check of what rules write: that it exists, and for values of these types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relayish._support.graph import post_order
from relayish.errors import TypeInferenceError
from relayish.ir.relay.expr import Call, Expr, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TupleType, Type
from relayish.onnx.calls import graph_names, inputs_of, is_absent
from relayish.onnx.inference import UNKNOWN, infer_results
from relayish.onnx.op_names import identity_of
from relayish.onnx.operator_sets import find_schema
from relayish.onnx.types import may_be_alike
from relayish.passes.onnx.rewrite.engine.scope import Scope, has_references


def find_fault(var: Var, new: Expr, graph: Scope, before: Iterable[Expr] = ()) -> str | None:
    """Return why a variable cannot be bound to ``new``; ``None`` if it can, as far as types tell.

    Each call in it has to be one that its operator's schema allows: the operator exists, has such
    inputs and attributes, and takes their element types; its variables are bound in the function,
    and none is the one that is bound; and what is used of the value has the type that it had. Where
    the call before breaks a rule itself, nothing is asked of this one.

    Args:
        var: The variable, which is bound to a call.
        new: What it is to be bound to: a call, perhaps of other calls, a variable, a constant.
        graph: The function around.
        before: What other variables were bound to before it, for it.

    Complexity:
        Linear in the calls that ``new`` is made of; types of variables are found once.
    """
    given = _Written(graph)
    try:
        expected = given.type_of(graph.definition(var))
    except TypeInferenceError:
        return None
    try:
        for each in before:
            given.type_of(each)
        found = given.type_of(new)
    except TypeInferenceError as error:
        return str(error)
    if given.uses(var):
        return f"%{var.name_hint} would be computed from itself"
    places = graph.used_outputs(var) if isinstance(expected, TupleType) else None
    if may_be_alike(_only(found, places), _only(expected, places)):
        return None
    return f"it is of type {found}, and not of {expected}"


def _only(ty: Type | None, places: frozenset[int] | None) -> Type | None:
    """Return the type of the results of a call in some places alone, of all by ``None``."""
    if places is None or not isinstance(ty, TupleType):
        return ty
    return TupleType([field for place, field in enumerate(ty.fields) if place in places])


class _Written:
    """Types of what rules write, by the expressions that are not bound yet."""

    def __init__(self, graph: Scope) -> None:
        self._graph = graph
        self._found: dict[Expr, Type | None] = {}

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of an expression; ``None`` where it is not known.

        Raises:
            TypeInferenceError: If a call in it breaks a rule of its operator.
        """
        found = self._found
        parts = [part for part in _parts(expr) if part not in found]
        if any(map(_parts, parts)):
            parts = post_order(parts, lambda e: [p for p in _parts(e) if p not in found])
        for each in (*parts, expr):
            found[each] = self._infer(each)
        return found[expr]

    def uses(self, var: Var) -> bool:
        """Return whether a variable is among what types were found of."""
        return var in self._found

    def _infer(self, expr: Expr) -> Type | None:
        found = self._found
        if type(expr) is Call:
            return self._infer_call(expr)
        if type(expr) is Tuple:
            return None
        if type(expr) is TupleGetItem:
            whole = found[expr.tuple_value]
            fields = whole.fields if isinstance(whole, TupleType) else ()
            return fields[expr.index] if 0 <= expr.index < len(fields) else None
        if type(expr) is Var and not self._graph.is_known(expr):
            raise TypeInferenceError(f"%{expr.name_hint} is bound nowhere in the function")
        return self._graph.type_of(expr)

    def _infer_call(self, call: Call) -> Type | None:
        identity = identity_of(call.op)
        if identity is None or type(call.op) is not Op or graph_names(call.attrs):
            return None
        if find_schema(identity) is None:
            if identity.domain:
                return None
            raise TypeInferenceError(f"{identity} does not exist")
        newest = self._graph.opset(identity.domain)
        if newest and identity.since_version > newest:
            raise TypeInferenceError(f"{identity} is not in version {newest} of the operator set")
        if call.attrs is not None and has_references(call.attrs):
            return None
        inputs = inputs_of(call)
        types = [None if is_absent(each) else self._found[each] or UNKNOWN for each in inputs]
        values = [None if is_absent(each) else self._graph.value_of(each) for each in inputs]
        results = infer_results(call.op, call.attrs, types, values)
        return results[0] if len(results) == 1 else TupleType(results)


def _parts(expr: Expr) -> Sequence[Expr]:
    """Return what the type of an expression follows from."""
    if type(expr) is Call:
        return () if graph_names(expr.attrs) else expr.args
    if type(expr) is Tuple:
        return expr.fields
    return (expr.tuple_value,) if type(expr) is TupleGetItem else ()
