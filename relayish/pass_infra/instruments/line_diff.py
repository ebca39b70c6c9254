"""The difference of two long texts, in linear time but for a logarithm.

``difflib`` looks for the longest stretch that two texts have in common, again and again, which
takes quadratic time where every other line changes: minutes for the text of a large program. Here
lines that occur once in each text are paired first, as far as their order agrees, and only what
stands between two such pairs is compared closely, if it is short.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

Pair: TypeAlias = tuple[int, int]
"""Places in the two texts of lines that are the same."""

CLOSELY: Final = 32
"""As many lines between two pairs are still compared closely."""


def diff_lines(
    before: Sequence[str], after: Sequence[str], names: tuple[str, str], context: int = 3
) -> Iterator[str]:
    """Yield the lines of the unified difference of two sequences of lines; none if they agree."""
    if before == after:
        return
    matcher = _Matcher(before, after)
    yield f"--- {names[0]}"
    yield f"+++ {names[1]}"
    for group in matcher.get_grouped_opcodes(context):
        (_, start, _, other_start, _), (_, _, end, _, other_end) = group[0], group[-1]
        yield f"@@ -{_range(start, end)} +{_range(other_start, other_end)} @@"
        for tag, first, last, other_first, other_last in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[first:last])
                continue
            yield from (f"-{line}" for line in before[first:last])
            yield from (f"+{line}" for line in after[other_first:other_last])


def pair_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    """Yield pairs of lines that are the same, rising in both texts.

    Complexity:
        Linear in the lines but for a logarithm.
    """
    start = (0, 0)
    for anchor in [*_anchors(before, after), (len(before), len(after))]:
        yield from _between(before, after, start, anchor)
        if anchor[0] < len(before):
            yield anchor
        start = (anchor[0] + 1, anchor[1] + 1)


class _Matcher(difflib.SequenceMatcher[str]):
    """Groups changes as its base does, by other pairs of lines."""

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, before, after, autojunk=False)
        self.before, self.after = before, after

    def get_matching_blocks(self) -> list[difflib.Match]:
        blocks: list[difflib.Match] = []
        for place, other in pair_lines(self.before, self.after):
            if blocks and blocks[-1].a + blocks[-1].size == place:
                last = blocks[-1]
                if last.b + last.size == other:
                    blocks[-1] = difflib.Match(last.a, last.b, last.size + 1)
                    continue
            blocks.append(difflib.Match(place, other, 1))
        return [*blocks, difflib.Match(len(self.before), len(self.after), 0)]


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Return most pairs of lines that occur once in each text, rising in both."""
    once = {line for line, count in Counter(after).items() if count == 1}
    once &= {line for line, count in Counter(before).items() if count == 1}
    place_of = {line: place for place, line in enumerate(after) if line in once}
    ends: list[int] = []  # the lowest place at which a rising row of each length ends
    row: list[int] = []  # the pair there, by its number in `pairs`
    pairs: list[Pair] = []
    came_from: list[int] = []
    for place, line in enumerate(before):
        if line not in once:
            continue
        other = place_of[line]
        length = bisect_left(ends, other)
        came_from.append(row[length - 1] if length else -1)
        if length == len(ends):
            ends.append(other)
            row.append(len(pairs))
        else:
            ends[length], row[length] = other, len(pairs)
        pairs.append((place, other))
    found: list[Pair] = []
    number = row[-1] if row else -1
    while number >= 0:
        found.append(pairs[number])
        number = came_from[number]
    return found[::-1]


def _between(before: Sequence[str], after: Sequence[str], start: Pair, end: Pair) -> Iterator[Pair]:
    """Yield pairs in a stretch of each text: from its ends inwards, or all if it is short."""
    (first, other_first), (last, other_last) = start, end
    while first < last and other_first < other_last and before[first] == after[other_first]:
        yield first, other_first
        first, other_first = first + 1, other_first + 1
    behind: list[Pair] = []
    while first < last and other_first < other_last and before[last - 1] == after[other_last - 1]:
        last, other_last = last - 1, other_last - 1
        behind.append((last, other_last))
    if max(last - first, other_last - other_first) <= CLOSELY:
        closely = difflib.SequenceMatcher(
            None, before[first:last], after[other_first:other_last], autojunk=False
        )
        for block in closely.get_matching_blocks():
            for step in range(block.size):
                yield first + block.a + step, other_first + block.b + step
    yield from reversed(behind)


def _range(start: int, stop: int) -> str:
    """Return a stretch of lines as unified differences write it."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
