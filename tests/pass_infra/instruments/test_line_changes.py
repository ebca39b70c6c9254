"""Lines of two texts of a program: numbers of temporaries are no change, what they stand for is."""

from __future__ import annotations

from itertools import pairwise

from relayish.pass_infra.instruments.line_changes import Stretch, compare_lines, renumber
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


@each(
    ("before", "after", "shown"),
    [
        (SAME, SAME, SAME),
        (["%0 = neg(%y);", "%1 = exp(%x);", "%2 = tanh(%1);", "add(%2, %0)"],
         ["%0 = exp(%x);", "%1 = tanh(%0);", "%1"],
         ["%1 = exp(%x);", "%2 = tanh(%1);", "%2"]),
        # a definition that has changed is called as what stands there uses it
        (["%0 = a();", "%1 = f(%0);", "g(%1, %x)"], ["%0 = f(3);", "g(%0, %x)"],
         ["%1 = f(3);", "g(%1, %x)"]),
        # one that is new has a number of its own
        (["%0 = a();", "b(%0)"], ["%0 = a();", "%1 = c(%0);", "b(%1)"],
         ["%0 = a();", "%1 = c(%0);", "b(%1)"]),
        (["%0 = a();", "%1 = d(%0);", "b(%1)"], ["%0 = c();", "%1 = a();", "%2 = d(%1);", "b(%2)"],
         ["%2 = c();", "%0 = a();", "%1 = d(%0);", "b(%1)"]),
        # numbers begin anew in each function
        (["%0 = a();", "%0", "%0 = b();", "%0"], ["x", "%0 = b();", "%0"],
         ["x", "%0 = b();", "%0"]),
        (["f(%7)"], ["g(%3)"], ["g(%3)"]),
    ],
)  # fmt: skip
def test_temporaries_are_called_as_in_the_other_text(before, after, shown):
    assert renumber(before, after) == shown


def test_texts_in_a_line_hold_no_temporaries():
    before, after = ['%0 = f(k="%1");', "g(%0)"], ['%0 = f(k="%2");', "g(%0)"]
    assert renumber(before, after) == after
    assert changed(before, after) == (before[:1], after[:1])
    shifted = ["%0 = a();", '%1 = f(k="%1");', "g(%1)"]
    assert renumber(before, shifted) == ["%1 = a();", *before]


def test_lines_behind_a_change_stay_the_same_when_all_are_renumbered():
    chain = [f"%{n} = f(%{n - 1});" for n in range(1, 3000)]
    longer = ["%1 = g(%0);", "%2 = f(%0);", *[f"%{n + 1} = f(%{n});" for n in range(2, 3000)]]
    assert changed(chain, longer) == ([], ["%1 = g(%0);"])
