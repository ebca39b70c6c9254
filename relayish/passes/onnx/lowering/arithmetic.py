"""Arithmetic that rules write: on expressions and numbers, in one element type."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import compute_dtype
from relayish.passes.onnx.lowering.rule import Unlowered, build, const


def work_type(dtype: str) -> str:
    """Return the element type that numbers of another one are computed in."""
    return str(compute_dtype(numpy_dtype(dtype)))


class Numbers:
    """Arithmetic on expressions and numbers of one element type."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def of(self, value: Any) -> Expr:  # Any: an expression or a number
        """Return a number as a constant; an expression as it is."""
        if isinstance(value, Expr):
            return value
        found = const(value, self.dtype)
        held = float(np.asarray(found.data))
        if math.isfinite(value) and (not math.isfinite(held) or bool(held) != bool(value)):
            raise Unlowered(f"{self.dtype} has no number near {value}")
        return found

    def array(self, values: Any) -> Expr:  # Any: numbers, of any element type
        """Return numbers as a constant."""
        return const(values, self.dtype)

    def __call__(self, op: str, *args: object) -> Expr:
        return build(op, *[self.of(each) for each in args])
