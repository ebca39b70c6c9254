"""The pass that applies schedules by name.

Before::

    for (i, 0, 64)
    {
      A[i] = 0.0
    }

After ``ApplySchedules{rules="vector_lanes"}``::

    for (i_0, 0, 4)
    {
      vectorize[16] for (i_1, 0, 16)
      {
        A[16 * i_0 + i_1] = 0.0
      }
    }
"""

from __future__ import annotations

from relayish.pass_infra import register_pass
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.rules import schedule_with


@register_pass("ApplySchedules", opt_level=0)
def apply_schedules(
    func: LoweredFunc,
    *,
    rules: str = "",
    otherwise: str = "",
    target: str = "",
    exact: bool = True,
) -> LoweredFunc:
    """Apply schedules, each registered by ``tir.register_schedule``, one after the other.

    Args:
        func: A function of loops, with or without schedule blocks.
        rules: Names, with options: ``"in_rows{rows=8},vector_lanes"``.
        otherwise: The same, of schedules that are applied where ``rules`` change nothing.
        target: What is compiled for; schedules for others are left out. ``""``: none is.
        exact: Whether floats have to be the same, bit for bit; else sums may be added in another
            order.

    Returns:
        ``func`` itself when none takes a step that changes it.

    Raises:
        ScheduleError: If a schedule takes a step that is refused: which, and why.
        UnknownNameError: If no schedule of a name is registered.

    Source:
        CINN group schedule tactics, TVM ``tir.schedule`` rules.
    """
    for text in (rules, otherwise):
        schedule = schedule_with(func, text, target=target, exact=exact)
        if schedule.has_changed:
            return schedule.func
    return func
