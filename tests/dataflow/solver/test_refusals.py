"""What the solver and its solutions refuse, and what they say of it."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import (
    BackwardDataFlow,
    ForwardDataFlow,
    Lift,
    MapLattice,
    SparseAnalysis,
    analyse,
    annotated_text,
    build_flow_graph,
    find_points_to,
    solve,
)
from relayish.dataflow.lattice import Powerset
from relayish.errors import AnalysisError, DeclarationError, FieldError, notes_of
from tests.support.each import each

FUNC = relay.parse_expr("fn (%c: bool, %x: int32) { let %y = %x + 1; if (%c) { %y } else { %x } }")


class Live(BackwardDataFlow):
    lattice = Powerset()

    def visit_var(self, var, live):
        return live.add(var)

    def bind(self, node, variables, live):
        return live.difference(variables)


class Forward(ForwardDataFlow):
    lattice = Powerset()


class WithoutLattice(ForwardDataFlow):
    pass


class WithClass(ForwardDataFlow):
    lattice = Powerset


class WithoutValues(SparseAnalysis):
    pass


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Live(), "expected a list of analyses; found a Live"),
        ("liveness", "found 'liveness'; analyse\\(program, name\\)"),
        (FUNC, "expected a list of analyses; found a Function"),
        ([Live], "found the class Live; write Live\\(\\)"),
        (["liveness"], "expected an analysis; found 'liveness'"),
        ([None], "expected an analysis; found a NoneType"),
        ([WithoutLattice()], "WithoutLattice has no lattice; .* write lattice = Powerset"),
        ([WithClass()], "has the class Powerset for its lattice; .* lattice = Powerset\\(\\)"),
        ([WithoutValues()], "WithoutValues has no lattice; .* write values ="),
    ],
)
def test_solve_refuses_what_is_no_list_of_analyses(given, said):
    with pytest.raises(DeclarationError, match=said):
        solve(given, FUNC)


@pytest.mark.parametrize("given", [Live, None, ["liveness"]])
def test_analyse_refuses_what_is_neither_a_name_nor_an_analysis(given):
    with pytest.raises(DeclarationError, match="expected an analysis; found"):
        analyse(FUNC, given)


@each("given", ["text", None, [FUNC], 3])
@each("ask", [build_flow_graph, find_points_to, lambda given: solve([Live()], given)])
def test_what_is_no_program_is_refused(ask, given):
    with pytest.raises(AnalysisError, match="programs are nodes or modules; found a"):
        ask(given)


def test_solve_refuses_an_analysis_twice_in_one_run():
    live = Live()
    with pytest.raises(AnalysisError, match="Live is being solved already"):
        solve([live, live], FUNC)
    assert solve([live], FUNC)[0].entry == set()


def test_solve_refuses_an_analysis_that_a_handler_solves_again():
    class Again(ForwardDataFlow):
        lattice = Powerset()

        def visit_call(self, call, state):
            solve([self], call)
            return state

    with pytest.raises(AnalysisError, match="Again is being solved already"):
        solve([Again()], FUNC)


def test_an_error_of_a_handler_says_at_which_point():
    class Failing(Forward):
        def visit_call(self, call, state):
            raise KeyError(call)

    with pytest.raises(KeyError) as caught:
        solve([Failing()], FUNC)
    assert notes_of(caught.value) == ["while Failing transferred evaluate add(%x, 1) (point 1)"]


def test_a_branch_that_is_given_no_state_is_refused_rather_than_unreachable():
    class Forgetful(Forward):
        def assume(self, condition, truth, state):
            pass

    with pytest.raises(AnalysisError, match="returned None for the branch from enter if"):
        solve([Forgetful()], FUNC)


def test_a_boundary_without_a_state_is_refused():
    class Empty(Forward):
        def boundary(self, procedure):
            pass

    with pytest.raises(AnalysisError, match="returned None for the boundary at entry fn"):
        solve([Empty()], FUNC)


@pytest.mark.parametrize("point", [-1, 1000, "x", 1.5])
def test_a_solution_refuses_what_is_no_point(point):
    [solution] = solve([Live()], FUNC)
    for ask in (solution.before, solution.after, solution.is_reached):
        with pytest.raises(AnalysisError, match=r"no program point of .* from 0 to 8, or a node"):
            ask(point)


def test_a_module_without_functions_has_the_least_state_at_its_ends():
    found = analyse(relay.IRModule({}), "liveness")
    assert found.entry == found.exit == set()


def test_entries_that_are_one_string_are_refused():
    mod = relay.IRModule({"main": FUNC})
    with pytest.raises(AnalysisError, match=r"found the one 'main'; write \['main'\]"):
        solve([Live()], mod, entries="main", interprocedural=True)


def test_annotated_text_refuses_what_is_no_solution():
    with pytest.raises(AnalysisError, match="expected what analyse or solve found; found a str"):
        annotated_text("x")


@pytest.mark.parametrize("build", [MapLattice, Lift])
def test_lattices_of_lattices_refuse_what_is_none(build):
    with pytest.raises(FieldError, match=r"was given .*Powerset.* for a lattice; write"):
        build(Powerset)


def test_statements_are_named_in_errors_of_handlers():
    class Failing(Forward):
        def visit_store(self, store, state):
            return state.add([])

    x = tir.Var("x")
    with pytest.raises(TypeError) as caught:
        solve([Failing()], tir.Block((tir.Store(x, 1),)))
    assert notes_of(caught.value) == ["while Failing transferred evaluate x[] = 1 (point 2)"]
