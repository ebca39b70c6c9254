"""Documents of reports: one JSON object, from which the page is made; each line in it once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from relayish._support.printable import message_text
from relayish.draw.highlight import split_words
from relayish.draw.report.pictures import Pictures
from relayish.draw.report.steps import Record, Step
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.instruments.line_changes import compare_lines

Json: TypeAlias = Any  # Any: whatever JSON can hold
TYPED_LINES: Final = 20_000
"""Programs have so many lines, all steps together, where inferred types can be shown as well."""
LONGEST_LINE: Final = 2_000
"""So many characters of a line are shown."""


def make_document(report: Record, *, has_pictures: bool = True) -> Mapping[str, Json]:
    """Return what the page shows, as ``report.js`` reads it.

    ``lines`` holds each line once, as words, each behind the letter of its kind; a text is a list
    of numbers of lines. What a step changes are stretches of lines, equal or not, in both texts.

    Complexity:
        Linear in the lines of all programs that differ, but for a logarithm.
    """
    texts = _Texts(report)
    pictures = Pictures() if has_pictures else None
    steps = [_describe(step, texts, pictures) for step in report.steps]
    numbers = {step: number for number, step in enumerate(report.steps)}
    for told, step in zip(steps, report.steps, strict=True):
        told["parent"] = numbers[step.inside[-1]] if step.inside else -1
    return {
        "title": report.title,
        "lines": texts.lines,
        "texts": texts.texts,
        "typed": texts.typed,
        "steps": steps,
        "notes": [*_untold(report), *report.notes],
        "leftOut": [[each.name, each.why] for each in report.left_out],
        "pictures": [] if pictures is None else pictures.documents,
    }


def _untold(report: Record) -> list[str]:
    """Return what was raised, if no step tells it."""
    if report.error is None or any(step.error for step in report.steps):
        return []
    return [message_text(f"{type(report.error).__name__}: {report.error}")]


def _describe(step: Step, texts: _Texts, pictures: Pictures | None) -> dict[str, Json]:
    before, after = step.size_before, step.size_after
    first, second = texts.of(step.before), texts.of(step.after or step.before)
    is_drawn = step.changed and not step.is_group
    return {
        "name": step.name,
        "options": [f"{name}={value}" for name, value in step.options.items()],
        "level": step.opt_level,
        "neededBy": step.needed_by,
        "depth": len(step.inside),
        "group": step.is_group,
        "outcome": step.outcome.value,
        "seconds": round(step.seconds, 7),
        "operators": [before.operators, after.operators],
        "nodes": [before.nodes, after.nodes],
        "bytes": [before.constant_bytes, after.constant_bytes],
        "checks": [list(each) for each in step.checks],
        "notes": step.notes,
        "error": step.error,
        "texts": [first, second],
        "stretches": texts.compare(first, second),
        "pictures": pictures.of(step) if pictures is not None and is_drawn else None,
    }


class _Texts:
    """Texts of programs as numbers of lines."""

    def __init__(self, report: Record) -> None:
        self.lines: list[list[str]] = []
        self.texts: list[list[int]] = []
        self.typed: list[list[int]] = []
        self._numbers: dict[str, int] = {}
        self._known: dict[tuple[str, str], int] = {}
        self._shown: list[list[str]] = []
        self._views = report.steps[0].views if report.steps else None
        mods = {step.before for step in report.steps} | {step.after for step in report.steps}
        total = sum([self._split(mod).count("\n") for mod in mods if mod is not None])
        self._has_types = total <= TYPED_LINES

    def of(self, mod: AnyModule) -> int:
        """Return the number of the text of a program."""
        text = self._split(mod)
        typed = ""
        if self._has_types and self._views is not None:
            typed = self._views.text(mod, show_types=True)
        number = self._known.get((text, typed))
        if number is None:
            number = self._known[text, typed] = len(self.texts)
            lines, more = text.split("\n"), typed.split("\n")
            self._shown.append(lines)
            self.texts.append([self._number(line) for line in lines])
            if self._has_types:
                same = len(more) == len(lines)
                self.typed.append([self._number(line) for line in (more if same else lines)])
        return number

    def compare(self, before: int, after: int) -> Json:
        """Return the stretches of two texts."""
        found = compare_lines(self._shown[before], self._shown[after])
        return [[int(each.is_equal), *each[1:]] for each in found]

    def _split(self, mod: AnyModule) -> str:
        assert self._views is not None
        return self._views.text(mod)

    def _number(self, line: str) -> int:
        number = self._numbers.get(line)
        if number is None:
            number = self._numbers[line] = len(self.lines)
            self.lines.append(_as_words(line))
        return number


def _as_words(line: str) -> list[str]:
    if len(line) > LONGEST_LINE:
        line = f"{line[:LONGEST_LINE]} ... ({len(line) - LONGEST_LINE:,} more characters)"
    return [f"{kind}{word}" for kind, word in split_words(line)]
