from __future__ import annotations

import difflib
import random

import pytest

from relayish.pass_infra.instruments.line_diff import diff_lines
from tests.support.seeds import seeds

NAMES = ("before", "after")


def applied(before: list[str], shown: list[str]) -> list[str]:
    """Return what a unified difference makes of ``before``; every line it shows is checked."""
    out: list[str] = []
    place = 0
    for line in shown[2:]:
        if line.startswith("@@"):
            old = line.split()[1][1:].split(",")
            start = int(old[0]) - (0 if old[1:] == ["0"] else 1)
            out += before[place:start]
            place = start
        elif line[0] == "+":
            out.append(line[1:])
        else:
            assert before[place] == line[1:]
            out += [line[1:]] if line[0] == " " else []
            place += 1
    return out + before[place:]


def edited(lines: list[str], draw: random.Random) -> list[str]:
    out = list(lines)
    for _ in range(draw.randrange(8)):
        place = draw.randrange(len(out) + 1)
        choice = draw.randrange(4)
        if choice == 0:
            out.insert(place, draw.choice(["new", "}", *lines]))
        elif choice == 1:
            del out[place : place + draw.randrange(4)]
        elif choice == 2 and out:
            out[place % len(out)] = "other"
        else:
            cut = draw.randrange(len(out) + 1)
            out = out[cut:] + out[:cut]
    return out


@pytest.mark.parametrize("context", [0, 1, 3])
def test_difference_makes_the_second_text_of_the_first(context: int) -> None:
    for seed in seeds(150):
        draw = random.Random(seed)
        kinds = draw.choice([3, 30, 3000])
        before = [f"line {draw.randrange(kinds)}" for _ in range(draw.randrange(1, 120))]
        after = edited(before, draw)
        shown = list(diff_lines(before, after, NAMES, context))
        assert (applied(before, shown) if shown else before) == after, seed


def test_difference_of_short_texts_is_that_of_difflib() -> None:
    before = ["def @main(%x) {", "  %0 = exp(%x);", "  %1 = add(%0, %0);", "  negative(%1)", "}"]
    for after in (
        [before[0], before[1], "  negative(%0)", "}"],
        [*before, "", "def @other() {", "  1", "}"],
        before[2:],
        before[:1],
        before[:2],
        ["one line"],
        [],
    ):
        for context in (0, 1, 3):
            expected = difflib.unified_diff(before, after, *NAMES, lineterm="", n=context)
            assert list(diff_lines(before, after, NAMES, context)) == list(expected)


def test_equal_texts_have_no_difference() -> None:
    assert list(diff_lines(["a", "b"], ["a", "b"], NAMES)) == []
    assert list(diff_lines([], [], NAMES)) == []


class Counted(str):
    """A line that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("kind", ["unique", "repeated"])
def test_comparisons_grow_with_the_texts_where_every_other_line_changes(kind: str) -> None:
    def comparisons(count: int) -> int:
        same = [f"same {i}" if kind == "unique" else "same" for i in range(count)]
        before = [Counted(line) for i in range(count) for line in (same[i], f"old {i}")]
        after = [Counted(line) for i in range(count) for line in (same[i], f"new {i}")]
        Counted.compared = 0
        shown = list(diff_lines(before, after, NAMES))
        assert sum(line[0] == "+" for line in shown) > count
        return Counted.compared

    assert comparisons(8000) < 5 * comparisons(2000)
