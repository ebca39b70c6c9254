"""The report of ``relayish tune``: a table with a line for each function, or JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from relayish.cli.tables import Table


@dataclass(frozen=True, slots=True)
class TunedFunction:
    """What became of a function.

    Attributes:
        names: What those are called that compute the same.
        calls: How often these are called.
        baseline: Seconds of a call as it is compiled otherwise; ``null`` where it cannot be timed.
        seconds: Seconds of a call of the fastest program.
        verdicts: How many trials came out how.
        refused: How many candidates schedules refused, which were no trials.
        error: Why nothing was tried.
    """

    names: Sequence[str]
    calls: int
    baseline: float = math.nan
    seconds: float = math.nan
    verdicts: Mapping[str, int] = field(default_factory=dict)
    refused: int = 0
    error: str | None = None

    @property
    def is_faster(self) -> bool:
        """Whether something faster was found."""
        return self.seconds < self.baseline


@dataclass(frozen=True, slots=True)
class TuneReport:
    """What became of a program.

    Attributes:
        source: The file it was read from.
        functions: Those that differ.
        records: The file of records.
        seconds: How long everything took.
        is_interrupted: Whether Ctrl-C ended it.
    """

    source: str
    functions: Sequence[TunedFunction]
    records: str | None = None
    seconds: float = 0.0
    is_interrupted: bool = False


_HEADINGS: Final = ("function", "calls", "milliseconds", "tuned", "times as fast", "trials")


def tables_of(report: TuneReport) -> list[Table | str]:
    """Return the report as a table, and the lines below it."""
    rows = [_row(each) for each in report.functions]
    table = Table(_HEADINGS, rows, right=range(1, 5))
    timed = [each for each in report.functions if each.baseline < math.inf]
    before = sum([each.calls * each.baseline for each in timed])
    after = sum([each.calls * min(each.seconds, each.baseline) for each in timed])
    said = f"all calls: {before * 1e3:.3f} milliseconds before, {after * 1e3:.3f} tuned"
    where = "not recorded" if report.records is None else f"recorded in {report.records}"
    return [table, f"{said}; {where}; {report.seconds:.2f} seconds\n"]


def _row(told: TunedFunction) -> Sequence[str]:
    more = f" and {len(told.names) - 1} more" if len(told.names) > 1 else ""
    name, calls = f"{told.names[0]}{more}", str(told.calls)
    if told.error is not None:
        return name, calls, "", "", "", f"error: {told.error.splitlines()[0]}"
    counts = ", ".join([f"{count} {verdict}" for verdict, count in told.verdicts.items()])
    refused = f"; {told.refused} refused by schedules" if told.refused else ""
    faster = f"{told.baseline / told.seconds:.2f}" if told.is_faster else ""
    tuned = f"{told.seconds * 1e3:.4f}" if told.is_faster else ""
    return name, calls, f"{told.baseline * 1e3:.4f}", tuned, faster, f"{counts}{refused}"
