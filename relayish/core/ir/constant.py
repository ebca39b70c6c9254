"""Constants: what AIR keeps in the constant table of a global scope."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.core.ir.family import CoreNode
from relayish.core.ir.type import Type, array, as_type
from relayish.ir.fields.roles import Atom
from relayish.ir.nodes.node import field, node
from relayish.ir.values.value import Value, as_value


def _as_data(given: Any) -> Value:  # Any: as above
    value = as_value(given)
    if not isinstance(value, (np.generic, np.ndarray, str)):
        raise TypeError(f"a constant is a number, an array or a string; found {given!r}")
    if isinstance(value, np.ndarray) and not value.size:
        raise ValueError(f"a constant array has elements; found the shape {value.shape}")
    return value


@node("constant", atom=Atom.LITERAL)
class Constant(CoreNode):
    """A number, an array of numbers, or a string; equal ones are one entry of the table.

    Python numbers become ``int32``, ``float32`` or ``bool``. A string is an array of its UTF-8
    bytes and a zero byte behind them, ``uint8``.
    """

    data: Value = field(convert=_as_data)
    type: Type = field(init=False, derived=True)

    @staticmethod
    def derive_type(node: Constant) -> Type:
        """Return the type of what it holds."""
        data = node.data
        if isinstance(data, str):
            return array("uint8", len(data.encode()) + 1)
        assert isinstance(data, (np.generic, np.ndarray))
        return array(data.dtype, *data.shape) if data.shape else as_type(data.dtype)
