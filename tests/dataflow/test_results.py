"""Results of analyses: asked for by name, kept, and carried over passes that preserve them."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import (
    BackwardDataFlow,
    analyse,
    flow_graph,
    forget_results,
    register_analysis,
    results,
)
from relayish.dataflow.lattice import Powerset
from relayish.errors import AnalysisError
from relayish.ir.relay.build import var
from relayish.pass_infra import PassContext, Sequential, create_module_pass, register_pass
from relayish.pass_infra.relay.function_pass import FunctionPass, function_pass

pytestmark = pytest.mark.usefixtures("declarations")

TRANSFERS: list[str] = []


class _Live(BackwardDataFlow):
    """Variables used from here on."""

    lattice = Powerset()

    def __init__(self, *, skipped: str = "") -> None:
        super().__init__()
        self.skipped = skipped

    def visit_var(self, var, live):
        TRANSFERS.append(var.name_hint)
        return live if var.name_hint == self.skipped else live.add(var.name_hint)


@pytest.fixture(autouse=True)
def _registered(declarations):
    register_analysis("LiveNames")(_Live)
    forget_results()
    TRANSFERS.clear()


def program(*names: str) -> relay.Function:
    """Return a function that gives the last of its parameters, after using all."""
    params = [var(name, "int32") for name in names]
    body = params[-1]
    for each in params[::-1]:
        body = relay.Let(var("t", "int32"), relay.Call(relay.get_op("negative"), (each,)), body)
    return relay.Function(tuple(params), body)


def module(**functions: relay.Function) -> relay.IRModule:
    return relay.IRModule(functions)


def copied(func: relay.Function) -> relay.Function:
    """Return another function of the same points and variables."""
    return func.with_fields(body=func.body.with_fields(value=relay.Call(*_call(func.body.value))))


def _call(call: relay.Call) -> tuple[object, ...]:
    return call.op, call.args


def entry_of(solution) -> list[str]:
    return sorted(solution.entry)


# Asking


def test_a_result_is_had_by_name():
    assert entry_of(analyse(program("a", "b"), "live_names")) == ["a", "b"]


def test_asking_twice_makes_no_transfer():
    func = program("a", "b")
    first = analyse(func, "LiveNames")
    made = len(TRANSFERS)
    assert made
    assert analyse(func, "live_names") is first
    assert len(TRANSFERS) == made


def test_options_left_out_are_those_with_their_defaults_given():
    func = program("a")
    assert analyse(func, "LiveNames") is analyse(func, "LiveNames{skipped=''}", widen_after=3)


def test_other_options_are_another_question():
    func = program("a", "b")
    assert entry_of(analyse(func, "LiveNames", skipped="a")) == ["b"]
    assert entry_of(analyse(func, "LiveNames{skipped=b}")) == ["a"]


def test_another_boundary_is_another_question():
    func = program("a")
    outside = Powerset().bottom.add("z")
    assert entry_of(analyse(func, "LiveNames", boundary=outside)) == ["a", "z"]
    assert entry_of(analyse(func, "LiveNames")) == ["a"]
    assert analyse(func, "LiveNames", boundary=outside) is analyse(
        func, "LiveNames", boundary=Powerset().bottom.add("z")
    )


def test_equal_programs_that_are_two_objects_are_two_questions():
    assert analyse(program("a"), "LiveNames") is not analyse(program("a"), "LiveNames")


def test_all_results_about_a_program_share_its_flow_graph():
    func = program("a")
    first, second = analyse(func, "LiveNames"), analyse(func, "LiveNames", skipped="a")
    assert first.graph is second.graph is flow_graph(func)


def test_a_module_is_asked_about_as_a_whole():
    mod = module(f=program("a"), g=program("b"))
    assert entry_of(analyse(mod, "LiveNames")) == ["a", "b"]
    assert analyse(mod, "LiveNames") is analyse(mod, "LiveNames")


def test_an_analysis_that_has_been_made_is_asked_as_well():
    func, made = program("a"), _Live()
    assert analyse(func, made) is analyse(func, made)
    assert analyse(func, made) is not analyse(func, _Live())


def test_an_analysis_that_has_been_made_keeps_no_boundary_of_a_question():
    func, made = program("a"), _Live()
    assert entry_of(analyse(func, made, boundary=Powerset().bottom.add("z"))) == ["a", "z"]
    assert entry_of(analyse(program("b"), made)) == ["b"]


def test_an_analysis_that_has_been_made_takes_no_options():
    with pytest.raises(
        relay.OptionError, match="_Live has been made, so it takes no options any more"
    ):
        analyse(program("a"), _Live(), skipped="a")


def test_an_analysis_that_took_the_name_of_another_is_another_question():
    func = program("a")

    class Dead(_Live):
        def visit_var(self, var, live):
            return live

    assert entry_of(analyse(func, "LiveNames")) == ["a"]
    register_analysis("LiveNames", replace=True)(Dead)
    assert entry_of(analyse(func, "LiveNames")) == []


def test_what_is_no_program_is_refused():
    with pytest.raises(AnalysisError, match="about nodes and modules; found a NoneType"):
        analyse(None, "LiveNames")


def test_a_functor_of_another_language_is_refused_a_program_that_it_has_no_handlers_for():
    told = "Intervals analyses programs of tir; found one of relay, .*; see also CoreIntervals"
    with pytest.raises(AnalysisError, match=told):
        analyse(program("a"), "Intervals")


def test_a_module_of_several_languages_is_analysed_where_one_is_spoken():
    loop = tir.parse("function f (_A)\n{\n  A[0] = 1\n}\n\n#[details]\ntensor A: int32[4]")
    mod = relay.IRModule({"f": loop, "main": program("a")})
    assert analyse(mod, "Intervals").graph.root is mod


# Keeping


def test_programs_asked_about_long_ago_are_forgotten(monkeypatch):
    monkeypatch.setattr(results, "MOST_POINTS", 1000)
    func = program("a")
    analyse(func, "LiveNames")
    gone = weakref.ref(func)
    del func
    for _ in range(20):
        analyse(program("b"), "LiveNames")
    gc.collect()
    assert gone() is None


def test_a_program_asked_about_again_is_kept_longer_than_others(monkeypatch):
    monkeypatch.setattr(results, "MOST_POINTS", 1000)
    func = program("a")
    first = analyse(func, "LiveNames")
    for _ in range(20):
        analyse(program("b"), "LiveNames")
        assert analyse(func, "LiveNames") is first


def test_the_last_result_is_kept_however_large(monkeypatch):
    monkeypatch.setattr(results, "MOST_POINTS", 1)
    func = program("a", "b", "c")
    assert analyse(func, "LiveNames") is analyse(func, "LiveNames")


def test_forgetting_results_lets_programs_go():
    func = program("a")
    first = analyse(func, "LiveNames")
    forget_results()
    assert analyse(func, "LiveNames") is not first


def test_results_are_forgotten_with_temporary_declarations():
    func = program("a")
    with relay.declared_temporarily():
        first = analyse(func, "LiveNames")
    assert analyse(func, "LiveNames") is not first


def test_threads_that_ask_at_once_get_one_result():
    func = program(*[f"v{number}" for number in range(200)])
    found = []
    barrier = threading.Barrier(8)

    def ask():
        barrier.wait()
        found.append(analyse(func, "LiveNames"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_solution_is_immutable_and_hashed_by_identity():
    solution = analyse(program("a"), "LiveNames")
    with pytest.raises(relay.FrozenNodeError, match=r"Solution\.visits"):
        solution.visits = 0
    assert {solution: 1}[solution] == 1


# Expressions of statements


def loops():
    """Return two statements that use one expression, the expression, and the block of both."""
    i, a, b = (tir.Var(name, "int32") for name in "iab")
    shared = tir.Add(a, i)
    first, second = tir.Store(a, shared, ()), tir.Store(b, tir.Mul(shared, shared), ())
    return (
        first,
        second,
        shared,
        tir.Block((first, tir.For(i, 0, tir.Mul(a, a), tir.Block((second,))))),
    )


class _Order(BackwardDataFlow):
    """Stores from here on."""

    lattice = Powerset()

    def visit_store(self, store, after):
        return after.add(store)


def test_the_state_at_an_expression_is_that_at_the_statement_that_holds_it():
    _, second, _, block = loops()
    solution = analyse(block, _Order())
    assert solution.before(second.value) == solution.before(second)
    assert solution.after(second.value) == solution.after(second)


def test_the_state_at_an_expression_of_several_statements_is_joined():
    first, second, shared, block = loops()
    solution = analyse(block, _Order())
    assert solution.graph.holders(shared) == tuple(
        sorted((*solution.graph.occurrences(first), *solution.graph.occurrences(second)))
    )
    assert solution.before(shared) == {first, second}


def test_the_state_at_the_extent_of_a_loop_is_that_where_the_loop_is_entered():
    first, second, _, block = loops()
    loop = block.stmts[1]
    solution = analyse(block, _Order())
    [point] = solution.graph.holders(loop.extent)
    assert solution.graph.nodes[point] is loop
    assert solution.before(point) == {second}
    assert first not in solution.before(point)


def test_a_node_that_is_not_in_the_program_has_no_state():
    *_, block = loops()
    with pytest.raises(AnalysisError, match="has no program point"):
        analyse(block, _Order()).at(tir.const(7))


def test_expressions_that_many_statements_share_are_indexed_once():
    a = tir.Var("a", "int32")
    expr = a
    for _ in range(40):
        expr = tir.Add(expr, expr)
    block = tir.Block(tuple([tir.Store(a, expr, ()) for _ in range(50)]))
    assert len(analyse(block, _Order()).graph.holders(a)) == 50


# Passes that preserve analyses


def preserving(**facts: object):
    """Return a pass that copies functions, and says what ``facts`` do."""
    return function_pass(lambda func, mod, ctx: copied(func), opt_level=0, name="Copy", **facts)


def test_a_result_is_carried_over_a_pass_that_preserves_it():
    mod = module(main=program("a", "b"))
    before = analyse(mod["main"], "LiveNames")
    after = preserving(preserves=("LiveNames",))(mod)
    made = len(TRANSFERS)
    found = analyse(after["main"], "LiveNames")
    assert len(TRANSFERS) == made
    assert found.visits == 0
    assert found.graph.root is after["main"] is not mod["main"]
    assert [found.before(p.number) for p in found.graph.points] == [
        before.before(p.number) for p in before.graph.points
    ]


def test_a_result_about_the_module_is_carried_over_too():
    mod = module(main=program("a", "b"))
    analyse(mod, "LiveNames")
    after = preserving(preserves=("live_names",))(mod)
    made = len(TRANSFERS)
    assert analyse(after, "LiveNames").graph.root is after
    assert len(TRANSFERS) == made


def test_a_result_is_asked_for_at_the_nodes_of_what_the_pass_returned():
    mod = module(main=program("a", "b"))
    analyse(mod["main"], "LiveNames")
    main = preserving(preserves=("LiveNames",))(mod)["main"]
    assert analyse(main, "LiveNames").before(main.body.value) == {"a", "b"}


def test_results_with_options_and_boundaries_are_carried_over():
    mod = module(main=program("a", "b"))
    outside = Powerset().bottom.add("z")
    analyse(mod["main"], "LiveNames", skipped="a", boundary=outside)
    main = preserving(preserves=("LiveNames",))(mod)["main"]
    made = len(TRANSFERS)
    assert entry_of(analyse(main, "LiveNames", skipped="a", boundary=outside)) == ["b", "z"]
    assert len(TRANSFERS) == made


def test_nothing_is_carried_over_a_pass_that_does_not_say_so():
    register_analysis("Other")(type("Other", (_Live,), {"__doc__": "Another."}))
    mod = module(main=program("a", "b"))
    analyse(mod["main"], "LiveNames")
    main = preserving(preserves=("Other",))(mod)["main"]
    made = len(TRANSFERS)
    assert analyse(main, "LiveNames").visits > 0
    assert len(TRANSFERS) > made


def test_a_function_that_a_pass_leaves_alone_keeps_all_its_results():
    mod = module(f=program("a"), g=program("b"))
    kept = analyse(mod["f"], "LiveNames")

    def change(func, _mod, _ctx):
        return func if func is mod["f"] else copied(func)

    after = function_pass(change, opt_level=0, name="Some")(mod)
    assert after["g"] is not mod["g"]
    assert analyse(after["f"], "LiveNames") is kept


def test_a_module_that_a_pass_leaves_alone_keeps_all_its_results():
    mod = module(f=program("a"))
    kept = analyse(mod, "LiveNames")
    after = create_module_pass(lambda mod, ctx: mod, 0, "Nothing")(mod)
    assert analyse(after, "LiveNames") is kept


def test_results_are_carried_over_several_passes_of_a_pipeline():
    mod = module(main=program("a", "b"))
    analyse(mod["main"], "LiveNames")
    step = preserving(preserves=("LiveNames",))
    main = Sequential([step, step, step])(mod)["main"]
    made = len(TRANSFERS)
    assert entry_of(analyse(main, "LiveNames")) == ["a", "b"]
    assert len(TRANSFERS) == made


def test_a_pass_in_between_that_preserves_nothing_ends_the_chain():
    mod = module(main=program("a", "b"))
    analyse(mod["main"], "LiveNames")
    step = preserving(preserves=("LiveNames",))
    main = Sequential([step, preserving(), step])(mod)["main"]
    assert analyse(main, "LiveNames").visits > 0


def test_a_result_is_not_carried_to_other_points():
    mod = module(main=program("a", "b"))
    analyse(mod["main"], "LiveNames")

    def shorten(func, _mod, _ctx):
        return func.with_fields(body=func.body.body)

    lie = function_pass(shorten, opt_level=0, name="Lie", preserves=("LiveNames",))
    main = lie(mod)["main"]
    assert entry_of(analyse(main, "LiveNames")) == ["b"]


def test_a_misspelt_analysis_is_found_out_when_the_pass_first_changes_something():
    mod = module(main=program("a"))
    with pytest.raises(relay.UnknownNameError, match="did you mean LiveNames") as info:
        preserving(preserves=("LiveName",))(mod)
    assert "preserved by pass Copy" in info.value.__notes__


def test_preserved_names_are_a_sequence_of_names():
    with pytest.raises(relay.DeclarationError, match="preserves of pass Copy must be a sequence"):
        preserving(preserves="LiveNames")
    with pytest.raises(
        relay.DeclarationError, match="preserves of pass Copy must hold names of analyses"
    ):
        preserving(preserves=(3,))


def test_registration_says_what_a_pass_preserves():
    @register_pass("CopyAgain", opt_level=0, preserves=("LiveNames",))
    def copy_again(func: relay.Function) -> relay.Function:
        return copied(func)

    @register_pass(opt_level=0, preserves=("LiveNames",))
    class CopyOnce(FunctionPass):
        def transform_function(self, func, mod, ctx):
            return copied(func)

    assert relay.transform.get_pass("CopyAgain").info.preserves == ("LiveNames",)
    assert CopyOnce().info.preserves == ("LiveNames",)
    assert relay.transform.pass_entry("CopyOnce").info.preserves == ("LiveNames",)


def test_a_pass_that_instruments_watch_carries_results_over_too():
    mod = module(main=program("a", "b"))
    analyse(mod["main"], "LiveNames")
    with PassContext(instruments=[relay.transform.ImmutableModuleInstrument()]):
        main = preserving(preserves=("LiveNames",))(mod)["main"]
    made = len(TRANSFERS)
    analyse(main, "LiveNames")
    assert len(TRANSFERS) == made


def test_rebinding_to_other_points_is_refused():
    solution = analyse(program("a", "b"), "LiveNames")
    with pytest.raises(AnalysisError, match="which has other points or edges; solve it anew"):
        solution.rebind(flow_graph(program("a")))


def test_the_first_difference_is_the_first_point_of_another_state():
    c, a, b = var("c", "bool"), var("a", "int32"), var("b", "int32")
    one, other = (
        relay.Function((c, a, b), relay.If(c, a, b)),
        relay.Function((c, a, b), relay.If(c, a, a)),
    )
    found = analyse(one, "LiveNames").first_difference(analyse(other, "LiveNames"))
    assert found is not None
    assert found.number == 0
    assert analyse(one, "LiveNames").first_difference(analyse(one, _Live())) is None
