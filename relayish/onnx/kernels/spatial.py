"""Windows that slide over spatial dimensions, as convolutions and poolings have them."""

from __future__ import annotations

from typing import NamedTuple, Required, TypedDict

from relayish.errors import EvaluationError
from relayish.numeric.windows import Sides, Windows, extend
from relayish.onnx.kernels.registry import Array


class SteppedAttributes(TypedDict, total=False):
    """Attributes of windows with steps: those of :func:`place_windows`."""

    strides: tuple[int, ...] | None
    dilations: tuple[int, ...] | None
    pads: tuple[int, ...] | None


class WindowAttributes(SteppedAttributes, total=False):
    """Attributes of windows whose padding may be found: those of :func:`place_windows`."""

    auto_pad: str


class PoolAttributes(WindowAttributes, total=False):
    """Attributes of windows of pools: those of :func:`place_windows`."""

    kernel_shape: Required[tuple[int, ...]]
    ceil_mode: int


class Placed(NamedTuple):
    """Where the windows of a layer lie on its input (batch, channels, ...).

    Attributes:
        windows: Over the spatial dimensions, padding included.
        padding: Before the first element of the input, and behind its last, which ``auto_pad`` may
            have found.
    """

    windows: Windows
    padding: Sides

    def pad(self, x: Array, value: object = 0) -> Array:
        """Return all that windows reach, ``value`` where ``x`` has none.

        Elements that no window reaches are left out.
        """
        axes, reach = self.windows.axes, self.windows.reach()
        around = [
            (before, size - before - x.shape[axis])
            for axis, (before, _), size in zip(axes, self.padding, reach, strict=True)
        ]
        return extend(x, axes, around, value)


def place_windows(
    sizes: tuple[int, ...],
    kernel_shape: tuple[int, ...],
    *,
    strides: tuple[int, ...] | None = None,
    dilations: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
) -> Placed:
    """Return where the windows of a convolution or pooling lie on an input of ``sizes``.

    Args:
        sizes: Sizes of the spatial dimensions of the input.
        kernel_shape: Elements of a window, for each of these.
        strides: Steps between windows; 1 without.
        dilations: Steps between elements of a window; 1 without.
        pads: Begins of all dimensions, then ends; 0 without.
        auto_pad: ``NOTSET``, ``VALID``, ``SAME_UPPER`` or ``SAME_LOWER``.
        ceil_mode: Whether a last window may overlap the end, as long as it begins before it.

    Raises:
        EvaluationError: If an attribute has another rank than the input, or a window does not fit.
    """
    rank = len(sizes)
    strides = check_rank("strides", strides or (1,) * rank, rank)
    dilations = check_rank("dilations", dilations or (1,) * rank, rank)
    check_rank("kernel_shape", kernel_shape, rank)
    if min((*strides, *dilations), default=1) < 1:
        raise EvaluationError(
            f"strides {strides} and dilations {dilations} are given; expected numbers above 0"
        )
    extents = tuple((k - 1) * d + 1 for k, d in zip(kernel_shape, dilations, strict=True))
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        outputs = tuple(-(-size // step) for size, step in zip(sizes, strides, strict=True))
        begins, ends = _pad_to(sizes, outputs, strides, extents, auto_pad)
        return _placed(kernel_shape, strides, dilations, outputs, begins, ends)
    if auto_pad not in ("NOTSET", "VALID", ""):
        raise EvaluationError(
            f"auto_pad is {auto_pad!r}; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER"
        )
    pads = check_rank("pads", pads or (0,) * 2 * rank, 2 * rank)
    if auto_pad == "VALID":
        pads = (0,) * 2 * rank
    begins, ends = pads[:rank], pads[rank:]
    found = tuple(
        _count(size + begin + end - extent, size + begin, step, ceil_mode)
        for size, begin, end, extent, step in zip(
            sizes, begins, ends, extents, strides, strict=True
        )
    )
    if min(found, default=0) < 0 or min(kernel_shape, default=1) < 1:
        raise EvaluationError(
            f"windows of {kernel_shape}, dilated by {dilations}, do not fit into sizes {sizes} "
            f"padded by {pads}; expected at least as many elements as a window spans"
        )
    return _placed(kernel_shape, strides, dilations, found, begins, ends)


def _placed(
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    counts: tuple[int, ...],
    begins: tuple[int, ...],
    ends: tuple[int, ...],
) -> Placed:
    axes = tuple(range(2, 2 + len(kernel)))
    padding = tuple(zip(begins, ends, strict=True))
    return Placed(Windows(axes, kernel, strides, dilations, counts), padding)


def _count(room: int, last: int, step: int, ceil_mode: int) -> int:
    """Return how many windows fit, where the first leaves ``room`` behind it; -1 if it does not.

    With ``ceil_mode`` a first window may reach over the end, as a last one may.
    """
    if not ceil_mode:
        return room // step + 1 if room >= 0 else -1
    count = -(-room // step) + 1
    return count - 1 if (count - 1) * step >= last else count


def _pad_to(
    sizes: tuple[int, ...],
    outputs: tuple[int, ...],
    strides: tuple[int, ...],
    extents: tuple[int, ...],
    auto_pad: str,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    missing = tuple(
        max((count - 1) * step + extent - size, 0)
        for size, count, step, extent in zip(sizes, outputs, strides, extents, strict=True)
    )
    halves = tuple(total // 2 for total in missing)
    others = tuple(total - half for total, half in zip(missing, halves, strict=True))
    return (halves, others) if auto_pad == "SAME_UPPER" else (others, halves)


def check_rank(what: str, numbers: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Return ``numbers`` as integers, one for each dimension.

    Raises:
        EvaluationError: If there are more or fewer than ``rank``.
    """
    if len(numbers) != rank:
        raise EvaluationError(f"{what} has {len(numbers)} numbers, {numbers}; expected {rank}")
    return tuple(int(number) for number in numbers)


def check_spatial(what: str, x: Array, least: int = 3) -> None:
    """Raise unless ``x`` has a batch, channels and dimensions behind them.

    Raises:
        EvaluationError: If it has a lower rank than ``least``.
    """
    if x.ndim < least:
        raise EvaluationError(
            f"{what} has shape {x.shape}; expected a batch, channels and at least "
            f"{least - 2} spatial dimensions"
        )
