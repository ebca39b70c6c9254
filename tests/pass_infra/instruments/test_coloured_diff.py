"""Colours of differences: lines by what became of them, words that differ in reverse."""

from __future__ import annotations

import re

from relayish.pass_infra.instruments.coloured_diff import colour_lines, pair_changes
from tests.support.each import each

SEQUENCE = re.compile("\x1b\\[[0-9]+m")


def marked(*lines: str) -> list[str]:
    """Return the lines with what is marked in brackets, and without colours."""
    shown = "\n".join(colour_lines(lines)).replace("\x1b[7m", "<").replace("\x1b[27m", ">")
    return SEQUENCE.sub("", shown).split("\n")


@each(
    ("lines", "shown"),
    [
        (["-add(%x, 1f)", "+add(%x, 2f)"], ["-add(%x, <1f>)", "+add(%x, <2f>)"]),
        (["-one thing", "+f(%y)"], ["-one thing", "+f(%y)"]),
        (["-f(a, b)"], ["-f(a, b)"]),
        (["-f(a, b)", "-g(c, d)", "+g(c, e)"], ["-f(a, b)", "-g(c, <d>)", "+g(c, <e>)"]),
        (["-f(a)", "+f(b)", "-f(c)", "+f(d)"], ["-f(<a>)", "+f(<b>)", "-f(<c>)", "+f(<d>)"]),
        (["-f(a)", " same", "+f(b)"], ["-f(a)", " same", "+f(b)"]),
        (["--- before f(x)", "+++ after f(x)"], ["--- before f(x)", "+++ after f(x)"]),
    ],
)
def test_words_are_marked_in_lines_that_were_changed(lines: list[str], shown: list[str]) -> None:
    assert marked(*lines) == shown


def test_lines_are_what_they_were_without_the_sequences() -> None:
    lines = ["--- a", "+++ b", "@@ -1 +1 @@", " same", "-f(a, b, 1)", "-g()", "+f(a, 2)", " x"]
    coloured = list(colour_lines(lines))
    assert [SEQUENCE.sub("", line) for line in coloured] == lines
    assert coloured[2] == "\x1b[36m@@ -1 +1 @@\x1b[0m"
    assert coloured[3] == " same"


def test_many_lines_and_long_ones_are_not_compared_word_by_word() -> None:
    assert list(pair_changes(["f(a)"] * 33, ["f(b)"])) == []
    assert [each[:2] for each in pair_changes(["f(a)"] * 32, ["f(b)"])] == [(0, 0)]
    long = "f(" + "a, " * 1000
    assert list(pair_changes([long], [f"{long}b"])) == []


def test_most_alike_of_several_lines_is_the_one_that_was_changed() -> None:
    gone, new = ["f(a, b, c)", "f(a, b, d)"], ["f(a, b, d, e)"]
    assert [each[:2] for each in pair_changes(gone, new)] == [(1, 0)]


def test_line_is_changed_into_one_line_at_most() -> None:
    assert [each[:2] for each in pair_changes(["f(a)"], ["f(b)", "f(c)"])] == [(0, 0)]


def test_lines_of_the_same_words_in_another_order_are_other_lines() -> None:
    words = ["a", "b", "c", "d", "e", "f", "g", "h"]
    assert list(pair_changes([" ".join(words)], [" ".join(reversed(words))])) == []


def test_words_of_many_long_lines_are_left_alone_when_it_takes_too_much() -> None:
    gone = ["f(" + "a, b" * 200 + f"{number})" for number in range(30)]
    found = list(pair_changes(gone, [f"{line}x" for line in gone]))
    pairs = sum(len(each.words) * len(each.other_words) for each in found)
    assert 0 < len(found) < 30
    assert pairs <= 1_000_000
