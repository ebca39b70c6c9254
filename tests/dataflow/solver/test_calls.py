"""Interprocedural runs: states go into what is called and come back, through recursion too."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.dataflow import (
    UNREACHABLE,
    BackwardDataFlow,
    CallSites,
    ForwardDataFlow,
    build_flow_graph,
    solve,
)
from relayish.dataflow.lattice import TOP, Lattice, Powerset
from relayish.errors import AnalysisError
from relayish.prelude import Prelude
from tests.support.goldens import CASES, read_goldens
from tests.support.parity import VALUES, Parity


def parity_of(text, entries=("main",), name="main"):
    """Return what is known of the value of a function of a module."""
    mod = relay.parse('#[version = "0.0.5"]\n' + text) if isinstance(text, str) else text
    [solution] = solve([Parity()], mod, entries=entries)
    function = mod[name]
    [procedure] = [p for p in solution.graph.procedures if p.node is function]
    assert solution.is_reached(procedure.exit)
    return solution.analysis.value(function.body, solution.before(procedure.exit))


PARITIES = read_goldens(CASES / "parity.relay")


@pytest.mark.parametrize("case", PARITIES.values(), ids=PARITIES)
def test_parity_of_a_result_is_followed_through_calls(case):
    assert str(parity_of(case.before)) == case.answer


def test_arguments_of_functions_called_from_outside_are_unknown():
    text = """
        def @next(%n: int32) -> int32 { %n + 1 }
        def @main() -> int32 { @next(4) }
    """
    assert parity_of(text, entries=None) is TOP
    assert parity_of(text, entries=("main", "next")) is TOP


EVEN_ODD = """
    def @even(%n: int32) -> bool {{ if (%n == 0) {{ True }} else {{ @odd(%n - 1) }} }}
    def @odd(%n: int32) -> bool {{ if (%n == 0) {{ {0} }} else {{ @even(%n - 1) }} }}
    def @main(%n: int32) -> bool {{ @even(%n) }}
"""


def test_what_follows_a_call_that_never_returns_is_not_reached():
    mod = relay.parse("""#[version = "0.0.5"]
        def @loop(%n: int32) -> int32 { @loop(%n + 2) }
        def @main(%n: int32) -> int32 { @loop(0) + 1 }
    """)
    [solution] = solve([Parity()], mod, entries=["main"])
    main, loop = (
        next(p for p in solution.graph.procedures if p.node is mod[name])
        for name in ("main", "loop")
    )
    assert not solution.is_reached(main.exit)
    assert not solution.is_reached(loop.exit)
    assert VALUES.get(solution.before(loop.entry), mod["loop"].params[0]) == 0


def test_fold_over_a_list_comes_to_rest():
    mod = Prelude().mod
    n = relay.var("n", "int32")
    nil, cons = (mod.get_constructor("List", name) for name in ("Nil", "Cons"))
    acc, item = relay.var("acc", "int32"), relay.var("item", "int32")
    step = relay.Function((acc, item), acc + item * 2)
    numbers = relay.Call(cons, (n, relay.Call(cons, (n, relay.Call(nil, ())))))
    fold = relay.Call(mod.get_global_var("foldl"), (step, relay.const(4), numbers))
    assert parity_of(mod.with_function("main", relay.Function((n,), fold))) == 0
    odd = relay.Function((acc, item), acc + item)
    fold = relay.Call(mod.get_global_var("foldl"), (odd, relay.const(4), numbers))
    assert parity_of(mod.with_function("main", relay.Function((n,), fold))) is TOP


def test_functions_that_are_not_called_have_no_states():
    mod = relay.parse("""#[version = "0.0.5"]
        def @unused(%n: int32) -> int32 { %n }
        def @main(%n: int32) -> int32 { %n }
    """)
    [solution] = solve([Parity()], mod, entries=["main"])
    reached = {p.node: solution.is_reached(p.entry) for p in solution.graph.procedures}
    assert reached == {mod["main"]: True, mod["unused"]: False}


class Highest(Lattice[float]):
    """How great a number may be at most; chains are endless."""

    bottom, top = float("-inf"), float("inf")

    def join(self, a, b):
        return max(a, b)

    def meet(self, a, b):
        return min(a, b)

    def widen(self, old, new):
        return old if new <= old else self.top


class Depth(ForwardDataFlow):
    """How many calls are open at most: it grows with each call that is entered."""

    lattice = Highest()
    interprocedural = True

    def boundary(self, procedure):
        return 0.0

    def enter_call(self, site, callee, state):
        return state + 1

    def leave_call(self, site, callee, state, at_end):
        return state


class Count(Depth):
    """How many calls were made: it grows with each that returns."""

    def enter_call(self, site, callee, state):
        return 0.0

    def leave_call(self, site, callee, state, at_end):
        return state + at_end + 1


def states_at_exit(analysis, text, **options):
    mod = relay.parse('#[version = "0.0.5"]\n' + text)
    [solution] = solve([analysis], mod, entries=["main"], **options)
    found = {p.node: solution.before(p.exit) for p in solution.graph.procedures}
    return {name.name_hint: found[func] for name, func in mod.functions.items()}


CHAIN = """
    def @a(%n: int32) -> int32 { %n }
    def @b(%n: int32) -> int32 { @a(@a(%n)) }
    def @main(%n: int32) -> int32 { @b(@b(%n)) }
