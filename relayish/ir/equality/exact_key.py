"""Keys under which literals and attributes meet exactly when they are structurally equal.

Python's own equality is too generous for that (``1 == 1.0 == True``, ``0.0 == -0.0``) and too
strict (``nan != nan``); the hash of attributes that nobody declared looks at their names alone.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable
from typing import Final

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node

_PLAIN: Final = frozenset({str, bytes, int, bool, type(None)})


class _Structure:
    """A node that stands in attributes: a type, a symbolic size."""

    __slots__ = ("_hash", "_node")

    def __init__(self, node: Node) -> None:
        self._node = node
        self._hash = structural_hash(node)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Structure) and structural_equal(self._node, other._node)


def make_exact_key(value: object) -> Hashable:
    """Return a key of a literal, or of attributes, for a dictionary of such.

    Two keys are equal just when the values are structurally equal: of the same type, of the same
    bits; attributes of the same class, with the same values under the same names.

    Complexity:
        Linear in the size of ``value``.

    Example:
        >>> make_exact_key(0.0) == make_exact_key(-0.0), make_exact_key(1) == make_exact_key(True)
        (False, False)
        >>> make_exact_key((1.5, "a")) == make_exact_key((1.5, "a"))
        True
    """
    kind = type(value)
    if kind in _PLAIN:
        return (kind, value)
    if isinstance(value, float) and not isinstance(value, np.generic):
        return (kind, struct.pack("d", value))
    if isinstance(value, (np.ndarray, np.generic)):
        held = tuple(value.flat) if value.dtype.kind == "O" else value.tobytes()
        return (kind, value.dtype, value.shape, held)
    if isinstance(value, tuple):
        return (kind, *[make_exact_key(item) for item in value])
    if isinstance(value, Attrs):
        return (kind, frozenset([(name, make_exact_key(item)) for name, item in value.items()]))
    if isinstance(value, Node):
        return _Structure(value)
    try:
        hash(value)
    except TypeError:  # nothing but itself is known to be equal to it
        return (kind, id(value))
    return (kind, value)
