"""Passes that put places, or numbers, into the spans of a program."""

from __future__ import annotations

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import TypeInferenceError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.passes.utility.annotate_spans import annotate_spans
from relayish.passes.utility.capture_postdfs_index_in_spans import capture_postdfs_index_in_spans
from relayish.text import astext, parse
from relayish.transform import AnnotateSpans, CapturePostDfsIndexInSpans, InferType
from tests.support.deep import let_body
from tests.support.depth import DEPTH
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

ILL_TYPED = read_cases(CASES / "ill_typed.txt")


def without_spans(mod: IRModule) -> IRModule:
    """Return ``mod`` as one that was built in Python."""
    images: dict[Node, Node] = {}
    for node in EXPRESSIONS.post_order(list(mod.functions.values())):
        make = EXPRESSIONS.rebuild[type(node)]
        image = node if make is None or type(node) in NAMES else make(node, images.get)
        has_span = getattr(image, "span", None) is not None
        images[node] = image.with_fields(span=None) if has_span else image
    return IRModule({n: images[f] for n, f in mod.functions.items()}, mod.type_definitions)


def test_spans_point_into_the_text() -> None:
    for seed in seeds(20):
        mod = infer_type(random_module(seed, 40))
        out = annotate_spans(mod)
        assert_structural_equal(out, mod, map_free_vars=True)
        lines = astext(mod).splitlines()
        for node in EXPRESSIONS.post_order(out["main"]):
            if type(node) is Var:
                assert lines[node.span.line - 1][node.span.column - 1] == "%"
            elif type(node) is Constant and node.data.dtype == "bool" and node.data.shape == ():
                line = lines[node.span.line - 1]
                found = line[node.span.column - 1 : node.span.end_column - 1]
                assert found == str(node.data)


@pytest.mark.parametrize("typed", [True, False])
def test_annotated_module_carries_types_if_it_did(typed: bool) -> None:
    mod = random_module(3, 40)
    out = AnnotateSpans()(infer_type(mod) if typed else mod)
    assert {func.checked_type is not None for func in out.functions.values()} == {typed}


def test_module_of_which_a_part_carries_types_is_left_without() -> None:
    x = Var("x", TensorType((3,)))
    typed, other = infer_type(Function((x,), op.tanh(x))), Function((x,), op.exp(x))
    out = AnnotateSpans()(IRModule({"one": typed, "other": other}))
    assert all(func.checked_type is None for func in out.functions_of(Expr).values())


@pytest.mark.parametrize("name", ILL_TYPED)
def test_ill_typed_program_without_places_gets_those_of_its_text(name: str) -> None:
    mod = without_spans(parse(HEADER + ILL_TYPED[name][0], "it"))
    with pytest.raises(TypeInferenceError) as raised:
        InferType()(AnnotateSpans()(mod))
    lines = astext(mod).splitlines()
    expected = [line.split(": ", 1)[1] for line in ILL_TYPED[name][1].splitlines()]
    assert [str(found).split(": ", 1)[1] for found in raised.value.diagnostics] == expected
    for found in raised.value.diagnostics:
        assert found.span is not None
        source, line, _, column, _ = found.span
        assert source == "GeneratedSource"
        assert lines[line - 1][column - 1 :].strip()


def test_place_of_an_ill_typed_call_that_was_built_is_that_in_the_text() -> None:
    a, b = Var("a", TensorType((3, 4))), Var("b", TensorType((5,)))
    body = op.tanh(op.add(op.exp(a), b))
    mod = IRModule({"main": Function((a, b), body)})
    with pytest.raises(TypeInferenceError, match=r"^GeneratedSource:4:8: add: cannot") as raised:
        InferType()(AnnotateSpans()(mod))
    assert astext(mod).splitlines()[4 - 1][8 - 1 :] == "add(%0, %b);"
    assert "(in @main)" in str(raised.value)


def numbers(func: Expr) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in EXPRESSIONS.post_order(func):
        if isinstance(node, Expr) and node.span is not None:
            found.setdefault(node.visit_name, []).append(str(node.span))
    return found


def test_span_holds_the_number_and_that_of_the_dominator() -> None:
    x, y = Var("x"), Var("y")
    left, right = op.tanh(x), op.exp(x)
    func = Function((x, y), op.add(op.add(left, right), y))
    # x, y, add, tanh, tanh(x), exp, exp(x), their sum, the sum, the function
    assert numbers(capture_postdfs_index_in_spans(func)) == {
        "var": ["index:0:9", "index:1:9"],
        "call": ["index:4:7", "index:6:7", "index:7:8", "index:8:9"],
        "function": ["index:9:-1"],
    }


def test_numbering_keeps_types_sharing_and_operators() -> None:
    mod = infer_type(random_module(5, 40))
    out = CapturePostDfsIndexInSpans()(mod)
    before, after = (EXPRESSIONS.post_order(m["main"]) for m in (mod, out))
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert type(old) is type(new)
        if isinstance(old, Expr):
            assert new.checked_type is old.checked_type
        if type(old) is Call:
            assert (old.op is new.op) or old.op.visit_name not in ("op", "constructor")
    assert_structural_equal(out, mod)


@pytest.mark.deep
def test_numbers_go_as_deep_as_the_program() -> None:
    out = capture_postdfs_index_in_spans(let_body(min(DEPTH, 50_000)))
    assert str(out.span).endswith(":-1")
