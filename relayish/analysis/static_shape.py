"""The shapes of expressions where they are plain to see, without type inference."""

from __future__ import annotations

import numpy as np

from relayish.functor import MixedModeVisitor
from relayish.ir.relay.expr import Call, Constant, Expr, Var
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import OpPattern, attrs_type, pattern

_ELEMENTWISE = (OpPattern.ELEMWISE, OpPattern.BROADCAST)


class StaticShapes(MixedModeVisitor):
    """Answers :meth:`of` for many expressions, looking at each once."""

    remembers = True

    def of(self, expr: Expr) -> tuple[int, ...] | None:
        """Return the shape of the tensor ``expr`` where all its dimensions are known, or ``None``.

        It is read off an inferred type, an annotation, a constant, or, for operators without
        attributes that work element by element, off the arguments.

        Complexity:
            Linear in the distinct nodes below ``expr`` not looked at before; no recursion.

        Example:
            >>> StaticShapes().of(Var("x", TensorType((2, 3), "float32")))
            (2, 3)
        """
        own = _read_own_shape(expr)
        if own is not None or type(expr) is not Call:
            return own
        self.visit(expr)
        return self._look_up(expr)

    def visit_call(self, call: Call) -> tuple[int, ...] | None:
        """Return the shape that the arguments, whose shapes are known by now, broadcast to."""
        if pattern.get(call.op) not in _ELEMENTWISE or call.op in attrs_type:
            return None
        known = [shape for shape in map(self._look_up, call.args) if shape is not None]
        if not known or len(known) < len(call.args):
            return None
        try:
            return np.broadcast_shapes(*known)
        except ValueError:
            return None  # an ill-typed call; saying so is the business of type inference

    def _look_up(self, expr: Expr) -> tuple[int, ...] | None:
        own = _read_own_shape(expr)
        if own is not None:
            return own
        inferred: tuple[int, ...] | None = self.memo_map.get(expr)
        return inferred


def _read_own_shape(expr: Expr) -> tuple[int, ...] | None:
    known = get_static_shape(expr.checked_type)
    if known is not None:
        return known
    if type(expr) is Var:
        return get_static_shape(expr.type_annotation)
    if type(expr) is Constant and isinstance(expr.data, (np.ndarray, np.generic)):
        return expr.data.shape
    return None


def get_static_shape(ty: Type | None) -> tuple[int, ...] | None:
    """Return the shape of a tensor type all of whose dimensions are known, or ``None``."""
    if type(ty) is not TensorType:
        return None
    sizes = tuple(size for size in ty.shape if isinstance(size, int))
    return sizes if len(sizes) == len(ty.shape) else None
