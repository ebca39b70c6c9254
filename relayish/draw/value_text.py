"""Values of constants and attributes on one short line."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from relayish.ir.nodes.node import Node

MOST_ITEMS: Final = 8
"""How many numbers of a constant are shown; of what has more, its element type and shape."""
_LONGEST: Final = 60
_LONGEST_ARRAY: Final = 32


def array_text(array: NDArray[Any]) -> str:  # Any: of whatever element type
    """Return a small array as its numbers, a larger one as element type and shape.

    Example:
        >>> array_text(np.float32(0.5)), array_text(np.zeros((2, 30), "int8"))
        ('0.5', 'int8[2, 30]')
    """
    array = np.asarray(array)
    if array.ndim == 0:
        return value_text(array.item())
    if array.size <= MOST_ITEMS and array.size:
        shown = value_text(array.tolist())
        if len(shown) <= _LONGEST_ARRAY:
            return shown
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"


def value_text(value: object) -> str:
    """Return a value as an attribute has it: a number, a text, a list of these."""
    if isinstance(value, np.ndarray | np.generic):
        return array_text(np.asarray(value))
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, tuple | list):
        shown = [value_text(each) for each in value[: MOST_ITEMS + 1]]
        if len(value) > MOST_ITEMS:
            shown[MOST_ITEMS:] = [f"… {len(value) - MOST_ITEMS} more"]
        return _cut(f"[{', '.join(shown)}]")
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key}: {value_text(each)}" for key, each in value.items())
        return _cut(f"{{{inside}}}")
    return _cut(str(value) if isinstance(value, Node) else repr(value))


def _float_text(value: float) -> str:
    """Return the fewest digits that tell a number from others, of 32 bits if it is one of these."""
    with np.errstate(over="ignore"):
        narrow = np.float32(value)
    return str(narrow) if float(narrow) == value else repr(float(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
