"""Windows of operators: padding and sizes as attributes tell them."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import EvaluationError
from relayish.numeric.windows import Sides, Windows
from relayish.numeric.windows import windows_over as known_windows_over
from relayish.op.values.evaluation import as_sizes


def sides(padding: Sequence[object], rank: int) -> Sides:
    """Return what is padded before and after each of ``rank`` axes.

    Args:
        padding: One number for all, one for each axis, or all those before and then all after;
            what is negative takes away.
        rank: The number of spatial axes.

    Raises:
        EvaluationError: If there is another number of sizes.

    Example:
        >>> sides((1, 2), 2)
        ((1, 1), (2, 2))
    """
    sizes = as_sizes(padding)
    if len(sizes) == 1:
        sizes *= rank
    if len(sizes) == rank:
        sizes *= 2
    if len(sizes) != 2 * rank:
        raise EvaluationError(f"padding {tuple(padding)} does not fit {rank} axes")
    return tuple(zip(sizes[:rank], sizes[rank:], strict=True))


def windows_over(
    shape: Sequence[int],
    axes: Sequence[int],
    kernel: Sequence[object],
    strides: Sequence[object],
    dilation: Sequence[object],
) -> Windows:
    """Return the windows over ``axes`` of a tensor of ``shape``, padding included.

    Raises:
        EvaluationError: If not even one fits, or a size is known only by name.
    """
    return known_windows_over(shape, axes, *map(as_sizes, (kernel, strides, dilation)))
