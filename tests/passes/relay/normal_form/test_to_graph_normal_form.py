"""Graph normal form: which lets go, and which a graph needs."""

from __future__ import annotations

import pytest

from relayish.analysis.graph_normal_form import check_graph_normal_form, is_graph_normal_form
from relayish.errors import CheckError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Expr, Let, Tuple, Var
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.passes.relay.normal_form.to_graph_normal_form import to_graph_normal_form
from relayish.text import parse_expr
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH

STAYS = {
    "a reference": "let %r = ref(%x); ref_read(%r)",
    "a write nobody uses": "let %w = ref_write(%r, %x); %x",
    "a read": "let %v = ref_read(%r); let %w = ref_write(%r, %x); %v",
    "a recursive function": "let %f = fn (%n: int32) { %f(%n) }; %f(%x)",
    "a call of a function that is not known": "let %a = %g(); %x",
    "what may hold a new reference": "let %a = fn () { ref(%x) }; let %b = (ref(%x), %a); %b",
}


def _func(body: str) -> Expr:
    params = "%x: int32, %r: ref(int32), %g: fn () -> int32"
    return parse_expr(f"fn ({params}) {{ {body} }}")


@pytest.mark.parametrize("case", STAYS)
def test_let_stays_that_binds(case: str) -> None:
    func = _func(STAYS[case])
    assert to_graph_normal_form(func) is func
    assert is_graph_normal_form(func)


def test_a_closure_that_uses_a_reference_uses_the_same_one_each_time() -> None:
    text = (
        "let %r = ref(0); let %f = fn () { let %w = ref_write(%r, add(ref_read(%r), 1)); "
        "ref_read(%r) }; let %a = %f(); let %b = %f(); (%a, %b)"
    )
    program = parse_expr(text)
    image = to_graph_normal_form(program)
    assert evaluate(image) == evaluate(program) == (1, 2)


def test_raf_defect_variables_that_share_memory_are_seen_by_what_is_tested() -> None:
    """RAF's test_may_share converts the module from before the pass."""
    source = Var("a")
    sharing = Var("b", may_share=source)
    x = Var("x")
    program = Let(source, Tuple((x,)), Let(sharing, Tuple((source,)), Tuple((sharing, source))))
    assert to_graph_normal_form(program) is program
    normal = to_a_normal_form(program)
    assert isinstance(normal, Let)
    assert normal.body.var.may_share is source is normal.var
    assert to_graph_normal_form(normal).body.var is sharing


def test_check_names_the_let_and_its_place() -> None:
    func = _func("let %a = negative(%x);\n%a")
    with pytest.raises(CheckError, match=r"a Let at .* binds %a to .*; the pass ToGraphNormalForm"):
        check_graph_normal_form(func)


def test_a_normal_form_is_undone() -> None:
    func = _func("if (less(%x, 1)) { negative(%x) } else { multiply(%x, add(%x, %x)) }")
    assert_structural_equal(to_graph_normal_form(to_a_normal_form(func)), func)


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS)
def test_graphs_of_deep_nests(nest: str) -> None:
    image = to_graph_normal_form(DEEP_NESTS[nest](min(DEPTH, 20_000)))
    assert to_graph_normal_form(image) is image
