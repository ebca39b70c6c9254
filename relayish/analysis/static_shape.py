"""The shape of an expression where it is plain to see, without type inference."""

from __future__ import annotations

import numpy as np

from relayish.ir.expr import Call, Constant, Expr, Var
from relayish.ir.traversal import EXPRESSIONS
from relayish.ir.type import TensorType, Type
from relayish.op.registry import OpPattern, attrs_type, pattern

_ELEMENTWISE = (OpPattern.ELEMWISE, OpPattern.BROADCAST)


def static_shape(expr: Expr) -> tuple[int, ...] | None:
    """Return the shape of the tensor ``expr`` where all its dimensions are known, else ``None``.

    It is read off an inferred type, an annotation, a constant, or, for operators without
    attributes that work element by element, off the arguments.

    Complexity:
        Linear in the number of distinct nodes below ``expr``; no recursion.
    """
    direct = _own_shape(expr)
    if direct is not None or type(expr) is not Call:
        return direct
    shapes: dict[Expr, tuple[int, ...] | None] = {}
    for node in EXPRESSIONS.post_order(expr):
        if isinstance(node, Expr):
            own = _own_shape(node)
            shapes[node] = _call_shape(node, shapes) if own is None and type(node) is Call else own
    return shapes[expr]


def _own_shape(expr: Expr) -> tuple[int, ...] | None:
    known = _shape_of_type(expr.checked_type)
    if known is not None:
        return known
    if type(expr) is Var:
        return _shape_of_type(expr.type_annotation)
    if type(expr) is Constant and isinstance(expr.data, (np.ndarray, np.generic)):
        return expr.data.shape
    return None


def _shape_of_type(ty: Type | None) -> tuple[int, ...] | None:
    if type(ty) is not TensorType:
        return None
    sizes = tuple(size for size in ty.shape if isinstance(size, int))
    return sizes if len(sizes) == len(ty.shape) else None


def _call_shape(call: Call, shapes: dict[Expr, tuple[int, ...] | None]) -> tuple[int, ...] | None:
    if pattern.get(call.op) not in _ELEMENTWISE or call.op in attrs_type:
        return None
    known = [shape for shape in map(shapes.get, call.args) if shape is not None]
    if not known or len(known) < len(call.args):
        return None
    try:
        return np.broadcast_shapes(*known)
    except ValueError:
        return None  # an ill-typed call; saying so is the business of type inference
