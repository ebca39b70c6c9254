"""Transposed convolution: what each input element adds to the windows it was seen through."""

from __future__ import annotations

from typing import NamedTuple

from relayish.errors import EvaluationError
from relayish.numeric.convolution import transpose_convolve
from relayish.numeric.precision import compute_dtype
from relayish.numeric.windows import Windows
from relayish.onnx.kernels.convolution import spread_channels
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import check_rank, check_spatial


@kernel("ConvTranspose", since=(1, 11, 22))
def conv_transpose(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    output_padding: tuple[int, ...] | None = None,
    output_shape: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Array:
    """Spread ``x`` (n, c, ...) by ``w`` (c, m / group, ...), and add ``b`` (m,)."""
    check_spatial("the input", x)
    if w.ndim != x.ndim or group < 1 or x.shape[1] != w.shape[0] or w.shape[0] % group:
        raise EvaluationError(
            f"weights of shape {w.shape} in {group} groups meet an input of shape {x.shape}; "
            f"expected equal ranks, {w.shape[0]} channels, and as many for each group"
        )
    if kernel_shape is not None and tuple(kernel_shape) != w.shape[2:]:
        raise EvaluationError(
            f"kernel_shape is {tuple(kernel_shape)}, but the weights have shape {w.shape}; "
            f"expected {w.shape[2:]}"
        )
    rank = x.ndim - 2
    strides = check_rank("strides", strides or (1,) * rank, rank)
    dilations = check_rank("dilations", dilations or (1,) * rank, rank)
    further = check_rank("output_padding", output_padding or (0,) * rank, rank)
    axes = tuple(range(2, x.ndim))
    windows = Windows(axes, w.shape[2:], strides, dilations, x.shape[2:])
    begins, sizes = _place_result(windows, further, output_shape, pads, auto_pad)
    room = [
        max(reach, begin + size, 0)
        for reach, begin, size in zip(windows.reach(), begins, sizes, strict=True)
    ]
    computed = compute_dtype(x.dtype)
    left, right = x.astype(computed, copy=False), w.astype(computed, copy=False)
    y = transpose_convolve(left, right, windows, group, room)
    parts = [slice(begin, begin + size) for begin, size in zip(begins, sizes, strict=True)]
    y = y[(slice(None), slice(None), *parts)]
    if b is not None:
        y = y + spread_channels(b, y.shape[1], y.ndim).astype(computed, copy=False)
    return y.astype(x.dtype, copy=False)


class _Placement(NamedTuple):
    """Where the result lies in what all windows span, for each dimension."""

    begins: tuple[int, ...]
    sizes: tuple[int, ...]


def _place_result(
    windows: Windows,
    further: tuple[int, ...],
    output_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    auto_pad: str,
) -> _Placement:
    rank = len(windows.kernel)
    spans = tuple(size + more for size, more in zip(windows.reach(), further, strict=True))
    if output_shape is not None:
        sizes = check_rank("output_shape", tuple(output_shape)[-rank:], rank)
    elif auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        sizes = tuple(n * step for n, step in zip(windows.counts, windows.strides, strict=True))
    else:
        pads = check_rank("pads", pads or (0,) * 2 * rank, 2 * rank)
        if auto_pad == "VALID":
            pads = (0,) * 2 * rank
        sizes = tuple(
            span - begin - end
            for span, begin, end in zip(spans, pads[:rank], pads[rank:], strict=True)
        )
        if min(sizes) < 0:
            raise EvaluationError(
                f"pads {pads} leave nothing of a result of sizes {spans}; expected fewer"
            )
        return _Placement(pads[:rank], sizes)
    totals = [max(span - size, 0) for span, size in zip(spans, sizes, strict=True)]
    upper = auto_pad == "SAME_UPPER"
    return _Placement(tuple(n // 2 if upper else n - n // 2 for n in totals), sizes)
