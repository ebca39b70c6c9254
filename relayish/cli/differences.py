"""Differences as ``relayish diff`` tells them: changes by name, operators by count, lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

_MANY: Final = 8
"""More constants that went, or came, are told by type."""
CONSTANT: Final = "constant"
"""What a change is of whose lines may be many."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is in one of two files alone, or otherwise in each.

    Attributes:
        what: What it is: ``node``, ``constant``, ``value``; nothing of a fact about a whole model.
        name: Its name.
        before: What it is in the first file, ``None`` if it is not there.
        after: What it is in the second.
        note: What else is known of the change.
    """

    what: str
    name: str
    before: str | None
    after: str | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class DiffReport:
    """How two files differ.

    Attributes:
        before: The name of the first.
        after: The name of the second.
        equal: Whether they do not, in what is compared.
        total: How many operators there are in each.
        operators: Those of which there are more or fewer: both counts.
        constant_bytes: Of constants, in each.
        changes: What is in one of two models alone, or otherwise in each.
        lines: The unified difference of the texts of two programs.
        notes: What else is known of it.
    """

    before: str
    after: str
    equal: bool
    total: tuple[int, int] = (0, 0)
    operators: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    constant_bytes: tuple[int, int] = (0, 0)
    changes: tuple[Change, ...] = ()
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def sections(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    """Yield what is gone, what is otherwise, and what is new, in the order in which it stands."""
    for name, text in before.items():
        if after.get(name) != text:
            yield Change(what, name, text, after.get(name))
    for name, text in after.items():
        if name not in before:
            yield Change(what, name, None, text)


def render_diff(report: DiffReport, *, values: bool = False) -> Iterator[str]:
    """Yield the lines of a report.

    Args:
        report: What differs.
        values: Whether each constant is told, however many there are.
    """
    facts = [change for change in report.changes if not change.what]
    constants = [change for change in report.changes if change.what == CONSTANT]
    others = [change for change in report.changes if change.what not in ("", CONSTANT)]
    yield from _lines(facts)
    yield from _counts(report)
    yield from _lines(constants) if values else _summed(constants)
    yield from _lines(others)
    yield from report.lines
    yield from report.notes


def _counts(report: DiffReport) -> Iterator[str]:
    counts = {
        "operators": report.total,
        **{f"  {name}": pair for name, pair in report.operators.items()},
        "bytes of constants": report.constant_bytes,
    }
    for name, (was, now) in counts.items():
        if was != now:
            yield f"{name}: {was:,} -> {now:,}"


def count_changes(
    before: Mapping[str, int], after: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """Return the operators of which there are more or fewer, with both counts."""
    names = sorted(before.keys() | after.keys())
    pairs = {name: (before.get(name, 0), after.get(name, 0)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        called = f"{change.what} {change.name}" if change.what else change.name
        note = f", {change.note}" if change.note else ""
        if change.before is not None:
            yield f"- {called}: {change.before}"
        if change.after is not None:
            yield f"+ {called}: {change.after}{note}"


def _summed(changes: Sequence[Change]) -> Iterator[str]:
    """Yield lines of constants; of many that went, or came, how many there are of each type."""
    kept = [each for each in changes if each.before is not None and each.after is not None]
    for sign, side in (("-", 1), ("+", 0)):
        lonely = [each for each in changes if (each.before, each.after)[side] is None]
        texts = [str(each.before or each.after) for each in lonely]
        if len(lonely) <= _MANY:
            kept += lonely
            continue
        counts = Counter([text.partition("]")[0] + "]" for text in texts])
        for of, count in counts.items():
            yield f"{sign} {count:,} constant{'' if count == 1 else 's'} {of}"
    places = {change: place for place, change in enumerate(changes)}
    yield from _lines(sorted(kept, key=places.__getitem__))


def largest_difference(before: Any, after: Any) -> float | None:  # Any: arrays
    """Return by how much elements differ at the most; ``None`` if these are no numbers alike."""
    if before is None or after is None:
        return None
    if before.dtype != after.dtype or before.shape != after.shape or not before.size:
        return None
    try:
        with np.errstate(all="ignore"):
            found = np.abs(before.astype(np.float64) - after.astype(np.float64))
    except (TypeError, ValueError):  # strings, complex numbers
        return None
    return float(np.nanmax(found)) if not np.isnan(found).all() else None


def are_same(before: Any, after: Any) -> bool:  # Any: as above
    """Return whether two arrays hold the same bits, or the same strings."""
    if before.dtype != after.dtype or before.shape != after.shape:
        return False
    if before.dtype == object:
        return bool(before.tolist() == after.tolist())
    was, now = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (before, after))
    return bool(np.array_equal(was, now))
