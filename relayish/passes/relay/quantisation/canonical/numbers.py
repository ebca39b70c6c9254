"""Numbers in canonical forms: constants where they are known, and calls where not."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.ir.values.value import as_value
from relayish.op.builders.builder import op
from relayish.op.qnn.fixed_point import LARGEST_SHIFT
from relayish.passes.relay.quantisation.integer_rules.parameters import array_of

WIDE: Final = "int64"
REAL: Final = "float64"


def number(value: Any, dtype: str) -> Constant:  # Any: a number or an array of them
    """Return a constant of ``dtype``."""
    return Constant(as_value(np.asarray(value, numpy_dtype(dtype))[()]))


def as_dtype(expr: Expr, dtype: str) -> Expr:
    """Return numbers in another element type: a constant, if they are one."""
    value = array_of(expr)
    found: Expr = op.cast(expr, dtype) if value is None else number(value, dtype)
    return found


def quotient(numerator: Expr, denominator: Expr) -> Any:  # Any: an array of numbers
    """Return the quotient of two scales in float64: an array, or a call where one is unknown."""
    left, right = array_of(numerator), array_of(denominator)
    if left is None or right is None:
        return op.divide(as_dtype(numerator, REAL), as_dtype(denominator, REAL))
    return left.astype(REAL) / right.astype(REAL)


def as_integers(data: Expr) -> Expr:
    """Return whole floating point numbers as int64, kept far from its ends."""
    limit = float(1 << LARGEST_SHIFT)
    clipped = op.clip(op.cast(data, REAL), a_min=-limit, a_max=limit)
    found: Expr = op.cast(clipped, WIDE)
    return found
