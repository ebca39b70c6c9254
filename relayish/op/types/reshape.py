"""Shape arithmetic of ``reshape`` and its kin, and the small language in which they say it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from relayish.errors import EvaluationError, RelayishError
from relayish.ir.relay.type import Any as AnyDimension
from relayish.op.types.dimension import ANY, floor_divide, is_static, multiply, product, show_shape
from relayish.op.types.fields import Dimension

_COPY, _INFER, _COPY_REST, _MERGE, _SPLIT = 0, -1, -2, -3, -4
Problem = Callable[[str], RelayishError]
Range = tuple[int, int | None]
"""Where some axes begin and end; negative numbers count from the end, ``None`` is the end."""


def reshape_shape(
    shape: Sequence[Dimension],
    newshape: Sequence[int],
    *,
    allowzero: bool = False,
    refuses: type[RelayishError] = EvaluationError,
) -> tuple[Dimension, ...]:
    """Return the shape that ``newshape`` makes of ``shape``; numbers only if that has numbers only.

    A positive number is a size. ``0`` copies the size at its place (unless ``allowzero``), ``-1``
    stands for what is left of the elements, at most once, ``-2`` copies the remaining sizes, ``-3``
    multiplies two neighbouring sizes, and ``-4`` splits one into the two numbers that follow, of
    which one may be ``-1``.

    Sizes that were copied, multiplied or split have found their place: what is left of the elements
    is what the other sizes leave. So ``-1`` may be known beside sizes that are not, or are 0.

    Raises:
        RelayishError: Of the class ``refuses``, if the numbers do not fit ``shape``.

    Example:
        >>> reshape_shape((2, 3, 4), (-4, 1, -1, -3))
        (1, 2, 12)
        >>> reshape_shape((ANY, 3, 4), (0, -1))
        (Any(), 12)

    """
    result: list[Dimension] = []
    spent: list[Dimension] = []  # sizes of the result that nothing of the data was copied into
    used: set[int] = set()  # axes of the data that have found their place
    wanted = iter(newshape)
    inferred: int | None = None
    axis = 0

    def problem(text: str) -> RelayishError:
        return refuses(f"{show_shape(shape)} cannot be reshaped to {tuple(newshape)}: {text}")

    def take() -> Dimension:
        nonlocal axis
        if axis >= len(shape):
            raise problem("there are not as many dimensions as it asks for")
        used.add(axis)
        axis += 1
        return shape[axis - 1]

    for size in wanted:
        if size > 0 or (size == 0 and allowzero):
            result.append(size)
            spent.append(size)
            axis += 1
        elif size == _COPY:
            result.append(take())
        elif size == _INFER:
            if inferred is not None:
                raise problem("-1 may stand only once")
            inferred = len(result)
            result.append(1)
            axis += 1
        elif size == _COPY_REST:
            result.extend(take() for _ in range(axis, len(shape)))
        elif size == _MERGE:
            result.append(multiply(take(), take()))
        elif size == _SPLIT:
            result.extend(_split(take(), next(wanted, None), next(wanted, None), problem))
        else:
            raise problem(f"{size} means nothing; expected -4 or more")
    if inferred is not None:
        left = [size for place, size in enumerate(shape) if place not in used]
        result[inferred] = _quotient(left, spent, problem)
    if is_static(shape) and is_static(result):
        total, known = product(shape), product(result)
        if total != known:
            raise problem(f"it has {known} elements, not {total}")
    return tuple(result)


def _split(
    size: Dimension, first: int | None, second: int | None, problem: Problem
) -> tuple[Dimension, Dimension]:
    if first is None or second is None:
        raise problem("-4 must be followed by two numbers")
    if min(first, second) < _INFER or 0 in (first, second) or first == second == _INFER:
        raise problem(f"-4 cannot split into {first} and {second}; expected sizes, or one and -1")
    if isinstance(size, int):
        one = size // second if first == _INFER else first
        other = size // first if second == _INFER else second
        if one * other != size:
            raise problem(f"{size} is not {first} times {second}")
        return one, other
    if first == _INFER:
        return floor_divide(size, second), second
    return first, floor_divide(size, first) if second == _INFER else second


def _quotient(
    sizes: Sequence[Dimension], divisors: Sequence[Dimension], problem: Problem
) -> Dimension:
    """Return the product of ``sizes`` over that of ``divisors``, which are numbers."""
    divisor = math.prod(size for size in divisors if isinstance(size, int))
    if divisor == 0:
        raise problem("-1 cannot be found beside a size of 0")
    if any(isinstance(size, AnyDimension) for size in sizes):
        return ANY
    total = math.prod(size for size in sizes if isinstance(size, int))
    named = product([size for size in sizes if not isinstance(size, int)])
    if total % divisor == 0:
        return multiply(named, total // divisor)
    if named == 1:
        raise problem(f"{total} elements cannot be divided by {divisor}")
    common = math.gcd(total, divisor)
    return floor_divide(multiply(named, total // common), divisor // common)


def splice(
    shape: tuple[Dimension, ...],
    like: tuple[Dimension, ...],
    replaced: Range,
    taken: Range,
    *,
    refuses: type[RelayishError] = EvaluationError,
) -> tuple[Dimension, ...]:
    """Return ``shape`` with the sizes in one range replaced by those of ``like`` in another.

    Raises:
        RelayishError: Of the class ``refuses``, if a range is not within its shape.

    Example:
        >>> splice((1, 2, 3, 4), (1, 6, 5), (1, 3), (1, -1))
        (1, 6, 4)
    """

    def bounds(side: str, limits: Range, rank: int) -> tuple[int, int]:
        first, last = limits[0], rank if limits[1] is None else limits[1]
        found = (first + rank if first < 0 else first), (last + rank if last < 0 else last)
        if not 0 <= found[0] <= found[1] <= rank:
            raise refuses(
                f"reshape_like takes axes {first} to {last} of {side}, which has {rank}; "
                f"expected a range within them"
            )
        return found

    lhs_begin, lhs_end = bounds("data", replaced, len(shape))
    rhs_begin, rhs_end = bounds("shape_like", taken, len(like))
    return shape[:lhs_begin] + like[rhs_begin:rhs_end] + shape[lhs_end:]