"""


def test_states_of_callees_are_those_of_all_who_call():
    assert states_at_exit(Depth(), CHAIN) == {"a": 2, "b": 1, "main": 0}
    assert states_at_exit(Count(), CHAIN) == {"a": 0, "b": 2, "main": 6}


RECURSIVE = """
    def @f(%n: int32) -> int32 { if (%n == 0) { 0 } else { @f(%n - 1) } }
    def @main(%n: int32) -> int32 { @f(%n) }
"""


@pytest.mark.parametrize("analysis", [Depth, Count])
def test_what_grows_with_recursion_is_widened(analysis):
    found = states_at_exit(analysis(), RECURSIVE)
    assert found["f"] == float("inf")
    assert found["main"] == (0 if analysis is Depth else float("inf"))


def test_endless_growth_is_refused_where_nothing_is_widened():
    class Endless(Count):
        widen_after = 1 << 60

    with pytest.raises(AnalysisError, match=r"Endless visited the block at .* 50 times"):
        states_at_exit(Endless(), RECURSIVE, max_visits=50)


class Calls(ForwardDataFlow):
    """The calls on some way here, by the defaults of calls."""

    lattice = Powerset()

    def visit_call(self, call, state):
        return state.add(call)


def test_by_default_calls_are_transferred_as_where_nothing_is_known_of_the_callee():
    mod = relay.parse('#[version = "0.0.5"]\n' + CHAIN)
    [within] = solve([Calls()], mod)
    [across] = solve([Calls()], mod, interprocedural=True)
    assert [within.after(p) for p in within.graph.points] == [
        across.after(p) for p in across.graph.points
    ]


def test_runs_within_procedures_cut_no_blocks():
    graph = build_flow_graph(relay.parse('#[version = "0.0.5"]\n' + CHAIN))
    solve([Calls()], graph, interprocedural=True)
    assert len(graph.blocks) == 3
    [solution] = solve([Calls()], graph)
    assert solution.visits == len(graph)


class Live(BackwardDataFlow):
    """Live variables, those that callees use included."""

    lattice = Powerset()
    interprocedural = True

    def visit_var(self, var, live):
        return live.add(var)

    def bind(self, node, variables, live):
        return live.difference(variables)

    def leave_call(self, site, callee, state, at_end):
        return self.unknown_call(site, self.lattice.join(state, at_end))


def test_backward_states_enter_where_the_callee_ends():
    mod = relay.parse("""#[version = "0.0.5"]
        def @main(%k: int32, %n: int32) -> int32 {
          let %f = fn () -> int32 { %k };
          let %a = %n + 1;
          let %b = %f();
          %b + %a
        }
    """)
    [solution] = solve([Live()], mod, entries=["main"])
    main = mod["main"]
    k, _ = main.params
    bind_a = main.body.body
    assert k in solution.before(bind_a.value)
    assert k in solution.before(bind_a.body.value)


def test_backward_calls_do_not_wait_for_what_never_returns():
    mod = relay.parse("""#[version = "0.0.5"]
        def @main(%k: int32) -> int32 {
          let %f = fn (%n: int32) -> int32 { %f(%n + %k) };
          let %a = %k + 1;
          %f(%a)
        }
    """)
    [solution] = solve([Live()], mod, entries=["main"])
    main = mod["main"]
    function = main.body.value
    [procedure] = [p for p in solution.graph.procedures if p.node is function]
    assert main.params[0] in solution.before(procedure.entry)


def test_transfers_may_say_that_a_call_does_not_return():
    class Never(Depth):
        def leave_call(self, site, callee, state, at_end):
            return UNREACHABLE

    mod = relay.parse('#[version = "0.0.5"]\n' + CHAIN)
    [solution] = solve([Never()], mod, entries=["main"])
    reached = {p.node: solution.is_reached(p.exit) for p in solution.graph.procedures}
    assert reached == {mod["a"]: True, mod["b"]: False, mod["main"]: False}


def test_call_sites_are_in_components_callees_first():
    mod = relay.parse('#[version = "0.0.5"]\n' + EVEN_ODD.format("False"))
    sites = CallSites(build_flow_graph(mod), ["main"])
    named = {
        p.number: name.name_hint
        for name, f in mod.functions.items()
        for p in sites.graph.procedures
        if p.node is f
    }
    assert [sorted(named[n] for n in group) for group in sites.components] == [
        ["even", "odd"],
        ["main"],
    ]


def test_analyses_may_say_what_is_called_from_outside():
    class Inside(Parity):
        entries = ("main",)

    class Everywhere(Parity):
        entries = ("main", "next")

    mod = relay.parse("""#[version = "0.0.5"]
        def @next(%n: int32) -> int32 { %n + 1 }
        def @main() -> int32 { @next(4) }
    """)
    call = mod["main"].body
    known = [VALUES.get(solve([kind()], mod)[0].after(call), call) for kind in (Inside, Everywhere)]
    assert known == [1, TOP]
    with pytest.raises(AnalysisError, match=r"Inside takes \['main'\] for entries and Everywhere"):
        solve([Inside(), Everywhere()], mod)
    assert (
        VALUES.get(solve([Inside(), Everywhere()], mod, entries=["main"])[1].after(call), call) == 1
    )


def test_long_chains_of_calls_are_visited_once():
    """A chain of 300 functions: each block is visited at most twice, to wait and to go on."""
    lines = ["def @f0(%n: int32) -> int32 { %n + 1 }"]
    lines += [f"def @f{k}(%n: int32) -> int32 {{ @f{k - 1}(%n) }}" for k in range(1, 300)]
    lines.append("def @main(%n: int32) -> int32 { @f299(2) }")
    mod = relay.parse('#[version = "0.0.5"]\n' + "\n".join(lines))
    [solution] = solve([Parity()], mod, entries=["main"])
    assert solution.visits <= 2 * len(solution.graph)


class Callers(ForwardDataFlow):
    """The calls that were made on some way here."""

    lattice = Powerset()
    interprocedural = True

    def enter_call(self, site, callee, state):
        return state.add(site.node)

    def leave_call(self, site, callee, state, at_end):
        return self.lattice.join(state, at_end)


@pytest.mark.parametrize("count", [50, 400])
def test_many_calls_of_one_function_are_visited_three_times_at_most(count):
    """Each call raises what enters the function, which is visited for all of them at once."""
    lets = "".join([f"let %a{k} = @f(%n); " for k in range(count)])
    mod = relay.parse(f"""#[version = "0.0.5"]
        def @f(%n: int32) -> int32 {{ %n + 1 }}
        def @main(%n: int32) -> int32 {{ {lets} %n }}
    """)
    [solution] = solve([Callers()], mod, entries=["main"])
    assert len(solution.exit) == count
    assert solution.visits <= 3 * len(solution.graph)
