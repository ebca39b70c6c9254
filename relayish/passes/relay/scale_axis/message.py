"""Scale messages: by which axes a tensor may be scaled, and by what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.builders.call import relay_call
from relayish.op.declaration.registry import relay_op

Axes: TypeAlias = tuple[int, ...]
"""The axes of the channels, in ascending order: one, or two where channels are split."""


class Message(NamedTuple):
    """A scale along ``axes`` can be taken over, if it is as it has to be.

    Attributes:
        axes: The axes along which the scale may differ.
        positive: Whether it has to be positive: what it passes is no linear map.
        not_zero: Whether it must not be zero: something is divided by it.
    """

    axes: Axes
    positive: bool = False
    not_zero: bool = False

    def admits(self, scale: Expr) -> bool:
        """Return whether ``scale`` is known to be as it has to be."""
        if not self.positive and not self.not_zero:
            return True
        numbers = _numbers(scale)
        if numbers is None or not np.isfinite(numbers).all():
            return False
        return bool((numbers > 0).all() if self.positive else (numbers != 0).all())


def meet(one: Message | None, other: Message | None) -> Message | None:
    """Return what both consumers of a tensor take over."""
    if one is None or other is None or one.axes != other.axes:
        return None
    return Message(one.axes, one.positive or other.positive, one.not_zero or other.not_zero)


_ARRANGES: Final = frozenset(
    relay_op(name) for name in ("expand_dims", "repeat", "reshape", "squeeze", "transpose")
)
"""Operators that keep the numbers of their argument."""


def _numbers(scale: Expr) -> np.ndarray | None:
    """Return the numbers of a constant, however arranged, or ``None`` if they are not known."""
    while type(scale) is Call and scale.op in _ARRANGES:
        scale = scale.args[0]
    if type(scale) is not Constant or not isinstance(scale.data, (np.ndarray, np.generic)):
        return None
    return np.asarray(scale.data, "float64")


def tensor_type(expr: Expr) -> TensorType | None:
    """Return the inferred type of ``expr`` if it is a tensor, of a known number of axes."""
    ty = expr.checked_type
    return ty if isinstance(ty, TensorType) else None


def are_floats(*exprs: Expr) -> bool:
    """Return whether all are tensors of floating-point numbers of one type.

    Whole numbers wrap around: what is scaled before a sum is not what is scaled after it.
    """
    types = [tensor_type(expr) for expr in exprs]
    dtypes = {None if ty is None else ty.dtype for ty in types}
    if len(dtypes) > 1 or None in dtypes:
        return False
    (dtype,) = dtypes
    return str(dtype).startswith(("float", "bfloat")) and numpy_dtype(str(dtype)).itemsize > 1


def find_squeezed_axes(data: Expr, scale: Expr, axes: Axes) -> Axes | None:
    """Return which axes of ``scale`` go away for those that ``axes`` of ``data`` name to be left.

    Returns:
        ``None`` if ``scale`` is not one number for each place along ``axes``, or not known to be.
    """
    data_type, scale_type = tensor_type(data), tensor_type(scale)
    if data_type is None or scale_type is None:
        return None
    behind = len(data_type.shape) - len(scale_type.shape)
    if behind > axes[0] or behind < 0 or axes[-1] >= len(data_type.shape):
        return None
    squeezed = []
    for place, size in enumerate(scale_type.shape):
        if place + behind in axes:
            if not isinstance(size, int) or size != data_type.shape[place + behind]:
                return None
        elif size != 1 or not isinstance(size, int):
            return None
        else:
            squeezed.append(place)
    return tuple(squeezed)


class Arrangement(NamedTuple):
    """How a scale becomes a tensor that has the axes of a message, and no other.

    Attributes:
        squeezed: The axes that go away.
        repeated: The sizes of the axes of a message, if the scale is one number.
    """

    squeezed: Axes
    repeated: tuple[int, ...] = ()


def find_arrangement(data: Expr, scale: Expr, axes: Axes) -> Arrangement | None:
    """Return how ``scale``, one number or one for each place along ``axes``, comes to have these.

    Returns:
        ``None`` if ``scale`` is something else, or the sizes of ``data`` are not known.
    """
    data_type, scale_type = tensor_type(data), tensor_type(scale)
    if data_type is None or scale_type is None:
        return None
    if scale_type.shape:
        squeezed = find_squeezed_axes(data, scale, axes)
        return None if squeezed is None else Arrangement(squeezed)
    sizes = [size for axis in axes if isinstance(size := data_type.shape[axis], int)]
    return Arrangement((), tuple(sizes)) if len(sizes) == len(axes) else None


def arrange(scale: Expr, arrangement: Arrangement, span: Span | None) -> Expr:
    """Return ``scale`` with the axes of a message."""
    squeezed, repeated = arrangement
    if squeezed:
        return relay_call("squeeze", scale, span=span, axis=squeezed)
    if repeated:
        scale = relay_call("expand_dims", scale, span=span, axis=0, num_newaxis=len(repeated))
    for axis, size in enumerate(repeated):
        scale = relay_call("repeat", scale, span=span, repeats=size, axis=axis)
    return scale


def spread(scale: Expr, shape: Sequence[object], axes: Axes, span: Span | None) -> Expr:
    """Return ``scale``, which has the axes named, such that it broadcasts to ``shape`` along them.

    Where there are several, their sizes in ``shape`` have to be numbers.
    """
    if len(axes) == 1:
        behind = len(shape) - axes[0] - 1
        if not behind:
            return scale
        return relay_call("expand_dims", scale, span=span, axis=1, num_newaxis=behind)
    sizes = [size if place in axes else 1 for place, size in enumerate(shape)]
    return relay_call("reshape", scale, span=span, newshape=sizes)
