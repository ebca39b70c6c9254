"""Boxes of two diagrams: which are the same, and what is marked of the others."""

from __future__ import annotations

from relayish.draw.diagram import Box, BoxKind, Diagram, Edge
from relayish.draw.report.matching import match_diagrams
from tests.support.each import each


def diagram(text: str) -> Diagram:
    """Return the diagram of ``"x; y=exp(x); add(y, x)"``: names before ``=`` are keys."""
    made, numbers = Diagram("main"), {}
    for item in text.split("; "):
        key, _, value = item.rpartition("=")
        title, _, operands = value.rstrip(")").partition("(")
        kind = BoxKind.OPERATOR if "(" in value else BoxKind.INPUT
        number = numbers[key or title] = made.add(Box(kind, title, key or title))
        for place, operand in enumerate(filter(None, operands.split(", "))):
            made.connect(Edge(numbers[operand], number, place))
    return made


@each(
    ("before", "after", "gone", "new"),
    [
    ("x; y=exp(x); tanh(y)", "x; z=exp(x); w=tanh(z)", {}, {}),
    ("x; y=exp(x); tanh(y)", "x; tanh(x)", {1: "removed"}, {}),
    ("x; tanh(x)", "x; y=exp(x); tanh(y)", {}, {1: "added"}),
    ("x; y=exp(x); tanh(y)", "x; y=sin(x); tanh(y)", {1: "changed"}, {1: "changed"}),
    ("x; y; mul(x, y); exp(mul); neg(exp)", "x; y; exp(x); mul(exp, y); neg(mul)",
     dict.fromkeys((2, 3, 4), "changed"), dict.fromkeys((2, 3, 4), "changed")),
    ("x; y; sub(x, y)", "x; y; sub(y, x)", {2: "changed"}, {2: "changed"}),
    ("x; y=exp(x); z=exp(x); add(y, z)", "x; y=exp(x); add(y, y)",
     {2: "removed"}, {}),
    ],
)  # fmt: skip
def test_box_is_marked_when_it_differs(before, after, gone, new):
    found = match_diagrams(diagram(before), diagram(after))
    assert (found.before, found.after) == (gone, new)


def test_boxes_of_one_key_are_paired_when_several_compute_the_same():
    found = match_diagrams(diagram("x; a=exp(x); b=exp(x)"), diagram("x; b=exp(x); a=exp(x)"))
    assert found.pairs == [(0, 0), (1, 2), (2, 1)]


def test_long_chain_is_matched_when_its_first_box_is_another():
    before = "x; " + "; ".join(f"k{n + 1}=f(k{n})" for n in range(2000)).replace("(k0)", "(x)")
    after = before.replace("k1=f(x)", "k1=g(x)")
    found = match_diagrams(diagram(before), diagram(after))
    assert found.before == {1: "changed"}
    assert len(found.pairs) == 2001
