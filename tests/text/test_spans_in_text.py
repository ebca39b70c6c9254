"""Spans in comments, where text is asked to show them."""

from __future__ import annotations

from itertools import product

import relayish as relay
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Function
from relayish.text import astext, parse, parse_expr
from relayish.text.source import Source


def spanned() -> Function:
    x = relay.var("x", shape=(2,))
    inner = (x + relay.const(1.0)).with_fields(span=Span("Add0", 3, 3, 5, 9))
    outer = Call(relay.op.get("nn.relu"), (inner,), span=Span("Re*/lu", 4, 4, 1, 2))
    return Function([x], outer)


def test_spans_are_shown_behind_what_they_belong_to() -> None:
    text = astext(spanned(), show_spans=True)
    assert "add(%x, 1f) /* span=Add0:3:5 */;" in text
    assert "nn.relu(%0) /* span=Re* /lu:4:1 */" in text
    assert_structural_equal(parse_expr(text), spanned())


def test_spans_are_shown_behind_types() -> None:
    mod = relay.transform.InferType()(relay.IRModule.from_expr(spanned()))
    text = mod.astext(show_spans=True)
    assert "/* ty=Tensor[(2), float32] span=Add0:3:5 */" in text
    assert_structural_equal(parse(text), mod)


def test_spans_of_constants_and_conditionals_are_shown() -> None:
    text = '#[version = "0.0.5"]\ndef @main(%c: bool) {\n  if (%c) { 1 } else { 2 }\n}\n'
    shown = astext(parse(text, "model.relay"), show_spans=True)
    assert "1 /* span=model.relay:3:13 */" in shown
    assert "} /* span=model.relay:3:3 */" in shown


def test_spans_are_not_shown_otherwise() -> None:
    assert "span" not in astext(spanned())
    assert "span" not in str(spanned())


def test_annotations_take_the_place_of_spans() -> None:
    text = astext(spanned(), annotate=lambda _: "note", show_spans=True)
    assert "span" not in text
    assert "/* note */" in text


def test_span_between_any_two_places_is_where_these_are() -> None:
    text = "one\n\n  two\nthree\n"
    source = Source(text, "text", row=7)
    for start, end in product(range(len(text) + 1), repeat=2):
        (line, column), (end_line, end_column) = source.locate(start), source.locate(end)
        found = source.span(start, end)
        assert found[:2] == ("text", line + 7)
        assert found.column == column
        if start <= end and "\n" not in text[start:end]:
            assert found == Span("text", line + 7, end_line + 7, column, end_column)
        assert type(found) is Span
