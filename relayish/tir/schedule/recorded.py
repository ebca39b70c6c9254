"""The schedule ``recorded``: the steps that a search found to be the fastest."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from relayish._support.this_machine import processor_name
from relayish.errors import ScheduleError
from relayish.tir.schedule.records import ScheduleRecord, read_records, replay_best
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule


@register_schedule("recorded")
def recorded(schedule: Schedule, *, file: str) -> None:
    """Take the fastest steps that a file of records knows of the function, if it knows any.

    Args:
        schedule: Of the function, before any other step.
        file: What ``tir.tune`` or ``relayish tune`` wrote.

    Raises:
        OSError: If it cannot be read.
        ScheduleError: If there is something in it, but no record.
    """
    replay_best(schedule, _records(file, Path(file).stat().st_mtime_ns), machine=processor_name())


@lru_cache(maxsize=4)
def _records(file: str, changed: int) -> tuple[ScheduleRecord, ...]:
    del changed  # another time, another file
    found = tuple(read_records(file))
    if not found and Path(file).stat().st_size:
        raise ScheduleError(
            f"found no record of steps in {file}; expected a file that tir.tune or relayish tune "
            f"wrote"
        )
    return found
