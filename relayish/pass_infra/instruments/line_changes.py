"""Comparison of texts of a program, whatever the numbers of temporaries in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple

from relayish.pass_infra.instruments.line_diff import Pair, pair_lines

_TEMPORARY: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|%(\d+)\b')
"""A temporary; within a text there is none, so texts are passed over."""
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


def renumber(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the lines of a text with the temporaries called as they are in another one.

    A line of which :func:`compare_lines` finds that it says the same becomes the same; a temporary
    that the other text has not gets a number that it has not.

    Complexity:
        Linear in the lines but for a logarithm.

    Example:
        >>> renumber(["%0 = exp(%x);", "%1 = exp(%y);"], ["%0 = exp(%y);", "%1 = sin(%0);"])
        ['%1 = exp(%y);', '%2 = sin(%1);']
    """
    called: list[str | None] = []  # by definition: its number in the other text, if it has one
    lines = list(_resolve(before, after, called))
    free = count(1 + max([int(name) for line in before for name in _temporaries(line)], default=-1))
    names = [str(next(free)) if name is None else name for name in called]
    found = []
    for line in lines:
        if line.same is not None:
            found.append(line.same)
            continue
        head, rest = _split(line.text)
        shown = {name: names[definition] for name, definition in line.uses.items()}
        begin = line.text[: len(line.text) - len(rest)]
        if head:
            begin = begin.replace(head, names[line.defines])
        found.append(begin + _call(rest, shown))
    return found


class _Line(NamedTuple):
    """A line of the second text.

    Attributes:
        text: As it stands there.
        same: The line of the first that says the same, if there is one.
        uses: By the number of a temporary in it, which definition that is.
        defines: Which definition it is itself; -1 if none.
    """

    text: str
    same: str | None
    uses: Mapping[str, int]
    defines: int


def _resolve(
    before: Sequence[str], after: Sequence[str], called: list[str | None]
) -> Iterator[_Line]:
    """Yield the lines of the second text, and fill in what definitions in it are called."""
    latest: dict[str, int] = {}
    for line, same in zip(after, _sames(before, after), strict=True):
        head, rest = _split(line)
        names = _temporaries(rest)
        if same is not None:
            for name, other in zip(names, _temporaries(_split(same)[1]), strict=True):
                if name in latest:
                    called[latest[name]] = other
        uses = {name: latest[name] for name in names if name in latest}
        if head:
            latest[head] = len(called)
            called.append(None if same is None else _split(same)[0])
        yield _Line(line, same, uses, latest[head] if head else -1)


def _sames(before: Sequence[str], after: Sequence[str]) -> Iterator[str | None]:
    """Yield, by line of the second text, the line of the first that says the same."""
    for stretch in compare_lines(before, after):
        if stretch.is_equal:
            yield from before[stretch.start : stretch.end]
        else:
            yield from [None] * (stretch.other_end - stretch.other_start)


def _split(line: str) -> tuple[str, str]:
    """Return the number of the temporary that a line defines, or nothing, and the rest of it."""
    found = _DEFINITION.match(line)
    return ("", line) if found is None else (found[1], line[found.end() :])


def _temporaries(line: str) -> list[str]:
    return [name for name in _TEMPORARY.findall(line) if name]


def _call(line: str, names: Mapping[str, str]) -> str:
    """Return a line with the temporaries in it called otherwise."""
    return _rename(line, lambda name: f"%{names.get(name, name)}")


def _rename(line: str, name: Callable[[str], str]) -> str:
    """Return a line with another text in place of each temporary, of which the number is given."""
    return _TEMPORARY.sub(lambda found: found[0] if found[1] is None else name(found[1]), line)


def _align(before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    """Yield lines that may go together: by all that they rest on, then by themselves."""
    masked, other_masked = [
        [_rename(line, lambda _name: "%") for line in text] for text in (before, after)
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
        rest = line[defined.end() if defined else 0 :]
        shown = _rename(rest, lambda name: origins.get(name, "%"))
        if defined is not None:
            origins[defined[1]] = f"%{hash(shown):x}"
        found.append(shown)
    return found


def _judge(before: Sequence[str], after: Sequence[str], pairs: Iterator[Pair]) -> Iterator[Pair]:
    """Yield the pairs whose temporaries go together as well."""
    there: dict[str, str] = {}  # by the temporary of the first text, that of the second
    back: dict[str, str] = {}
    for place, other in pairs:
        names, other_names = _temporaries(before[place]), _temporaries(after[other])
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
