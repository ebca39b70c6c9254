from __future__ import annotations

import pytest

from relayish.analysis import check_well_formed, well_formed
from relayish.errors import WellFormedError
from relayish.ir.nodes.span import Span
from relayish.ir.relay.adt import (
    Clause,
    Constructor,
    Match,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    TypeData,
)
from relayish.ir.relay.expr import Call, Constant, Function, If, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import FuncType, GlobalTypeVar, RefType, TupleType, TypeVar
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.each import each

x, y, z, f, g = (Var(name) for name in "xyzfg")
one = Constant(1)
T = TypeVar("T")
add = intern_op("add")


def refusal(program):
    with pytest.raises(WellFormedError) as caught:
        check_well_formed(program)
    assert well_formed(program) is False
    return caught.value


def test_free_variables_are_welcome():
    assert well_formed(Tuple((x, y, x)))


def test_variable_bound_by_two_lets_is_refused():
    error = refusal(Let(x, one, Let(x, one, x)))
    assert "%x is bound twice: by a Let (let %x = 1; ...) and by a Let (let %x = 1; ...);" in str(
        error
    )


def test_variable_bound_by_lets_side_by_side_is_refused():
    assert not well_formed(Tuple((Let(x, one, x), Let(x, one, x))))


def test_one_let_in_two_places_is_one_binder():
    let = Let(x, one, x)
    assert well_formed(Tuple((let, let)))


def test_parameter_bound_again_in_an_inner_function_is_refused():
    assert not well_formed(Function((x,), Function((x,), x)))


def test_parameter_listed_twice_is_refused():
    assert not well_formed(Function((x, x), x))


def test_one_function_in_two_places_is_one_binder():
    function = Function((x,), x)
    assert well_formed(Tuple((Call(function, (one,)), Call(function, (function,)))))


def test_pattern_that_binds_twice_is_refused():
    pattern = PatternTuple((PatternVar(x), PatternVar(x)))
    assert not well_formed(Match(y, (Clause(pattern, x),)))


def test_clauses_that_bind_one_variable_are_refused():
    clauses = (Clause(PatternVar(x), x), Clause(PatternVar(x), x))
    assert not well_formed(Match(y, clauses))


def test_clause_in_two_matches_binds_twice():
    clause = Clause(PatternVar(x), x)
    assert not well_formed(Tuple((Match(y, (clause,)), Match(z, (clause,)))))


def test_use_outside_a_let_is_refused():
    error = refusal(Tuple((Let(x, one, x), x)))
    assert str(error).startswith(
        "variable %x is used by a Tuple (%0, %x) outside the scope of its binder, "
        "a Let (let %x = 1; ...); use it"
    )


def test_use_before_a_let_is_refused():
    assert not well_formed(Tuple((x, Let(x, one, x))))


def test_use_of_a_parameter_outside_its_function_is_refused():
    assert not well_formed(Call(Function((x,), x), (x,)))


def test_use_of_a_pattern_variable_in_another_clause_is_refused():
    clauses = (Clause(PatternVar(x), x), Clause(PatternWildcard(), x))
    assert not well_formed(Match(y, clauses))


def test_use_of_a_pattern_variable_in_the_data_is_refused():
    assert not well_formed(Match(x, (Clause(PatternVar(x), one),)))


def test_shared_node_that_is_in_scope_in_one_of_its_places_only_is_refused():
    shared = Call(add, (x, one))
    assert well_formed(Let(x, one, Tuple((shared, If(y, shared, one)))))
    assert not well_formed(Tuple((Let(x, one, shared), shared)))


def test_shared_node_in_two_functions_around_its_variable_is_welcome():
    shared = Call(add, (x, one))
    pair = Tuple((Function((), shared), Function((y,), shared)))
    assert well_formed(Function((x,), pair))


def test_shared_function_whose_variable_is_bound_further_in_is_refused():
    function = Function((), x)
    assert not well_formed(Tuple((Function((x,), function), function)))


def test_function_may_refer_to_the_let_that_binds_it():
    assert well_formed(Let(f, Function((x,), Call(f, (x,))), Call(f, (one,))))


def test_refusal_names_both_places():
    first = Let(x, one, x, span=Span("m.relay", 1, 1, 5, 9))
    second = Let(x, one, x, span=Span("m.relay", 7, 7, 2, 9))
    message = str(refusal(Tuple((first, second))))
    assert "m.relay:1:5" in message
    assert "m.relay:7:2" in message


