"""Test reports of operators: what was tried of a declaration, and the faults that were found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from relayish._support.printable import escape
from relayish.errors import OpCheckError
from relayish.interpreter.value import Evaluated

_LONGEST = 400


class Fault(NamedTuple):
    """Something that is declared of an operator and does not hold.

    Attributes:
        check: What was tried: ``value``.
        call: The call that shows it.
        declared: What the declaration says: ``its rule says float32[2]``.
        found: What was found instead: ``evaluate returned float32[7]``.
        advice: What to do.
    """

    check: str
    call: str
    declared: str
    found: str
    advice: str

    def __str__(self) -> str:
        return f"{self.check}: {self.declared}, but {self.found}, in {self.call}; {self.advice}"


class Skipped(Exception):  # noqa: N818 - nothing is wrong
    """A check does not apply; says why."""


@dataclass(frozen=True, slots=True)
class OpCheckReport:
    """What :func:`~relayish.testing.opcheck` found out about an operator.

    Attributes:
        operator: Its full name.
        calls: The calls that were tried, in one line each.
        value: The value of the first of them, ``None`` where it has none.
        failures: All faults, in the order in which they were found.
        passed: The checks that found none.
        skipped: Why a check was not made, by its name.
    """

    operator: str
    calls: tuple[str, ...]
    value: Evaluated = None
    failures: tuple[Fault, ...] = ()
    passed: tuple[str, ...] = ()
    skipped: dict[str, str] = field(default_factory=dict)

    def check(self) -> Self:
        """Return the report itself if there are no faults.

        Raises:
            OpCheckError: Listing all of them.
        """
        if not self.failures:
            return self
        listed = "".join([f"\n  {_cut(str(fault))}" for fault in self.failures])
        found = "1 fault" if len(self.failures) == 1 else f"{len(self.failures)} faults"
        raise OpCheckError(f"opcheck finds {found} in operator {self.operator}:{listed}", self)

    def __str__(self) -> str:
        rows = list(self._rows())
        width = max(len(check) for check, _, _ in rows)
        head = f"opcheck of {self.operator}"
        shown = [f"  {check:{width}}  {how:7}  {what}".rstrip() for check, how, what in rows]
        return "\n".join([head, *[f"  {call}" for call in self.calls], *shown])

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        for fault in self.failures:
            yield fault.check, "fault", _cut(str(fault).removeprefix(f"{fault.check}: "))
        yield from ((check, "ok", "") for check in self.passed)
        yield from ((check, "skipped", _cut(why)) for check, why in self.skipped.items())


def summarise(
    outcomes: Iterable[tuple[str, Sequence[Fault] | Skipped]],
) -> tuple[tuple[Fault, ...], tuple[str, ...], dict[str, str]]:
    """Return faults, what passed and what was skipped, of the outcomes on several calls.

    A check passed if it was made of one call at least and found nothing. Of faults in the same
    thing the first is told.
    """
    faults: dict[tuple[str, str], Fault] = {}
    made: dict[str, bool] = {}
    reasons: dict[str, str] = {}
    for check, outcome in outcomes:
        if isinstance(outcome, Skipped):
            reasons.setdefault(check, str(outcome))
            continue
        made[check] = made.get(check, True) and not outcome
        for fault in outcome:
            faults.setdefault((check, fault.advice), fault)
    passed = tuple([check for check, holds in made.items() if holds])
    skipped = {check: why for check, why in reasons.items() if check not in made}
    return tuple(faults.values()), passed, skipped


def _cut(text: str) -> str:
    line = escape(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
