"""Multiply-accumulate counts: how many multiplications, each with its addition, calls take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from relayish.errors import OperatorError
from relayish.ir.relay.type import TensorType, Type
from relayish.op.types.layout import read_layout


def _sizes(ty: Type) -> tuple[int, ...]:
    """Return the shape of a tensor all of whose sizes are known."""
    sizes = ty.shape if isinstance(ty, TensorType) else (None,)
    known = tuple([size for size in sizes if isinstance(size, int)])
    if len(known) < len(sizes):
        raise OperatorError(
            f"cannot count multiplications where there is a {ty}; expected a tensor of known shape"
        )
    return known


def _multiply_sizes(letters: str, layout: str, shape: Sequence[int]) -> int:
    """Return the product of the sizes of the axes that ``letters`` name, split ones included."""
    axes = zip(read_layout(layout, OperatorError), shape, strict=True)
    return math.prod([size for axis, size in axes if axis.letter.upper() in letters])


def count_convolution(attrs: Any, types: tuple[Type, ...], result: Type) -> int:  # Any: attributes
    """Each output sums over the window, and over the input channels of its group."""
    data, weight = (_sizes(ty) for ty in types[:2])
    if attrs.kernel_size is None:
        letters = {axis.letter for axis in read_layout(attrs.kernel_layout, OperatorError)}
        window = _multiply_sizes("".join(letters - set("OIoi")), attrs.kernel_layout, weight)
    else:
        window = math.prod([int(size) for size in attrs.kernel_size])
    channels = _multiply_sizes("C", attrs.data_layout, data)
    return math.prod(_sizes(result)) * window * channels // int(attrs.groups)


def count_product(attrs: Any, types: tuple[Type, ...], result: Type) -> int:  # Any: attributes
    """Each output sums over the axis that the matrices have in common."""
    axis = -2 if getattr(attrs, "transpose_a", False) else -1
    return math.prod(_sizes(result)) * _sizes(types[0])[axis]
