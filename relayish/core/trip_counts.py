"""Trip counts of core, where the bounds and the step of a loop are literals."""

from __future__ import annotations

from relayish.core.ir import expr as ops
from relayish.core.ir.family import Expr
from relayish.core.ir.memory import Ld, Ldp
from relayish.core.ir.stmt import DoLoop
from relayish.ir.kinds.trip_count import TRIP_COUNTS


def _number(expr: Expr) -> int | None:
    if isinstance(expr, ops.Intconst):
        return expr.value
    return 0 if isinstance(expr, ops.Zero) else 1 if isinstance(expr, ops.One) else None


def _is_variable(expr: Expr, loop: DoLoop) -> bool:
    held = expr.symbol if isinstance(expr, Ld) else expr.preg if isinstance(expr, Ldp) else None
    return held is loop.iv


def _step_of(loop: DoLoop) -> int | None:
    by = loop.increment
    if not isinstance(by, (ops.Add, ops.Sub)) or not _is_variable(by.a, loop):
        return None
    number = _number(by.b)
    return -number if number is not None and isinstance(by, ops.Sub) else number


def _count_do_loop(loop: DoLoop) -> int | None:
    """Return what bounds and step tell, as if the body did not write the variable."""
    start, step, test = _number(loop.init), _step_of(loop), loop.compare
    if start is None or not step or not isinstance(test, ops.Comparison):
        return None
    end = _number(test.b) if _is_variable(test.a, loop) else None
    if end is None:
        return None
    distance = end - start
    if isinstance(test, (ops.Lt, ops.Le)) and step > 0:
        count = max(-(-(distance + isinstance(test, ops.Le)) // step), 0)
    elif isinstance(test, (ops.Gt, ops.Ge)) and step < 0:
        count = max(-((distance - isinstance(test, ops.Ge)) // -step), 0)
    else:
        return None
    low, high = ops.integer_range(test.a.type)
    return count if low <= start + count * step <= high else None  # beyond, it wraps around


TRIP_COUNTS.register(DoLoop, _count_do_loop)
