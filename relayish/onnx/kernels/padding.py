"""Padding: elements added before and behind those of a tensor, or taken away."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import normalise_axes
from relayish.numeric.padding import pad as pad_sides
from relayish.numeric.windows import extend
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import choice


@kernel("Pad", since=(11, 13, 18, 19, 21, 23, 24, 25), added={"axes": 18})
def pad(
    data: Array,
    pads: Array,
    constant_value: Array | None = None,
    axes: Array | None = None,
    *,
    mode: str = "constant",
) -> Array:
    """Return ``data`` with ``pads`` (begins of all ``axes``, then ends) elements more, or fewer.

    Where nothing else is given, all axes are padded, with 0, false or the empty text.
    """
    over = range(data.ndim) if axes is None else normalise_axes(axes.tolist(), data.ndim)
    count = len(over)
    if pads.shape != (2 * count,):
        raise EvaluationError(
            f"pads have shape {pads.shape}; expected ({2 * count},), a begin and an end for each "
            f"of {count} axes"
        )
    amounts = [(0, 0)] * data.ndim
    for axis, begin, end in zip(over, pads[:count].tolist(), pads[count:].tolist(), strict=True):
        amounts[axis] = (int(begin), int(end))
    value: object = "" if data.dtype.kind == "O" else 0
    if constant_value is not None:
        value = constant_value.reshape(-1)[0]
    return pad_amounts(data, amounts, mode, value)


@kernel("Pad", since=(2,))
def pad_by_attributes(
    data: Array, *, pads: tuple[int, ...], mode: str = "constant", value: float = 0.0
) -> Array:
    """Return ``data`` with elements more, or fewer, before and behind those of each axis."""
    return pad(data, np.array(pads, np.int64), np.array(value), mode=mode)


@kernel("Pad", since=(1,))
def pad_by_paddings(
    data: Array, *, paddings: tuple[int, ...], mode: str = "constant", value: float = 0.0
) -> Array:
    """Return ``data`` with elements more, or fewer, before and behind those of each axis."""
    return pad_by_attributes(data, pads=paddings, mode=mode, value=value)


def pad_amounts(data: Array, amounts: list[tuple[int, int]], mode: str, value: object = 0) -> Array:
    """Return ``data`` with as many elements before and behind as ``amounts`` say for each axis.

    Negative amounts take elements away, which padding then does not see.

    Raises:
        EvaluationError: If the mode is unknown, more is taken than there is, or there is nothing
            to repeat.
    """
    choice(mode, ("constant", "reflect", "edge", "wrap"), "the mode of a padding")
    for size, (begin, end) in zip(data.shape, amounts, strict=True):
        if size + begin + end < 0 or size + min(begin, 0) + min(end, 0) < 0:
            raise EvaluationError(
                f"pads {begin} and {end} take more from an axis of size {size} than it has; "
                "expected at most all of it"
            )
    taken = [(min(begin, 0), min(end, 0)) for begin, end in amounts]
    added = [(max(begin, 0), max(end, 0)) for begin, end in amounts]
    return pad_sides(extend(data, range(data.ndim), taken), added, mode, value)
