"""Dead code elimination: what goes, what stays because it acts, and what never changes."""

from __future__ import annotations

import pytest
from deep import DEEP_NESTS

from relayish.ir.expr import Call, Expr, Function, Let, Var
from relayish.ir.structural_equal import assert_structural_equal
from relayish.op.registry import get_op
from relayish.passes import eliminate_dead_code
from relayish.text import parse
from relayish.transform import get_pass

HEADER = '#[version = "0.0.5"]\n'

CASES = {
    "unused binding": (
        "fn (%x: int32) { let %d = add(%x, 1); %x }",
        "fn (%x: int32) { %x }",
    ),
    "chain of unused bindings": (
        "fn (%x: int32) { let %a = add(%x, 1); let %b = add(%a, 1); let %c = add(%b, 1); %x }",
        "fn (%x: int32) { %x }",
    ),
    "used through another binding": (
        "fn (%x: int32) { let %a = add(%x, 1); let %b = add(%a, 1); let %d = add(%a, 2); %b }",
        "fn (%x: int32) { let %a = add(%x, 1); let %b = add(%a, 1); %b }",
    ),
    "reference that is written": (
        "fn (%x: int32) { let %r = ref(%x); let %w = ref_write(%r, 2); ref_read(%r) }",
        "fn (%x: int32) { let %r = ref(%x); let %w = ref_write(%r, 2); ref_read(%r) }",
    ),
    "reference that is only created": (
        "fn (%x: int32) { let %r = ref(%x); %x }",
        "fn (%x: int32) { %x }",
    ),
    "what an effect uses is used": (
        (
            "fn (%r: ref(int32), %x: int32) { let %a = add(%x, 1); let %b = add(%a, %a); "
            "let %w = ref_write(%r, %b); () }"
        ),
        (
            "fn (%r: ref(int32), %x: int32) { let %a = add(%x, 1); let %b = add(%a, %a); "
            "let %w = ref_write(%r, %b); () }"
        ),
    ),
    "call of an unknown function": (
        "fn (%f: fn () -> int32) { let %u = %f(); 1 }",
        "fn (%f: fn () -> int32) { let %u = %f(); 1 }",
    ),
    "call of a function that has no effect": (
        "fn (%x: int32) { let %f = fn (%y: int32) { add(%y, 1) }; let %u = %f(%x); %x }",
        "fn (%x: int32) { %x }",
    ),
    "call of a function that writes": (
        "fn (%r: ref(int32)) { let %f = fn () { ref_write(%r, 1) }; let %u = %f(); 2 }",
        "fn (%r: ref(int32)) { let %f = fn () { ref_write(%r, 1) }; let %u = %f(); 2 }",
    ),
    "unused function that would write": (
        "fn (%r: ref(int32)) { let %f = fn () { ref_write(%r, 1) }; 2 }",
        "fn (%r: ref(int32)) { 2 }",
    ),
    "unused recursive function": (
        "fn (%x: int32) { let %f = fn (%y: int32) { %f(%y) }; %x }",
        "fn (%x: int32) { %x }",
    ),
    "used recursive function": (
        "fn (%x: int32) { let %f = fn (%y: int32) { %f(%y) }; %f(%x) }",
        "fn (%x: int32) { let %f = fn (%y: int32) { %f(%y) }; %f(%x) }",
    ),
    "inside a value": (
        "fn (%x: int32) { let %a = { let %d = add(%x, 1); multiply(%x, 2) }; %a }",
        "fn (%x: int32) { let %a = multiply(%x, 2); %a }",
    ),
    "inside branches, functions and arms": (
        (
            "fn (%c: bool, %x: (int32, int32)) { if (%c) { let %d = 1; fn () { let %e = 2; 3 } } "
            "else { match (%x) { (%a, %b) => { let %g = %a; fn () { %b } } } } }"
        ),
        (
            "fn (%c: bool, %x: (int32, int32)) { if (%c) { fn () { 3 } } else "
            "{ match (%x) { (%a, %b) => { fn () { %b } } } } }"
        ),
    ),
    "if that writes in one arm": (
        "fn (%c: bool, %r: ref(int32)) { let %u = if (%c) { ref_write(%r, 1) } else { () }; 1 }",
        "fn (%c: bool, %r: ref(int32)) { let %u = if (%c) { ref_write(%r, 1) } else { () }; 1 }",
    ),
}


def _main(text: str) -> Expr:
    return parse(f"{HEADER}def @main() {{ {text} }}")["main"]


@pytest.mark.parametrize("name", sorted(CASES))
def test_case(name: str) -> None:
    before, after = CASES[name]
    assert_structural_equal(eliminate_dead_code(_main(before)), _main(after))


@pytest.mark.parametrize("name", sorted(CASES))
def test_second_application_changes_nothing(name: str) -> None:
    once = eliminate_dead_code(_main(CASES[name][0]))
    assert eliminate_dead_code(once) is once


def test_program_without_dead_code_is_returned_identically() -> None:
    x, y = Var("x"), Var("y")
    func = Function((x,), Let(y, Call(get_op("add"), (x, x)), Call(get_op("add"), (y, x))))
    assert eliminate_dead_code(func) is func


def test_call_of_a_global_is_judged_by_its_body() -> None:
    mod = parse(
        HEADER + "def @pure(%x: int32) { add(%x, 1) }\n"
        "def @writes(%r: ref(int32)) { ref_write(%r, 1) }\n"
        "def @main(%r: ref(int32)) { let %a = @pure(1); let %b = @writes(%r); 2 }\n"
    )
    out = get_pass("DeadCodeElimination")(mod)
    let = out["main"].body
    assert isinstance(let, Let)
    assert let.value.op.name_hint == "writes"
    assert let.body.data == 2
    assert out["pure"] is mod["pure"]


def test_stateful_operator_is_kept() -> None:
    text = "fn (%x: int32) { let %k = random.uniform_like_nothing(%x); %x }"
    func = parse(f"{HEADER}def @main() {{ {text} }}", allow_unknown_ops=True)["main"]
    assert eliminate_dead_code(func) is func


def test_variable_whose_memory_is_shared_stays_bound() -> None:
    x, dead = Var("x"), Var("dead")
    shared = Var("shared")
    sharing = Var("sharing", may_share=shared)
    double = Call(get_op("add"), (x, x))
    func = Function((x,), Let(dead, double, Let(shared, double, Let(sharing, double, sharing))))
    out = eliminate_dead_code(func)
    assert out.body.var is shared
    assert out.body.body.var is sharing


def test_shared_chain_is_rebuilt_once() -> None:
    x, d, v = Var("x"), Var("d"), Var("v")
    tail = Let(d, Call(get_op("add"), (x, x)), x)
    out = eliminate_dead_code(Let(v, tail, Call(get_op("add"), (v, tail))))
    assert isinstance(out, Let)
    assert out.value is x


@pytest.mark.parametrize("kind", sorted(DEEP_NESTS))
def test_nest_of_100_000_levels(kind: str) -> None:
    eliminate_dead_code(DEEP_NESTS[kind](100_000))
