"""Constants of ONNX as arrays: literals, and nodes of the type ``Constant``."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from relayish.interpreter.constant_call import Room, count_constants
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Expr
from relayish.onnx.calls import attributes_of
from relayish.onnx.operators import identity_of


def room_of(func: Expr, size_limit: int) -> Room:
    """Return how large what is folded may be in a function, graphs of it included."""

    @cache
    def held() -> int:
        return count_constants(func)

    return Room(size_limit, held)


def array_of(data: object) -> npt.NDArray[Any] | None:  # Any: of whatever element type
    """Return the tensor that the value of a constant is, ``None`` if it is something else."""
    if isinstance(data, np.ndarray):
        return data
    return np.asarray(data) if isinstance(data, np.generic) else None


def constant_of_node(call: Call) -> npt.NDArray[Any] | None:  # Any: as above
    """Return the value of a node ``Constant``.

    Returns:
        The value; ``None`` if it is another node, or holds text, a sparse tensor, or an attribute
        of a function of the model.
    """
    identity = identity_of(call.op)
    if identity is None or identity.name != "Constant" or identity.domain:
        return None
    attributes = attributes_of(call)
    if len(attributes) != 1:
        return None
    ((name, value),) = attributes.items()
    if isinstance(value, DictAttrs):
        return None
    if name == "value":
        return array_of(value)
    if name in {"value_float", "value_floats"}:
        return np.asarray(value, np.float32)
    if name in {"value_int", "value_ints"}:
        return np.asarray(value, np.int64)
    return None
