from __future__ import annotations

import pytest

from relayish.analysis import well_formed
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.functions.inline_closure import inline_closure
from relayish.text import parse
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.recorded import assert_same_program
from tests.support.work import lines_run

HEADER = '#[version = "0.0.5"]\n'
LEVELS = min(DEPTH, 20_000)
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


def test_an_argument_without_effects_stands_where_the_parameter_did():
    same(
        program("def @main(%x: int32) { (fn (%a: int32) { multiply(%a, %a) })(add(%x, 1)) }"),
        "def @main(%x: int32) { %0 = add(%x, 1); multiply(%0, %0) }",
    )


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


@pytest.mark.deep
def test_a_long_chain_of_closures_is_inlined():
    x = Var("x")
    expr: Expr = x
    for index in range(LEVELS):
        f, a = Var(f"f{index}"), Var("a")
        func = Function((a,), Call(add, (a, Constant(1))))
        expr = Let(f, func, Let(Var("y"), Call(f, (x,)), expr))
    out = inline(IRModule({"main": Function((x,), expr)}))
    body = out["main"].body
    while type(body) is Let:
        assert body.value.op is add
        body = body.body


def row(levels, inside):
    """Return a function of closures; what each does is ``inside(previous closure, argument)``."""
    x, previous = Var("x"), None
    lets = []
    for index in range(levels):
        f, a = Var(f"f{index}"), Var("a")
        lets.append((f, Function((a,), inside(previous, a))))
        previous = f
    expr: Expr = Call(add, (Call(previous, (Call(add, (x, x)),)), x))
    for f, func in reversed(lets):
        expr = Let(f, func, expr)
    return Function((x,), expr)


def call(f, *args):
    return args[0] if f is None else Call(f, args)


def named(f, a):
    b = Var("b")
    return Let(b, Call(add, (a, Constant(1))), call(f, b))


def kept_function_around(f, a):
    kept, b = Var("kept"), Var("b")
    twice = Call(add, (Call(kept, (a,)), Call(kept, (a,))))
    return Let(kept, Function((b,), Call(add, (a, b))), call(f, twice))


ROWS = {
    "atom": lambda f, a: Call(add, (call(f, a), Constant(2))),
    "sum": lambda f, a: Call(add, (call(f, Call(add, (a, Constant(1)))), a)),
    "named": named,
    "closure_of_argument": lambda f, a: call(f, call(Function((b := Var("b"),), b), a)),
    "kept_function": kept_function_around,
    "operand_of_itself": lambda f, a: Call(add, ((inner := call(f, a)), inner)),
}


def standing(levels):
    """Return functions that are called where they stand, each in the body of another."""
    x = Var("x")
    params = [Var(f"a{index}") for index in range(levels)]
    expr: Expr = Call(add, (params[0], x))
    for index, param in enumerate(params):
        outer = params[index + 1] if index + 1 < levels else x
        expr = Call(Function((param,), expr), (Call(add, (outer, outer)),))
    return Function((x,), expr)


PROGRAMS = {name: lambda n, inside=inside: row(n, inside) for name, inside in ROWS.items()}
PROGRAMS["standing"] = standing


@pytest.mark.parametrize("name", PROGRAMS)
def test_twice_as_many_closures_that_call_one_another_take_twice_the_steps(name):
    build = PROGRAMS[name]
    inline_closure(build(10))  # what is looked up once and for all is there
    once, twice = build(100), build(200)
    assert lines_run(lambda: inline_closure(twice)) <= 2.2 * lines_run(lambda: inline_closure(once))


@pytest.mark.parametrize("name", PROGRAMS)
def test_closures_that_call_one_another_keep_their_value(name):
    func = PROGRAMS[name](4)
    out = inline_closure(func)
    assert well_formed(out)
    mod = IRModule({"main": func})
    assert evaluate(out, mod, (3,)) == evaluate(func, mod, (3,))


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_long_row_of_closures_that_call_one_another_is_inlined(name):
    out = inline_closure(PROGRAMS[name](LEVELS))
    names = {node.name_hint for node in EXPRESSIONS.pre_order(out) if type(node) is Var}
    assert "f0" not in names


