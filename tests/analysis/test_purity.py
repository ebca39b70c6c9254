"""Purity of evaluating and of calling."""

from __future__ import annotations

import pytest

from relayish.analysis.closed_functions import find_closed_functions
from relayish.analysis.purity import is_pure, purity_of
from relayish.analysis.unobserved_refs import find_unobserved_refs
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.text import parse, parse_expr


@pytest.mark.parametrize(
    ("text", "pure_eval", "pure_call"),
    [
        ("add(1, 2)", True, True),
        ("ref(1)", True, True),
        ("ref_read(ref(1))", False, False),
        ("fn () { ref_read(ref(1)) }", True, False),
        ("fn () { fn () { ref_read(ref(1)) } }", True, True),
        ("fn (%f: fn () -> int32) { %f() }", True, False),
        ("nn.dropout(1f)", False, True),
    ],
)
def test_evaluating_and_calling_are_told_apart(text: str, pure_eval: bool, pure_call: bool) -> None:
    assert purity_of(parse_expr(text)) == (pure_eval, pure_call)


def test_precision_is_asked_for() -> None:
    writes = parse_expr("let %r = ref(1); let %w = ref_write(%r, 2); 3")
    assert not is_pure(writes)
    assert is_pure(writes, ref_precision=True)
    calls = parse_expr("fn (%f: fn () -> int32) { %f() }(fn () { 1 })")
    assert not is_pure(calls)
    assert is_pure(calls, function_argument_precision=True)


def test_functions_of_a_list_are_followed_into_what_takes_it() -> None:
    mod = parse(
        '#[version = "0.0.5"]\ndef @go(%fs: (fn () -> int32, int32)) -> int32 { %fs.0() }'
        "def @good() { @go((fn () { 1 }, 2)) }"
        "def @bad(%r: ref(int32)) { @go((fn () { ref_read(%r) }, 2)) }"
    )
    options = {"function_argument_precision": True}
    assert is_pure(mod["good"].body, mod, **options)
    assert not is_pure(mod["bad"].body, mod, **options)


def test_function_handed_on_by_the_one_that_takes_it_counts() -> None:
    mod = parse(
        '#[version = "0.0.5"]\n'
        "def @hand(%f: fn (fn () -> int32) -> int32, %r: ref(int32)) -> int32 {"
        "  %f(fn () { ref_read(%r) }) }"
        "def @bad(%r: ref(int32)) { @hand(fn (%g: fn () -> int32) -> int32 { %g() }, %r) }"
    )
    assert not is_pure(mod["bad"].body, mod, function_argument_precision=True)


def test_function_that_uses_one_from_outside_is_not_judged_by_its_own_arguments() -> None:
    text = (
        "fn (%f: fn () -> int32) { let %g = fn (%h: fn () -> int32) { add(%f(), %h()) }; "
        "%g(fn () { 1 }) }"
    )
    assert purity_of(parse_expr(text), function_argument_precision=True) == (True, False)


def test_recursive_function_of_a_module_is_judged_by_its_arguments() -> None:
    mod = parse(
        '#[version = "0.0.5"]\n'
        "def @loop(%f: fn (int32) -> int32, %n: int32) -> int32 {"
        "  if (less(%n, 1)) { 0 } else { @loop(%f, %f(%n)) } }"
        "def @good() { @loop(fn (%n: int32) -> int32 { subtract(%n, 1) }, 3) }"
    )
    assert is_pure(mod["good"].body, mod, function_argument_precision=True)


def test_closed_functions_use_nothing_from_outside() -> None:
    x, y, z = Var("x"), Var("y"), Var("z")
    inner = Function((y,), x)
    outer = Function((x,), Let(z, inner, z))
    other = Function((), Let(Var("w"), x, y))
    assert find_closed_functions(EXPRESSIONS.post_order(outer)) == {outer}
    assert find_closed_functions(EXPRESSIONS.post_order(other)) == set()


def test_reference_that_is_written_to_itself_is_observed() -> None:
    expr = parse_expr("fn (%s: ref(ref(int32))) { let %r = ref(1); ref_write(%s, %r) }")
    assert find_unobserved_refs(EXPRESSIONS.post_order(expr)) == set()
