"""Broadcasting as it was before version 7: at the axis that the second tensor's first is."""

from __future__ import annotations

from relayish.errors import EvaluationError
from relayish.onnx.kernels.registry import Array


def align_second(a: Array, b: Array, axis: int | None, broadcast: int) -> Array:
    """Return ``b`` with axes of size 1 behind, so that it broadcasts against ``a`` by numpy.

    Args:
        a: The tensor whose shape the result has.
        b: A tensor of one element, or whose shape is a part of that of ``a``.
        axis: Where in ``a`` that part begins; ``None`` for the part at the end.
        broadcast: 0 where the two have one shape.

    Raises:
        EvaluationError: If the shapes do not go together.
    """
    if not broadcast:
        if a.shape == b.shape:
            return b
        raise EvaluationError(
            f"shapes {a.shape} and {b.shape} differ; expected one shape, or broadcast=1"
        )
    if b.size == 1:
        return b.reshape(())
    begin = a.ndim - b.ndim if axis is None else axis + a.ndim * (axis < 0)
    end = begin + b.ndim
    fits = begin >= 0 and all(
        size in {1, full} for size, full in zip(b.shape, a.shape[begin:end], strict=False)
    )
    if not fits or end > a.ndim:
        raise EvaluationError(
            f"shape {b.shape} is no part of {a.shape} that begins at axis {begin}; expected one, "
            "or one element"
        )
    return b.reshape(b.shape + (1,) * (a.ndim - end))
