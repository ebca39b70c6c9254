"""Lines of two texts of a program: numbers of temporaries are no change, what they stand for is."""

from __future__ import annotations

from itertools import pairwise

from relayish.draw.report.line_changes import Stretch, compare_lines
from tests.support.each import each

SAME = ["%0 = exp(%x);", "%1 = tanh(%0);", "add(%0, %1)"]


def changed(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines of each text that are not the same in the other."""
    found = [each for each in compare_lines(before, after) if not each.is_equal]
    gone = [line for each in found for line in before[each.start : each.end]]
    new = [line for each in found for line in after[each.other_start : each.other_end]]
    return gone, new


@each(
    ("before", "after", "gone", "new"),
    [
    (SAME, SAME, [], []),
    (["%0 = neg(%y);", *SAME], ["%0 = neg(%y);", "%1 = exp(%x);", "%2 = tanh(%1);", "add(%1, %2)"],
     [], []),
    (SAME, [*SAME[:2], "add(%1, %0)"], SAME[2:], ["add(%1, %0)"]),
    (SAME, ["%0 = sin(%x);", *SAME[1:]], SAME[:1], ["%0 = sin(%x);"]),
    (["%0 = exp(%x);", "%1 = exp(%y);", "%2 = add(%0, %1);", "%2"],
     ["%0 = exp(%y);", "%1 = exp(%x);", "%2 = add(%0, %1);", "%2"],
     ["%0 = exp(%x);", "%2 = add(%0, %1);"], ["%1 = exp(%x);", "%2 = add(%0, %1);"]),
    ([], ["x"], [], ["x"]),
    (["x"], [], ["x"], []),
    ],
)  # fmt: skip
def test_line_is_changed_when_it_says_something_else(before, after, gone, new):
    assert changed(before, after) == (gone, new)


def test_stretches_cover_both_texts_in_order():
    before, after = ["a", "b", "c", "d"], ["a", "x", "c", "y", "d"]
    found = compare_lines(before, after)
    assert found[0] == Stretch(True, 0, 1, 0, 1)
    for one, two in pairwise(found):
        assert (one.end, one.other_end) == (two.start, two.other_start)
    assert (found[-1].end, found[-1].other_end) == (len(before), len(after))


def test_lines_behind_a_change_stay_the_same_when_all_are_renumbered():
    chain = [f"%{n} = f(%{n - 1});" for n in range(1, 3000)]
    longer = ["%1 = g(%0);", "%2 = f(%0);", *[f"%{n + 1} = f(%{n});" for n in range(2, 3000)]]
    assert changed(chain, longer) == ([], ["%1 = g(%0);"])
