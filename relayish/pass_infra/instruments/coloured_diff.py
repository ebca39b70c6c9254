"""Colours of a unified difference: lines that went and came, and the words that differ in them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

_COLOURS: Final = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}
_PLAIN: Final = "\x1b[0m"
_MARKED, _UNMARKED = "\x1b[7m", "\x1b[27m"
_WORD: Final = re.compile(r"[\w.]+|\s+|.")
_CLOSELY: Final = 32
"""So many lines that follow each other are compared word by word."""
_LONGEST: Final = 2_000
"""So many characters of a line are."""
_MOST_WORK: Final = 1_000_000
"""So many pairs of words are looked at among lines that follow each other."""
_ALIKE: Final = 0.5
"""Lines of which less is the same are other lines, in which no word is marked."""


class Pair(NamedTuple):
    """Lines that are one line, changed: their places, and the words of both."""

    before: int
    after: int
    words: Sequence[str]
    other_words: Sequence[str]
    matcher: difflib.SequenceMatcher[str]


def colour_lines(lines: Iterable[str]) -> Iterator[str]:
    r"""Yield the lines of a unified difference in colour, with marks on the words that differ.

    Marks are in reverse; without the sequences of the terminal a line is what it was.

    Complexity:
        Linear in lines, each compared with at most 32 others.

    Example:
        >>> for line in colour_lines(["-add(%x, 1)", "+add(%x, 2)"]):
        ...     print(repr(line))
        '\x1b[31m-add(%x, \x1b[7m1\x1b[27m)\x1b[0m'
        '\x1b[32m+add(%x, \x1b[7m2\x1b[27m)\x1b[0m'
    """
    gone: list[str] = []
    new: list[str] = []
    for line in lines:
        if line.startswith("-") and not line.startswith("---"):
            if new:
                yield from _paint(gone, new)
                gone, new = [], []
            gone.append(line[1:])
        elif line.startswith("+") and not line.startswith("+++"):
            new.append(line[1:])
        else:
            yield from _paint(gone, new)
            gone, new = [], []
            colour = _COLOURS.get(line[:1], "")
            yield f"{colour}{line}{_PLAIN if colour else ''}"
    yield from _paint(gone, new)


def _paint(gone: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    first, second = list(gone), list(new)
    for pair in pair_changes(gone, new):
        first[pair.before], second[pair.after] = _mark(pair)
    yield from [f"{_COLOURS['-']}-{line}{_PLAIN}" for line in first]
    yield from [f"{_COLOURS['+']}+{line}{_PLAIN}" for line in second]


def pair_changes(gone: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    """Yield the lines of both that are alike, one changed into the other, rising in both."""
    if not gone or not new or max(len(gone), len(new)) > _CLOSELY:
        return
    words = [_WORD.findall(line[:_LONGEST]) for line in gone]
    start, left = 0, _MOST_WORK
    for place, line in enumerate(new):
        here = _WORD.findall(line) if len(line) <= _LONGEST else []
        matcher: difflib.SequenceMatcher[str] = difflib.SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(here)
        best, most = -1, _ALIKE
        for other in range(start, len(gone) if here else 0):
            matcher.set_seq1(words[other])
            likeness = matcher.quick_ratio() if len(gone[other]) <= _LONGEST else 0.0
            if likeness > most:
                best, most = other, likeness
        if best < 0 or (left := left - len(words[best]) * len(here)) < 0:
            continue
        matcher.set_seq1(words[best])
        if matcher.ratio() > _ALIKE:
            yield Pair(best, place, words[best], here, matcher)
            start = best + 1


def _mark(pair: Pair) -> tuple[str, str]:
    shown: tuple[list[str], list[str]] = ([], [])
    for tag, first, last, other_first, other_last in pair.matcher.get_opcodes():
        sides = "".join(pair.words[first:last]), "".join(pair.other_words[other_first:other_last])
        for side, text in zip(shown, sides, strict=True):
            side.append(text if tag == "equal" or not text else f"{_MARKED}{text}{_UNMARKED}")
    return "".join(shown[0]), "".join(shown[1])
