"""Queries of simplification rules about the expressions they are given."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.dataflow_pattern import Found
from relayish.dataflow_pattern.pattern import DFPattern, ExprPattern
from relayish.dataflow_pattern.shorthand import alternatives, is_constant
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.declaration.registry import relay_op

_LARGE: Final = 1 << 16


def is_relay_op(name: str) -> ExprPattern:
    """Return the pattern of an operator of Relay's own domain, whatever others declare."""
    return ExprPattern(relay_op(name))


def make_uniform_pattern() -> DFPattern:
    """Return a new pattern of what may have one value in all its elements; see :func:`splat`."""
    return alternatives(is_constant(), make_filled_pattern())


def make_filled_pattern() -> DFPattern:
    """Return a new pattern of tensors made by filling them with one value."""
    return alternatives(
        is_relay_op("zeros")(), is_relay_op("ones")(), is_relay_op("full")(is_constant())
    )


def splat(expr: Expr) -> np.generic | None:
    """Return the one value that all elements of ``expr`` have, if that can be seen."""
    if isinstance(expr, Constant):
        return _splat_of(expr.data)
    if not isinstance(expr, Call) or expr.attrs is None:
        return None
    if expr.args:
        filling = expr.args[0]
        value = _splat_of(filling.data) if isinstance(filling, Constant) else None
        dtype = expr.attrs.get("dtype") or (None if value is None else value.dtype.name)
    else:
        value, dtype = np.int8(expr.op is _ONES), expr.attrs.get("dtype")
    if value is None or not isinstance(dtype, str):
        return None
    converted: np.generic = value.astype(numpy_dtype(dtype))
    return converted


_ONES: Final = is_relay_op("ones").expr


def _splat_of(data: object) -> np.generic | None:
    if isinstance(data, np.generic):
        return data
    if not isinstance(data, np.ndarray) or not 0 < data.size <= _LARGE:
        return None
    first: np.generic = data.reshape(-1)[0]
    return first if bool((data == first).all()) else None


def tensor_type(found: Found, expr: Expr) -> TensorType | None:
    """Return the type of ``expr`` where it is known and a tensor's."""
    ty = found.type_of(expr)
    return ty if isinstance(ty, TensorType) else None


def static_type(found: Found, expr: Expr) -> TensorType | None:
    """Return the type of ``expr`` where it is a tensor of known size."""
    ty = tensor_type(found, expr)
    return ty if ty is not None and all(isinstance(size, int) for size in ty.shape) else None


def same_type(found: Found, left: Expr, right: Expr) -> bool:
    """Return whether both expressions are known to be of one type, every size known."""
    lhs, rhs = static_type(found, left), static_type(found, right)
    return lhs is not None and rhs is not None and structural_equal(lhs, rhs)
