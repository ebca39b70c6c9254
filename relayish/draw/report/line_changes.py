"""Comparison of texts of a program, whatever the numbers of temporaries in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from relayish.pass_infra.instruments.line_diff import Pair, pair_lines

_TEMPORARY: Final = re.compile(r"%(\d+)\b")
_DEFINITION: Final = re.compile(r"\s*%(\d+) = ")


class Stretch(NamedTuple):
    """A stretch of lines in one text and in the other, from a first line up to an end.

    Attributes:
        is_equal: Line by line they say the same.
        start: In the first text.
        end: In the first text.
        other_start: In the second.
        other_end: In the second.
    """

    is_equal: bool
    start: int
    end: int
    other_start: int
    other_end: int


def compare_lines(before: Sequence[str], after: Sequence[str]) -> list[Stretch]:
    """Return how two texts go together: stretches of lines, which cover both in order.

    Temporaries, ``%3``, are told apart by what defines them: a line that only has other numbers
    says the same. In a stretch that is not equal, lines that stand at the same place of it may be
    the same line, changed.

    Complexity:
        Linear in the lines but for a logarithm.

    Example:
        >>> before = ["%0 = exp(%x);", "%1 = exp(%y);", "tanh(%1)"]
        >>> compare_lines(before, ["%0 = exp(%y);", "tanh(%0)"])
        [Stretch(is_equal=False, start=0, end=1, other_start=0, other_end=0), \
Stretch(is_equal=True, start=1, end=3, other_start=0, other_end=2)]
    """
    if list(before) == list(after):
        return [Stretch(True, 0, len(before), 0, len(after))] if before else []
    return list(_join(_judge(before, after, _align(before, after)), len(before), len(after)))


def _align(before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    """Yield lines that may go together: by all that they rest on, then by themselves."""
    masked, other_masked = [
        [_TEMPORARY.sub("%", line) for line in text] for text in (before, after)
    ]
    start = other_start = 0
    by_origin = pair_lines(_with_origins(before), _with_origins(after))
    for place, other in [*by_origin, (len(before), len(after))]:
        if place > start and other > other_start:
            for near, near_other in pair_lines(
                masked[start:place], other_masked[other_start:other]
            ):
                yield start + near, other_start + near_other
        if place < len(before):
            yield place, other
        start, other_start = place + 1, other + 1


def _with_origins(text: Sequence[str]) -> list[str]:
    """Return lines with a name of what defines it in place of each temporary."""
    origins: dict[str, str] = {}
    found = []
    for line in text:
        defined = _DEFINITION.match(line)
        shown = _TEMPORARY.sub(
            lambda each: origins.get(each[1], "%"), line[defined.end() if defined else 0 :]
        )
        if defined is not None:
            origins[defined[1]] = f"%{hash(shown):x}"
        found.append(shown)
    return found


def _judge(before: Sequence[str], after: Sequence[str], pairs: Iterator[Pair]) -> Iterator[Pair]:
    """Yield the pairs whose temporaries go together as well."""
    there: dict[str, str] = {}  # by the temporary of the first text, that of the second
    back: dict[str, str] = {}
    for place, other in pairs:
        names, other_names = _TEMPORARY.findall(before[place]), _TEMPORARY.findall(after[other])
        if len(names) != len(other_names):
            continue
        is_definition = _DEFINITION.match(before[place]) is not None
        if is_definition and _DEFINITION.match(after[other]) is not None:
            there.pop(names[0], None)
            back.pop(other_names[0], None)
        for name, other_name in zip(names, other_names, strict=True):
            if there.get(name, other_name) != other_name or back.get(other_name, name) != name:
                break
        else:
            there.update(zip(names, other_names, strict=True))
            back.update(zip(other_names, names, strict=True))
            yield place, other


def _join(pairs: Iterator[Pair], end: int, other_end: int) -> Iterator[Stretch]:
    """Yield the stretches that pairs of equal lines make."""
    start = other_start = 0  # of the stretch at hand, which is equal and ends at `here`
    here = other_here = 0
    for place, other in [*pairs, (end, other_end)]:
        if (place, other) == (here, other_here) and place < end:
            here, other_here = place + 1, other + 1
            continue
        if here > start:
            yield Stretch(True, start, here, other_start, other_here)
        if place > here or other > other_here:
            yield Stretch(False, here, place, other_here, other)
        start, other_start = place, other
        here, other_here = place + 1, other + 1
