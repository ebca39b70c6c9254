"""The pass that applies schedules by name.

Before::

    for (i, 0, 8)
    {
      A[i] = 0.0
    }

After ``ApplySchedules{rules="in_rows{rows=4}"}``, where ``in_rows`` splits by rows::

    for (i_0, 0, 2)
    {
      for (i_1, 0, 4)
      {
        A[4 * i_0 + i_1] = 0.0
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

    Example:
        >>> import relayish as relay
        >>> from relayish import tir
        >>> A = tir.placeholder("A", (8,))
        >>> mod = relay.IRModule({"f": tir.lower("f", [A, tir.compute((8,), lambda i: A[i], "B")])})
        >>> with relay.declared_temporarily():
        ...     @tir.register_schedule("in_rows")
        ...     def in_rows(schedule: tir.Schedule, *, rows: int = 2) -> None:
        ...         schedule.split(schedule.get_loops()[0], [-1, rows])
        ...     found = relay.transform.ApplySchedules(rules="in_rows{rows=4}")(mod)
        >>> print(tir.Schedule(found).get_loops())
        [<loop for (i_0, 0, 2)>, <loop for (i_1, 0, 4)>]
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