def test_module_is_refused_with_the_name_of_the_function():
    mod = IRModule({"good": Function((x,), x), "bad": Function((y, y), y)})
    assert refusal(mod).__notes__ == ["in the definition of @bad"]


def test_functions_of_a_module_may_share_nodes():
    function = Function((x,), x)
    assert well_formed(IRModule({"one": function, "other": function}))


def test_module_with_a_variable_that_nothing_binds_is_refused():
    call = Call(add, (y, one), span=Span("m.relay", 3, 3, 5, 9))
    error = refusal(IRModule({"main": Function((x,), Call(add, (x, call)))}))
    assert str(error) == (
        "@main uses %y, which nothing binds; %y is used in add(%y, 1) at m.relay:3:5: bind it, or "
        "make it a parameter"
    )


def test_module_whose_parameters_were_replaced_and_their_uses_not_says_so():
    error = refusal(IRModule({"main": Function((Var("x"),), Call(add, (x, one)))}))
    assert "another variable called %x is bound: use that one there" in str(error)


def test_variable_bound_in_another_function_of_the_module_is_refused():
    mod = IRModule({"binds": Function((x,), x), "uses": Function((y,), Tuple((x, y)))})
    assert "@uses uses %x, which nothing binds" in str(refusal(mod))


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


class TestTypeVariables:
    def test_one_that_nothing_binds_is_welcome_in_an_expression(self):
        assert well_formed(Function((Var("x", T),), one))

    def test_one_that_nothing_binds_is_refused_in_a_module(self):
        error = refusal(IRModule({"main": Function((Var("odd", TupleType((T,))),), one)}))
        assert str(error).startswith(
            "an annotation of %odd mentions the type variable T, which is not in scope there; add"
        )
        assert error.__notes__ == ["in the definition of @main"]

    def test_one_of_the_function_is_welcome_everywhere_inside(self):
        inner = Let(y, Function((Var("z", T),), one), Call(f, (x,), type_args=(T,)))
        func = Function((Var("x", T), f, x), inner, RefType(T), (T,))
        assert well_formed(IRModule({"main": func}))

    @pytest.mark.parametrize(
        "outside",
        [
            Function((Var("y", T),), one),
            Function((), one, T),
            Call(f, (), type_args=(T,)),
            Let(Var("y", T), one, one),
        ],
    )
    def test_one_of_another_function_is_refused(self, outside):
        func = Function((Var("x", T),), one, None, (T,))
        assert not well_formed(Tuple((func, outside)))

    def test_one_that_two_functions_bind_is_welcome_in_both(self):
        one_way, other = (Function((Var("x", T),), one, None, (T,)) for _ in range(2))
        assert well_formed(IRModule({"main": Function((), Tuple((one_way, other)))}))
        assert not well_formed(Tuple((one_way, other, Function((Var("y", T),), one))))

    def test_shared_call_outside_of_the_function_is_refused(self):
        call = Call(f, (), type_args=(T,))
        assert well_formed(Function((), call, None, (T,)))
        assert not well_formed(Tuple((Function((), call, None, (T,)), call)))

    def test_one_that_a_type_binds_needs_no_function(self):
        ty = FuncType((T,), TupleType((T,)), (T,))
        assert well_formed(IRModule({"main": Function((Var("x", ty),), one)}))
        wrong = TupleType((ty, T))
        assert not well_formed(IRModule({"main": Function((Var("x", wrong),), one)}))

    def test_types_of_any_depth_are_looked_at_in_linear_time(self):
        deep, bodies = T, []
        for _ in range(20_000):
            deep = TupleType((deep, deep))
            bodies.append(Let(Var("y", deep), one, one))
        assert well_formed(Function((), Tuple(bodies), None, (T,)))
        assert not well_formed(IRModule({"main": Function((), Tuple(bodies))}))

    def test_one_that_a_type_definition_does_not_bind_is_refused(self):
        header = GlobalTypeVar("Box")
        boxed = Constructor("Boxed", (RefType(T),), header)
        bound, unbound = TypeData(header, (T,), (boxed,)), TypeData(header, (), (boxed,))
        assert well_formed(IRModule({}, {header: bound}))
        error = refusal(IRModule({}, {header: unbound}))
        assert "type Box: constructor Boxed mentions the type variable T, which is no" in str(error)
