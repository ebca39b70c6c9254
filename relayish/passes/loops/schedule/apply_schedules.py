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

from relayish.errors import ScheduleError, add_note
from relayish.pass_infra import register_pass
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.rules import parse_schedules
from relayish.tir.schedule.schedule import Schedule


@register_pass("ApplySchedules", opt_level=0)
def apply_schedules(func: LoweredFunc, *, rules: str = "", target: str = "") -> LoweredFunc:
    """Apply schedules, each registered by ``tir.register_schedule``, one after the other.

    Args:
        func: A function of loops, with or without schedule blocks.
        rules: Names, with options: ``"in_rows{rows=8},vector_lanes"``.
        target: What is compiled for; schedules for others are left out. ``""``: none is.

    Returns:
        ``func`` itself when none takes a step.

    Raises:
        ScheduleError: If a schedule takes a step that is refused: which, and why.
        UnknownNameError: If no schedule of a name is registered.

    Source:
        CINN group schedule tactics, TVM ``tir.schedule`` rules.
    """
    schedule = Schedule(func)
    before = schedule.func
    for rule in parse_schedules(rules, target):
        try:
            rule(schedule)
        except ScheduleError as error:
            add_note(error, f"while {func.name} was scheduled by {rules}")
            raise
    return func if schedule.func is before else schedule.func
