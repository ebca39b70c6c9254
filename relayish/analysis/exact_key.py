"""Keys of scalar constants, which meet exactly when these are structurally equal."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from relayish.ir.relay.expr import Constant


def scalar_key(expr: object) -> Hashable | None:
    """Return the key of a constant that is a tensor of rank 0; ``None`` for anything else.

    Example:
        >>> scalar_key(Constant(1)) == scalar_key(Constant(1)), scalar_key(Constant((1, 2)))
        (True, None)
    """
    if type(expr) is not Constant or not isinstance(expr.data, np.generic):
        return None
    return (expr.data.dtype, expr.data.tobytes())
