from __future__ import annotations

import pytest

from relayish.analysis import Effect, analyse_effects, has_effect
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Function,
    GlobalVar,
    If,
    Let,
    RefRead,
    RefWrite,
    Tuple,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.op.declaration import properties
from relayish.op.declaration.registry import get_op
from relayish.text import parse_expr
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

f, g, r, x, y = (Var(name) for name in "fgrxy")
one = Constant(1)
add = get_op("add")
pure = Function((x,), Call(add, (x, one)))
writer = Function((), RefWrite(r, one))


PROGRAMS = read_cases(CASES / "effects.txt")


@each("name", PROGRAMS)
def test_program_has_the_effects_that_are_told(name):
    text, expected = PROGRAMS[name]
    expr = parse_expr(HEADER + text, allow_unknown_ops=True)
    found = analyse_effects(expr).of(expr)
    assert " ".join(one.name.lower() for one in found) == expected.replace("none", "")
    assert has_effect(expr) is (expected != "none")


def test_reading_and_writing_are_told_apart():
    assert analyse_effects(expr := RefRead(r)).of(expr) == Effect.READS
    assert analyse_effects(expr := RefWrite(r, one)).of(expr) == Effect.WRITES
    both = Tuple((RefRead(r), RefWrite(r, one)))
    assert analyse_effects(both).of(both) == Effect.READS | Effect.WRITES


def test_stateful_operator_has_one():
    op = intern_op("tests.stateful")
    properties.stateful.set(op, value=True, replace=True)
    call = Call(op, ())
    assert analyse_effects(call).of(call) == Effect.STATE


def test_undeclared_operator_is_unknown():
    call = Call(intern_op("tests.undeclared"), ())
    assert analyse_effects(call).of(call) == Effect.UNKNOWN


def test_parameter_global_and_content_of_a_reference_are_unknown_when_called():
    for callee in (f, GlobalVar("g")):
        assert has_effect(Call(callee, ()))
    call = Call(RefRead(r), ())
    assert analyse_effects(call).of(call) == Effect.READS | Effect.UNKNOWN


def test_effect_of_a_value_that_is_bound_counts_its_variable_does_not():
    use = Tuple((x, x))
    expr = Let(x, RefRead(r), use)
    effects = analyse_effects(expr)
    assert effects.of(expr) == Effect.READS
    assert effects.of(use) == Effect.NONE


@pytest.mark.parametrize("levels", [1, 2, 3, 4, 5, 6])
def test_effect_many_calls_away_is_found(levels):
    made = writer
    for _ in range(levels):
        made = Function((), made)
    call = made
    for _ in range(levels + 1):
        assert not has_effect(call) or levels >= 3  # beyond three calls it may be assumed early
        call = Call(call, ())
    assert has_effect(call)


def test_recursive_call_has_the_effect_found_later_in_the_body():
    inner = Call(f, (x,))
    loop = Function((x,), If(x, inner, RefRead(r)))
    assert analyse_effects(Let(f, loop, f)).of(inner) == Effect.READS


def test_effect_of_an_outer_recursive_function_reaches_inner_ones():
    inner_call = Call(g, ())
    inner = Let(g, Function((), Tuple((Call(f, ()), one))), inner_call)
    outer = Let(f, Function((), Tuple((inner, RefWrite(r, one)))), one)
    assert analyse_effects(outer).of(inner_call) == Effect.WRITES


def test_functions_of_the_module_are_followed():
    one_name, other_name, first, second = GlobalVar("a"), GlobalVar("b"), Var("p"), Var("q")
    mod = IRModule(
        {
            one_name: Function((first,), Call(other_name, (first,))),
            other_name: Function((second,), If(second, Call(one_name, (second,)), one)),
        }
    )
    assert not has_effect(Call(one_name, (x,)), mod)
    writing = mod.with_function(other_name, Function((y,), RefWrite(y, Call(one_name, (y,)))))
    assert has_effect(Call(one_name, (x,)), writing)
    assert has_effect(Call(GlobalVar("missing"), (x,)), mod)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["call_chain", "let_body", "let_value", "if_cond"])
def test_effect_is_found_at_any_depth(kind):
    assert not has_effect(DEEP_NESTS[kind](DEPTH))
    assert has_effect(DEEP_NESTS[kind](DEPTH, RefRead(r)))


@pytest.mark.deep
def test_chain_of_names_is_followed_at_any_depth():
    assert has_effect(Let(f, DEEP_NESTS["let_body"](DEPTH, writer), Call(f, ())))


def test_nest_of_recursive_functions_is_solved_in_little_time():
    # each level calls all that is needed for the effect of the innermost to travel outwards
    names = [Var(f"f{level}") for level in range(3_000)]
    expr = RefWrite(r, one)
    for name in reversed(names):
        expr = Let(name, Function((), Tuple((expr, Call(name, ())))), Call(name, ()))
    effects = analyse_effects(expr)
    assert effects.of(expr) == Effect.WRITES


def test_shared_nodes_are_looked_at_once():
    assert has_effect(doublings(1000, RefRead(r)))


def test_operator_that_calls_an_argument_does_what_that_does():
    op = intern_op("tests.calling")
    properties.arguments.set(op, ("functions",), replace=True)
    properties.callees.set(op, lambda _, args: args[:1], replace=True)
    transparency = ReferentialTransparency()
    for call in (Call(op, (pure, y)), Call(op, (pure, writer)), Let(f, pure, Call(op, (f,)))):
        assert not has_effect(call)
        assert not has_effect(Function((x,), Call(op, (writer,))))
    assert transparency.holds_for(Call(op, (pure, y)))
    for call in (Call(op, (writer, y)), Let(f, writer, Call(op, (f,)))):
        assert analyse_effects(call).of(call) == Effect.WRITES
        assert not transparency.holds_for(call)
    unknown = Call(op, (g,))
    assert analyse_effects(unknown).of(unknown) == Effect.UNKNOWN
    assert not transparency.holds_for(unknown)
