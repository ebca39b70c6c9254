"""Trip counts of the loop IR, where the extent of a loop is a literal."""

from __future__ import annotations

from relayish.ir.kinds.trip_count import TRIP_COUNTS
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import For


def _number(expr: Expr | None) -> int | None:
    value = getattr(expr, "value", None)
    return value if isinstance(value, int) else None


def _count_for(loop: For) -> int | None:
    extent = _number(loop.extent)
    return None if extent is None else max(extent, 0)


def _count_reduce(reduce: Reduce) -> int | None:
    count = 1
    for axis in reduce.reduce_axis:
        low, high = _number(axis.lower_bound), _number(axis.upper_bound)
        if low is None or high is None:
            return None
        count *= max(high - low, 0)
    return count


TRIP_COUNTS.register(For, _count_for)
TRIP_COUNTS.register(Reduce, _count_reduce)
