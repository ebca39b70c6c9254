"""What rules know of types and values of a function that is being rewritten."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt

from relayish.ir.relay.expr import Constant, Expr, Var
from relayish.ir.relay.type import TensorType, Type
from relayish.passes.onnx_rewrite.engine.constants import array_of


class Scope(Protocol):
    """What is asked of a function that is being rewritten."""

    def constant(self, expr: Expr) -> npt.NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of a constant."""

    def definition(self, expr: Expr) -> Expr:
        """Return what a variable is bound to."""


class FactSource:
    """Types and values of variables, found when a rule asks for the first of them."""

    def type_of(self, graph: Scope, expr: Expr) -> Type | None:
        """Return the type of an expression in the function of ``graph``."""
        found = graph.constant(expr)
        if found is not None:
            return TensorType(found.shape, found.dtype.name)
        if type(expr) is Constant:
            array = array_of(expr.data)
            return None if array is None else TensorType(array.shape, array.dtype.name)
        return expr.type_annotation if type(expr) is Var else None

    def value_of(
        self, graph: Scope, expr: Expr
    ) -> npt.NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of an expression that is no constant, where it is known all the same."""
        return graph.constant(expr)