def test_the_body_of_a_closure_is_moved_and_not_copied():
    x, a, y, f = (Var(name) for name in "xayf")
    func = Function((a,), Let(y, Call(add, (x, x)), Call(add, (y, y))))
    out = inline_closure(Function((x,), Let(f, func, Call(f, (x,)))))
    assert out.body is func.body


def test_what_a_function_inside_uses_is_computed_outside_of_it():
    same(
        program("""
        def @main(%x: int32) {
          let %f = fn (%b: int32) { fn (%n: int32) { multiply(%b, %n) } };
          let %g = fn (%a: int32) { let %c = %f(%a); (%c, %c) };
          %g(ref_read(ref(%x)))
        }
        """),
        """
        def @main(%x: int32) {
          let %a = ref_read(ref(%x));
          let %c = fn (%n: int32) { multiply(%a, %n) };
          (%c, %c)
        }
        """,
    )


def test_one_function_that_two_lets_bind_is_copied():
    x, a, y, f, g = (Var(name) for name in "xayfg")
    func = Function((a,), Let(y, Call(add, (a, a)), Call(add, (y, y))))
    expr = Let(f, func, Let(g, func, Call(add, (Call(f, (x,)), Call(g, (Constant(3),))))))
    out = inline_closure(Function((x,), expr))
    assert well_formed(out)
    assert evaluate(out, IRModule({}), (2,)) == 8 + 12
    assert Function not in {type(node) for node in EXPRESSIONS.pre_order(out.body)}


def test_a_variable_shares_memory_with_the_argument_that_its_parameter_became():
    x, a, f = Var("x"), Var("a"), Var("f")
    y = Var("y", may_share=a)
    func = Function((a,), Let(y, Call(add, (a, a)), y))
    out = inline_closure(Function((x,), Let(f, func, Call(f, (x,)))))
    assert out.body.var.may_share is x
    assert out.body.body is out.body.var
    out = inline_closure(Function((x,), Let(f, func, Call(f, (Call(add, (x, x)),)))))
    assert out.body.var.may_share is None


def test_a_wrong_number_of_arguments_is_told():
    x, a, f = Var("x"), Var("a"), Var("f")
    func = Function((x,), Let(f, Function((a,), a), Call(f, (x, x))))
    with pytest.raises(PassError, match="passes 2 arguments to a function of 1 parameters"):
        inline_closure(func)


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


@pytest.mark.parametrize(
    "body",
    [
        "let %f = fn (%n: int32, Primitive=1) -> int32 { %f(%n) }; %f(%x)",
        "let %f = fn (%n: int32, Primitive=1) -> int32 { %n }; %x",
    ],
    ids=["recursive", "not called"],
)
def test_primitive_function_that_cannot_stand_in_a_call_stays(body: str) -> None:
    mod = program(f"def @main(%x: int32) {{ {body} }}")
    assert primitives(mod) is mod


def test_a_module_without_primitive_functions_stays():
    mod = program("def @main(%x: int32) { let %f = fn (%a: int32) { %a }; %f(%x) }")
    assert primitives(mod) is mod


@pytest.mark.deep
def test_primitive_functions_of_a_long_chain_are_inlined():
    x = Var("x")
    attrs = program("def @main(%x: int32, Primitive=1) { %x }")["main"].attrs
    names = [Var(f"y{index}") for index in range(LEVELS)]
    expr: Expr = names[-1]
    for index in reversed(range(LEVELS)):
        f, a = Var("f"), Var("a")
        func = Function((a,), Call(add, (a, a)), attrs=attrs)
        expr = Let(f, func, Let(names[index], Call(f, (names[index - 1] if index else x,)), expr))
    out = primitives(IRModule({"main": Function((x,), expr)}))
    body = out["main"].body
    assert type(body.value.op) is Function
    assert primitives(out) is out
