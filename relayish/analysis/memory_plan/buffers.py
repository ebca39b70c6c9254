"""Buffers: the tensors that a program makes, and which of them a value may be or hold on to."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from typing import Final

from relayish._support.graph import reachable
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import width_in_bytes

NEVER: Final = -1
"""Stands for the last use of what is not used."""


class Origin(Enum):
    """Whose memory a buffer is, and so whether other values may live there."""

    LOCAL = "local"  # made and given up while the function runs
    RESULT = "result"  # outlives the call: part of the result, or stored where others may read it
    PARAMETER = "parameter"  # the caller's
    CONSTANT = "constant"  # the program's


class Value:
    """What an expression evaluates to.

    Attributes:
        held: The values that it may be, or hold on to.
        needed: What takes part in computing it, where that may happen later: it is evaluated where
            it is first asked for, and that may be any of several branches.
        fields: Those of a tuple, where they are told apart.
        last: The last step that uses it.
    """

    __slots__ = ("fields", "held", "last", "needed")

    def __init__(self, held: Iterable[Value] = (), fields: tuple[Value, ...] | None = None) -> None:
        self.held = list(held)
        self.needed: list[Value] = []
        self.fields = fields
        self.last = NEVER


class Buffer(Value):
    """The memory of one tensor.

    Attributes:
        expr: What makes the tensor: a call, a parameter, a constant.
        field: Which of the tensors that ``expr`` makes it is.
        type: The type of the tensor.
        size: In bytes; ``None`` where the type does not tell.
        born: The step that makes it.
        origin: Whose memory it is.
        replaces: The buffer whose storage it takes over, as the step that makes it may write there.
    """

    __slots__ = ("born", "expr", "field", "number", "origin", "replaces", "size", "type")

    def __init__(
        self, expr: Expr, field: int, ty: TensorType, origin: Origin, born: int, number: int
    ) -> None:
        super().__init__()
        self.expr = expr
        self.field = field
        self.type = ty
        self.size = size_in_bytes(ty)
        self.born = born
        self.origin = origin
        self.number = number
        self.replaces: Buffer | None = None


def size_in_bytes(ty: TensorType) -> int | None:
    """Return how much memory a tensor of type ``ty`` takes; ``None`` where it does not tell.

    A dimension may be known by name only or not at all, and elements may be of a type that has no
    size, as handles. Elements narrower than a byte take one.

    Example:
        >>> size_in_bytes(TensorType((2, 3), "float32"))
        24
    """
    sizes = [size for size in ty.shape if isinstance(size, int)]
    if len(sizes) < len(ty.shape):
        return None
    width = width_in_bytes(ty.dtype)
    return None if width is None else math.prod(sizes) * width


def reachable_buffers(roots: Iterable[Value]) -> list[Buffer]:
    """Return the buffers that values may be or hold on to, each once, in order; no recursion."""
    held = reachable(roots, lambda value: value.held)
    return [value for value in held if isinstance(value, Buffer)]
