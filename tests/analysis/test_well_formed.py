from __future__ import annotations

import pytest

from relayish.analysis import check_well_formed, well_formed
from relayish.errors import WellFormedError
from relayish.ir.relay.adt import (
    Constructor,
    TypeData,
)
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import GlobalTypeVar, RefType, TupleType, TypeVar
from relayish.text import parse, parse_expr
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

x, y = Var("x"), Var("y")
one = Constant(1)
T = TypeVar("T")
add = intern_op("add")


def refusal(program):
    with pytest.raises(WellFormedError) as caught:
        check_well_formed(program)
    assert well_formed(program) is False
    return caught.value


PROGRAMS = read_cases(CASES / "well_formed.txt")
"""Expressions and modules, and what is said of them."""


@each("name", PROGRAMS)
def test_program_is_well_formed_or_what_is_wrong_is_told(name):
    text, expected = PROGRAMS[name]
    if "def @" in text:
        program = parse(HEADER + text)
    else:
        program = parse_expr(HEADER + text, allow_unknown_ops=True)
    if expected == "well formed":
        assert well_formed(program)
        check_well_formed(program)
        return
    error = refusal(program)
    assert "; ".join([str(error), *getattr(error, "__notes__", ())]) == expected


def test_variable_bound_by_two_lets_is_refused():
    error = refusal(Let(x, one, Let(x, one, x)))
    assert "%x is bound twice: by a Let (let %x = 1; ...) and by a Let (let %x = 1; ...);" in str(
        error
    )


def test_use_outside_a_let_is_refused():
    error = refusal(Tuple((Let(x, one, x), x)))
    assert str(error).startswith(
        "variable %x is used by a Tuple (%0, %x) outside the scope of its binder, "
        "a Let (let %x = 1; ...); use it"
    )


def test_functions_of_a_module_may_share_nodes():
    function = Function((x,), x)
    assert well_formed(IRModule({"one": function, "other": function}))


def test_module_whose_parameters_were_replaced_and_their_uses_not_says_so():
    error = refusal(IRModule({"main": Function((Var("x"),), Call(add, (x, one)))}))
    assert "another variable called %x is bound: use that one there" in str(error)


def test_refusal_of_many_free_variables_names_some_of_them():
    eight = refusal(IRModule({"main": Function((), Tuple([Var(f"v{n}") for n in range(8)]))}))
    assert "%v6, %v7, which nothing binds" in str(eight)
    many = Tuple([Var(f"v{n}") for n in range(1000)])
    message = str(refusal(IRModule({"main": Function((), many)})))
    assert "@main uses %v0, %v1, " in message
    assert "%v7 and 992 more, which nothing binds" in message


@pytest.mark.deep
@each("kind", sorted(DEEP_NESTS))
def test_free_variable_below_any_depth_is_found_in_a_module(kind):
    nest = DEEP_NESTS[kind](DEPTH, y)
    assert not well_formed(IRModule({"main": Function((x,), nest)}))
    assert well_formed(IRModule({"main": Function((y,), nest)}))


@pytest.mark.deep
@each("kind", sorted(DEEP_NESTS))
def test_deep_nest_is_well_formed(kind):
    assert well_formed(DEEP_NESTS[kind](DEPTH))


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["let_value", "function_nest", "match_clause"])
def test_use_outside_a_scope_is_found_at_any_depth(kind):
    assert not well_formed(Tuple((Let(x, one, x), DEEP_NESTS[kind](DEPTH, x))))


def test_shared_nodes_are_looked_at_once():
    assert well_formed(doublings(1000))


@pytest.mark.deep
def test_variable_used_at_every_depth_of_functions_is_checked_in_little_time():
    expr = x
    for _ in range(min(DEPTH, 30_000)):
        expr = Function((Var("y"),), Tuple((x, expr)))
    assert well_formed(Function((x,), expr))
    assert not well_formed(Tuple((Function((x,), expr), x)))


def test_types_of_any_depth_are_looked_at_in_linear_time():
    deep, bodies = T, []
    for _ in range(20_000):
        deep = TupleType((deep, deep))
        bodies.append(Let(Var("y", deep), one, one))
    assert well_formed(Function((), Tuple(bodies), None, (T,)))
    assert not well_formed(IRModule({"main": Function((), Tuple(bodies))}))


def test_type_variable_that_a_type_definition_does_not_bind_is_refused():
    header = GlobalTypeVar("Box")
    boxed = Constructor("Boxed", (RefType(T),), header)
    bound, unbound = TypeData(header, (T,), (boxed,)), TypeData(header, (), (boxed,))
    assert well_formed(IRModule({}, {header: bound}))
    error = refusal(IRModule({}, {header: unbound}))
    assert "type Box: constructor Boxed mentions the type variable T, which is no" in str(error)
