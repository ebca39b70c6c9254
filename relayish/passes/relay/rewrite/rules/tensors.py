"""Tensors in calls that are rewritten: their types, and vectors along one of their axes."""

from __future__ import annotations

from relayish.errors import PassError
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.op.types.dimension import show_type


def tensor_of(expr: Expr) -> TensorType:
    """Return the type of a tensor.

    Raises:
        PassError: If ``expr`` has no inferred type, or is no tensor.
    """
    ty = expr.checked_type
    if not isinstance(ty, TensorType):
        found = "one without a type; run InferType first" if ty is None else show_type(ty)
        raise PassError(f"a tensor is needed to rewrite a call; found {found}")
    return ty


def broadcast_along(vector: Expr, rank: int, axis: int) -> Expr:
    """Return ``vector: (n,)`` so that it broadcasts along ``axis`` of a tensor of ``rank``."""
    behind = rank - normalise_axis(axis, rank) - 1
    if behind <= 0:
        return vector
    widened: Expr = op.expand_dims(vector, axis=1, num_newaxis=behind)
    return widened


def normalise_axis(axis: int, rank: int) -> int:
    """Return ``axis`` of a tensor of ``rank``, counted from the first one."""
    return axis + rank if axis < 0 else axis
