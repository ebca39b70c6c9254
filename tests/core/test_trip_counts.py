"""Trip counts of core: what bounds, step and the range of the variable tell."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relayish import core
from relayish.ir.kinds.trip_count import trip_count

I = core.Var("i", "int8")  # noqa: E741 - the usual name of it

LOOPS: list[tuple[Callable[..., core.Expr], int, int, int, int | None]] = [
    (core.Lt, 0, 10, 3, 4),
    (core.Le, 0, 9, 3, 4),
    (core.Gt, 10, 0, -3, 4),
    (core.Lt, 5, 3, 1, 0),
    (core.Lt, 0, 127, 1, 127),
    (core.Le, 0, 127, 1, None),
    (core.Lt, 0, 127, 100, None),
    (core.Ge, 0, -128, -1, None),
]


@pytest.mark.parametrize(("test", "start", "end", "step", "count"), LOOPS)
def test_trip_count_is_known_unless_the_variable_wraps_around(
    test: Callable[..., core.Expr], start: int, end: int, step: int, count: int | None
) -> None:
    init, last, by = (core.const(number, "int8") for number in (start, end, step))
    loop = core.DoLoop(I, init, test(core.Ld(I), last), core.Ld(I) + by, core.EMPTY)
    assert trip_count(loop) == count
