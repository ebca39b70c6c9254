"""Convolutions."""

from __future__ import annotations

from typing import Unpack

from relayish.errors import EvaluationError
from relayish.numeric.convolution import convolve
from relayish.numeric.precision import compute_dtype
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import (
    Placed,
    WindowAttributes,
    check_spatial,
    place_windows,
)


class ConvAttributes(WindowAttributes, total=False):
    """Attributes of convolutions: those of :func:`place_kernel`."""

    group: int
    kernel_shape: tuple[int, ...] | None


@kernel("Conv", since=(1, 11, 22))
def conv(x: Array, w: Array, b: Array | None = None, **attributes: Unpack[ConvAttributes]) -> Array:
    """Convolve ``x`` (n, c, ...) with ``w`` (m, c / group, ...), and add ``b`` (m,)."""
    placed = place_kernel(x, w, **attributes)
    computed = compute_dtype(x.dtype)
    source = placed.pad(x.astype(computed, copy=False))
    y = convolve(source, w.astype(computed, copy=False), placed.windows, attributes.get("group", 1))
    if b is not None:
        y += spread_channels(b, w.shape[0], y.ndim).astype(computed, copy=False)
    return y.astype(x.dtype, copy=False)


def place_kernel(
    x: Array,
    w: Array,
    *,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    **windows: Unpack[WindowAttributes],
) -> Placed:
    """Return where the windows of a convolution lie.

    Raises:
        EvaluationError: If input, weights, groups and attributes do not fit together.
    """
    check_spatial("the input", x)
    if w.ndim != x.ndim:
        raise EvaluationError(
            f"weights of shape {w.shape} meet an input of shape {x.shape}; expected equal ranks"
        )
    if group < 1 or x.shape[1] != w.shape[1] * group or w.shape[0] % group:
        raise EvaluationError(
            f"weights of shape {w.shape} in {group} groups meet an input of shape {x.shape}; "
            f"expected {w.shape[1] * group} channels, and a multiple of {group} outputs"
        )
    if kernel_shape is not None and tuple(kernel_shape) != w.shape[2:]:
        raise EvaluationError(
            f"kernel_shape is {tuple(kernel_shape)}, but the weights have shape {w.shape}; "
            f"expected {w.shape[2:]}"
        )
    return place_windows(x.shape[2:], w.shape[2:], **windows)


def spread_channels(b: Array, channels: int, rank: int) -> Array:
    """Return ``b`` (channels,) with the shape in which it broadcasts with (n, channels, ...).

    Raises:
        EvaluationError: If ``b`` has another shape.
    """
    if b.shape != (channels,):
        raise EvaluationError(f"the bias has shape {b.shape}; expected ({channels},)")
    return b.reshape(channels, *(1,) * (rank - 2))
