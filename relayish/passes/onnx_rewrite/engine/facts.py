"""What rules know of types and values of a function that is being rewritten."""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.onnx.calls import count_outputs, graph_names, inputs_of, is_absent
from relayish.onnx.inference import infer_results
from relayish.onnx.operators import identity_of
from relayish.onnx.types import UnknownType

_UNKNOWN: Final = UnknownType()
_SMALL: Final = 256
"""Elements of the values that the types of results may depend on: shapes, axes and the like."""


class Scope(Protocol):
    """What is asked of a function that is being rewritten."""

    @property
    def outer(self) -> Scope | None:
        """The function around, of a graph."""

    def definition(self, expr: Expr) -> Expr:
        """Return what a variable is bound to."""

    def constant(self, expr: Expr) -> npt.NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of a constant."""

    def value_of(self, expr: Expr) -> npt.NDArray[Any] | None:  # Any: as above
        """Return the value of an expression, where it is known."""

    def outside(self, expr: Expr) -> Expr | None:
        """Return what a captured value is called outside."""


class FactSource:
    """Types and values of variables, each found when a rule asks for the first time."""

    def __init__(self) -> None:
        self._types: dict[Expr, Type | None] = {}

    def type_of(self, graph: Scope, expr: Expr) -> Type | None:
        """Return the type of an expression in the function of ``graph``.

        Complexity:
            Linear in what the expression is computed from and was not asked for before; no
            recursion but into the functions around.
        """
        stack = [expr]
        types = self._types
        while stack:
            each = stack[-1]
            if each in types:
                stack.pop()
                continue
            pending = [part for part in self._needed(graph, each) if part not in types]
            if pending:
                stack += pending
                continue
            types[each] = self._find(graph, each)
            stack.pop()
        return types[expr]

    @staticmethod
    def _needed(graph: Scope, expr: Expr) -> list[Expr]:
        """Return what has to be known before the type of an expression can be found."""
        if graph.constant(expr) is not None:
            return []
        found = graph.definition(expr)
        if type(found) is Call and type(found.op) is Op and not graph_names(found.attrs):
            return [part for part in found.args if not is_absent(part)]
        if type(found) is TupleGetItem:
            return [found.tuple_value]
        return list(found.fields) if type(found) is Tuple else []

    def _find(self, graph: Scope, expr: Expr) -> Type | None:
        constant = graph.constant(expr)
        if constant is not None:
            return TensorType(constant.shape, constant.dtype.name)
        found = graph.definition(expr)
        if type(found) is TupleGetItem:
            whole = self._types[found.tuple_value]
            if not isinstance(whole, TupleType) or not 0 <= found.index < len(whole.fields):
                return None
            return whole.fields[found.index]
        if type(found) is Call:
            return self._infer(graph, found)
        if type(found) is Var:
            outside = graph.outside(found)
            if outside is None:
                return found.type_annotation
            assert graph.outer is not None
            return self.type_of(graph.outer, outside)
        return None

    def _infer(self, graph: Scope, call: Call) -> Type | None:
        if type(call.op) is not Op or graph_names(call.attrs) or identity_of(call.op) is None:
            return None
        inputs = inputs_of(call)
        types = [None if is_absent(each) else self._types[each] or _UNKNOWN for each in inputs]
        values = [None if is_absent(each) else _small(graph.value_of(each)) for each in inputs]
        results = infer_results(call.op, call.attrs, types, values)
        return results[0] if count_outputs(call.attrs) == 1 else TupleType(results)

    def value_of(
        self, graph: Scope, expr: Expr
    ) -> npt.NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of an expression that is no constant, where it is known all the same."""
        found = graph.definition(expr)
        if type(found) is not Call:
            return None
        identity = identity_of(found.op)
        if identity is None or identity.domain or identity.name not in {"Shape", "Size"}:
            return None
        shape = getattr(self.type_of(graph, found.args[0]), "shape", None)
        if shape is None:
            return None
        attrs = dict(found.attrs.items()) if found.attrs is not None else {}
        chosen = shape[attrs.get("start", 0) : attrs.get("end")]
        if not all(isinstance(size, int) for size in chosen):
            return None
        if identity.name == "Size":
            return np.asarray(np.prod(chosen, dtype=np.int64))
        return np.asarray(chosen, np.int64)


def _small(value: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:  # Any: as above
    return None if value is None or value.size > _SMALL else value
