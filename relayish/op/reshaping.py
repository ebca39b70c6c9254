"""The small language in which ``reshape`` says what the new shape is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from relayish.errors import EvaluationError

_COPY, _INFER, _COPY_REST, _MERGE, _SPLIT = 0, -1, -2, -3, -4


def reshaped(
    shape: Sequence[int], newshape: Sequence[int], *, allowzero: bool = False
) -> tuple[int, ...]:
    """Return the shape that ``newshape`` makes of ``shape``.

    A positive number is a size. ``0`` copies the size at its place (unless ``allowzero``), ``-1``
    stands for what is left of the elements, at most once, ``-2`` copies the remaining sizes, ``-3``
    multiplies two neighbouring sizes, and ``-4`` splits one into the two numbers that follow, of
    which one may be ``-1``.

    Raises:
        EvaluationError: If the numbers do not fit ``shape``.

    Example:
        >>> reshaped((2, 3, 4), (-4, 1, -1, -3))
        (1, 2, 12)
        >>> reshaped((2, 3, 4), (0, -1))
        (2, 12)

    """
    sizes = iter(enumerate(shape))
    result: list[int] = []
    wanted = iter(newshape)
    inferred: int | None = None

    def problem(text: str) -> EvaluationError:
        return EvaluationError(f"{tuple(shape)} cannot be reshaped to {tuple(newshape)}: {text}")

    def take() -> int:
        found = next(sizes, None)
        if found is None:
            raise problem("there are not as many dimensions as it asks for")
        return found[1]

    for size in wanted:
        if size > 0 or (size == 0 and allowzero):
            result.append(size)
            next(sizes, None)
        elif size == _COPY:
            result.append(take())
        elif size == _INFER:
            if inferred is not None:
                raise problem("-1 may stand only once")
            inferred = len(result)
            result.append(1)
            next(sizes, None)
        elif size == _COPY_REST:
            result.extend(s for _, s in sizes)
        elif size == _MERGE:
            result.append(take() * take())
        elif size == _SPLIT:
            result.extend(_split(take(), next(wanted, None), next(wanted, None), problem))
        else:
            raise problem(f"{size} means nothing; expected -4 or more")
    total, known = math.prod(shape), math.prod(result)
    if inferred is not None:
        if known == 0 or total % known:
            raise problem(f"{total} elements cannot be divided by {known}")
        result[inferred] = total // known
    elif total != known:
        raise problem(f"it has {known} elements, not {total}")
    return tuple(result)


def _split(
    size: int,
    first: int | None,
    second: int | None,
    problem: Callable[[str], EvaluationError],
) -> tuple[int, int]:
    if first is None or second is None:
        raise problem("-4 must be followed by two numbers")
    if first == _INFER and second > 0:
        first = size // second
    elif second == _INFER and first > 0:
        second = size // first
    if first * second != size:
        raise problem(f"{size} is not {first} times {second}")
    return first, second
