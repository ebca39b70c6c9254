"""Records of schedules that were measured: a file with a line for each, which anybody may replay.

A line says of which function it is, by a digest of what that computes, which steps make the
program, and what was found. What is damaged, or was not written to its end, is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from relayish._support.sealed_lines import append_entry, read_entries
from relayish._support.version import VERSION
from relayish.errors import UnknownNameError
from relayish.ir.equality.structural_hash import structural_hash
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.schedule import Schedule, Trace

RIGHT = "right"
"""The verdict of what computes the same, and was timed."""


@dataclass(frozen=True, slots=True)
class ScheduleRecord:
    """What was found of one program.

    Attributes:
        function: What the function is called, for people.
        workload: What it computes; see :func:`workload_of`.
        program: What is the same of equal programs.
        steps: The trace, as JSON has it; ``None`` of what is compiled where nothing was tuned.
        verdict: ``"right"``, ``"wrong"``, ``"crash"``, ``"timeout"``, ``"refused"`` or ``"lost"``.
        seconds: Of the fastest run; ``None`` where it is not right.
        reason: What is wrong.
        machine: The processor it ran on.
        exact: Whether it was timed as compiled by ``tir.build``, or as a part of a network.
        version: Of relayish.
    """

    function: str
    workload: str
    program: str
    steps: Any  # Any: as JSON has it
    verdict: str
    seconds: float | None = None
    reason: str = ""
    machine: str = ""
    exact: bool = True
    version: str = VERSION

    @property
    def time(self) -> float:
        """The seconds; infinite where it is not right."""
        return math.inf if self.seconds is None or self.verdict != RIGHT else self.seconds

    @property
    def trace(self) -> Trace:
        """The steps as a trace, of which a schedule takes them again.

        Raises:
            ScheduleError: If they are none.
        """
        return Trace.from_json(json.dumps(self.steps))


def workload_of(func: LoweredFunc) -> str:
    """Return a digest of what a function computes, whatever it is called itself.

    Example:
        >>> from relayish import tir
        >>> A = tir.placeholder("A", (4,))
        >>> B = tir.compute((4,), lambda i: A[i] * 2, "B")
        >>> workload_of(tir.lower("f", [A, B])) == workload_of(tir.lower("g", [A, B]))
        True
    """
    return program_of(func.with_fields(name=""))


def program_of(func: LoweredFunc) -> str:
    """Return a digest that equal programs have in common, in any process."""
    return f"{structural_hash(func) & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def read_records(path: Path | str) -> list[ScheduleRecord]:
    """Return the records of a file; none where there is no file.

    Raises:
        OSError: If it cannot be read.
    """
    return [found for entry in read_entries(Path(path)) for found in _record_of(entry)]


def add_record(path: Path | str, record: ScheduleRecord) -> None:
    """Write a record behind those of a file.

    Raises:
        OSError: If it cannot be written.
    """
    append_entry(Path(path), asdict(record))


def _record_of(entry: Mapping[str, Any]) -> Iterator[ScheduleRecord]:
    """Yield the record of an entry, if it is one; what a later version adds is left out."""
    known = {name: entry[name] for name in ScheduleRecord.__slots__ if name in entry}
    if {"function", "workload", "program", "steps", "verdict"} <= known.keys():
        yield ScheduleRecord(**known)


def best_schedule(
    records: Iterable[ScheduleRecord],
    func: LoweredFunc,
    *,
    machine: str | None = None,
    exact: bool | None = None,
) -> Schedule | None:
    """Return the schedule of a function that was the fastest, replayed.

    Args:
        records: Of any functions.
        func: A function as it was tuned, whatever it is called.
        machine: The processor whose records count more than those of others.
        exact: If given, only what was timed so counts.

    Returns:
        ``None`` where nothing is known of the function, or nothing was faster than what is
        compiled otherwise.

    Complexity:
        Linear in the function and the records, and what the replay takes.
    """
    schedule = Schedule(func)
    is_taken = replay_best(schedule, records, machine=machine, exact=exact)
    return schedule if is_taken else None


def replay_best(
    schedule: Schedule,
    records: Iterable[ScheduleRecord],
    *,
    machine: str | None = None,
    exact: bool | None = None,
) -> bool:
    """Take the fastest steps that are known of the function of a schedule; return whether any are.

    Where they are refused, since they were recorded by a version with other primitives, the next
    are tried. See :func:`best_schedule`.
    """
    workload = workload_of(schedule.func)
    found = [
        each
        for each in records
        if each.workload == workload and each.time < math.inf and exact in (None, each.exact)
    ]
    found.sort(key=lambda each: (each.machine != machine, each.time))
    for record in found:
        if record.steps is None:
            return False
        try:
            with schedule.attempt():
                schedule.replay(record.trace)
                return True
        except UnknownNameError:
            continue
    return False
