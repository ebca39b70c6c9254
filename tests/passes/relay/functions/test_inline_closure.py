from __future__ import annotations

import pytest

from relayish.analysis import well_formed
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.functions.inline_closure import inline_closure
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.typed_text import program
from tests.support.work import lines_run

LEVELS = min(DEPTH, 20_000)
add = intern_op("add")
inline = get_pass("InlineClosure")
primitives = get_pass("InlinePrimitives")


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
