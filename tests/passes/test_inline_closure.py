from __future__ import annotations

import pytest
from recorded import assert_same_program

from relayish.interpreter import evaluate
from relayish.ir.expr import Call, Constant, Expr, Function, Let, Var
from relayish.ir.module import IRModule
from relayish.ir.op import intern_op
from relayish.text import parse
from relayish.transform import get_pass

HEADER = '#[version = "0.0.5"]\n'
DEPTH = 20_000
add = intern_op("add")
inline = get_pass("InlineClosure")
primitives = get_pass("InlinePrimitives")


def program(text: str) -> IRModule:
    return parse(HEADER + text)


def same(mod: IRModule, text: str) -> None:
    assert_same_program(inline(mod), HEADER + text)


def test_what_a_lifted_closure_makes_is_inlined():
    closure = """
        def @c(%y: int32, Closure=1) -> fn (int32) -> int32 {
          fn (%x: int32) -> int32 { add(%x, %y) } }
    """
    same(
        program(closure + "def @main(%x: int32) -> int32 { let %f = @c(%x); %f(1) }"),
        closure + "def @main(%x: int32) -> int32 { add(1, %x) }",
    )


def test_a_function_that_is_called_where_it_stands_is_inlined():
    same(
        program("def @main(%x: int32) { (fn (%a: int32) -> int32 { add(%a, %a) })(%x) }"),
        "def @main(%x: int32) { add(%x, %x) }",
    )


def test_closures_that_call_one_another_are_inlined_into_one_another():
    same(
        program("""
        def @main(%x: int32) -> int32 {
          let %f = fn (%a: int32) -> int32 { add(%a, 1) };
          let %g = fn (%a: int32) -> int32 { multiply(%f(%a), 2) };
          %g(%x)
        }
        """),
        "def @main(%x: int32) -> int32 { multiply(add(%x, 1), 2) }",
    )


@pytest.mark.parametrize(
    "body",
    [
        "let %f = fn (%n: int32) -> int32 { %f(%n) }; %x",  # recursive
        "let %f = fn (%n: int32) -> int32 { %n }; %f",  # returned
        "let %f = fn (%n: int32) -> int32 { %n }; add(%f(1), %f(2))",  # called twice
        "let %f = fn[A](%n: A) -> A { %n }; %f(%x)",  # polymorphic
        "let %f = fn (%n: int32, Primitive=1) -> int32 { %n }; %f(%x)",
        'let %f = fn (%n: int32, Compiler="dnnl") -> int32 { %n }; %f(%x)',
    ],
)
def test_other_closures_stay(body):
    mod = program(f"def @main(%x: int32) {{ {body} }}")
    assert inline(mod) is mod


def test_a_closure_called_in_a_loop_is_inlined_into_the_loop():
    mod = program("""
        def @main(%x: int32) -> int32 {
          let %step = fn (%a: int32) -> int32 { let %b = add(%a, %x); multiply(%b, %b) };
          let %loop = fn (%n: int32) -> int32 {
            if (less(%n, 1)) { 0 } else { add(%step(%n), %loop(subtract(%n, 1))) } };
          %loop(3)
        }
    """)
    out = inline(mod)
    assert "%step" not in str(out)
    assert evaluate(out["main"], out, (2,)) == evaluate(mod["main"], mod, (2,)) == 50


def test_an_argument_with_an_effect_is_evaluated_once():
    mod = program("""
        def @main() -> int32 {
          let %r = ref(1);
          let %f = fn (%a: int32, %u: ()) -> int32 { add(%a, %a) };
          let %y = %f(ref_read(%r), ref_write(%r, 5));
          add(%y, ref_read(%r))
        }
    """)
    out = inline(mod)
    assert evaluate(out["main"], out, ()) == 7


def test_a_long_chain_of_closures_is_inlined():
    x = Var("x")
    expr: Expr = x
    for index in range(DEPTH):
        f, a = Var(f"f{index}"), Var("a")
        func = Function((a,), Call(add, (a, Constant(1))))
        expr = Let(f, func, Let(Var("y"), Call(f, (x,)), expr))
    out = inline(IRModule({"main": Function((x,), expr)}))
    body = out["main"].body
    while type(body) is Let:
        assert body.value.op is add
        body = body.body


def test_a_primitive_function_that_is_used_otherwise_keeps_its_let():
    mod = program("""
        def @main(%x: int32) {
          let %f = fn (%a: int32, Primitive=1) -> int32 { add(%a, 1) };
          (%f(%x), %f)
        }
    """)
    assert_same_program(
        primitives(mod),
        HEADER
        + """
        def @main(%x: int32) {
          %0 = fn (%a: int32, Primitive=1) -> int32 { add(%a, 1) };
          let %f = %0;
          (%0(%x), %f)
        }
        """,
    )


def test_a_module_without_primitive_functions_stays():
    mod = program("def @main(%x: int32) { let %f = fn (%a: int32) { %a }; %f(%x) }")
    assert primitives(mod) is mod


def test_primitive_functions_of_a_long_chain_are_inlined():
    x = Var("x")
    attrs = program("def @main(%x: int32, Primitive=1) { %x }")["main"].attrs
    names = [Var(f"y{index}") for index in range(DEPTH)]
    expr: Expr = names[-1]
    for index in reversed(range(DEPTH)):
        f, a = Var("f"), Var("a")
        func = Function((a,), Call(add, (a, a)), attrs=attrs)
        expr = Let(f, func, Let(names[index], Call(f, (names[index - 1] if index else x,)), expr))
    out = primitives(IRModule({"main": Function((x,), expr)}))
    body = out["main"].body
    assert type(body.value.op) is Function
    assert primitives(out) is out
