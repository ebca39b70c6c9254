"""A module with a weight that is large enough to travel by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op import get as get_op
from relayish.pass_infra.base.mapping import SHARED_FROM

SIZE = SHARED_FROM // 4
LARGE = np.arange(SIZE, dtype="float32")


def weighted(weight: Any = LARGE, small: float = 1.0) -> IRModule:
    """Return ``x + weight + (small + small)``, of which the last can be folded."""
    x = Var("x", TensorType((SIZE,), "float32"))
    add = get_op("add")
    one = Constant(np.float32(small))
    body = Call(add, (Call(add, (x, Constant(weight))), Call(add, (one, one))))
    return IRModule({"main": Function((x,), body)})
