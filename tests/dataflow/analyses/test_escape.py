"""Escape analysis: hand-made truths of references and buffers, by point."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import solve
from relayish.dataflow.analyses import Escape, may_have_escaped
from tests.support.depth import DEPTH
from tests.support.goldens import CASES, read_goldens


def solve_text(text, entries=("main",)):
    mod = relay.parse('#[version = "0.0.5"]\n' + text)
    [solution] = solve([Escape()], mod, entries=entries)
    return mod, solution


def bindings(expr):
    """Return what the lets of a chain bind, by name, with the let itself."""
    found = {}
    while isinstance(expr, relay.Let):
        found[expr.var.name_hint] = expr
        expr = expr.body
    return found


def truth(text, name="r", entries=("main",)):
    """Return before which lets of main, by name, a variable may have escaped."""
    mod, solution = solve_text(text, entries)
    lets = bindings(mod["main"].body)
    order = list(lets)
    later = order[order.index(name) + 1 :]
    graph = solution.graph
    points = {
        node: number
        for number, node in enumerate(graph.nodes)
        if graph.actions[number].value == "bind"
    }
    found = [
        each for each in later if may_have_escaped(solution, points[lets[each]], lets[name].var)
    ]
    return " ".join(found)


ESCAPES = read_goldens(CASES / "escape.relay")
"""Before which lets of ``@main`` the reference bound to ``%r`` may have escaped."""


class TestReferences:
    @pytest.mark.parametrize("case", ESCAPES.values(), ids=ESCAPES)
    def test_a_reference_escapes_before(self, case):
        assert (truth(case.before) or "nowhere") == case.answer

    def test_a_result_escapes_where_the_program_is_left(self):
        mod, solution = solve_text("def @main(%x: int32) -> ref(int32) { let %r = ref(%x); %r }")
        made = mod["main"].body.value
        [procedure] = solution.graph.procedures
        assert made not in solution.before(procedure.exit)
        assert made in solution.after(procedure.exit)

    def test_results_of_functions_that_are_called_here_only_do_not_escape(self):
        text = """
            def @make(%x: int32) -> ref(int32) { let %q = ref(%x); %q }
            def @main(%x: int32) -> int32 { let %r = @make(%x); let %a = ref_read(%r); %a }"""
        assert truth(text) == ""
        assert truth(text, entries=None) == "a"

    def test_in_a_closure_that_escaped_all_that_it_captures_has(self):
        mod, solution = solve_text("""def @main(%f: fn (fn () -> int32) -> int32) -> int32 {
            let %r = ref(0); let %g = fn () -> int32 { ref_read(%r) }; %f(%g)
        }""")
        made, closure = mod["main"].body.value, mod["main"].body.body.value
        [procedure] = [p for p in solution.graph.procedures if p.node is closure]
        assert made in solution.before(procedure.entry)


def test_parameters_have_escaped_from_the_start():
    mod, solution = solve_text("def @main(%r: ref(int32)) -> int32 { ref_read(%r) }")
    assert may_have_escaped(solution, mod["main"].body, mod["main"].params[0])


class TestBuffers:
    """Memory of the loop IR: temporary buffers of functions."""

    def func(self, *stmts):
        return tir.LoweredFunc("f", (), tir.Block(stmts), temp_bufs=self.buffers)

    @pytest.fixture(autouse=True)
    def memory(self):
        size = (tir.const(4),)
        self.buffers = tuple([tir.Buffer(name, size) for name in ("a_buf", "b_buf")])
        self.a, self.b = [
            tir.Tensor(name, size, tir.Float(32), buffer)
            for name, buffer in zip("ab", self.buffers, strict=True)
        ]

    def escaped_after(self, *stmts):
        [solution] = solve([Escape()], self.func(*stmts))
        return [[b.name for b in self.buffers if b in solution.after(stmt)] for stmt in stmts]

    def test_functions_of_the_module_keep_what_they_are_given(self):
        given = tir.Buffer("given", (tir.const(4),))
        inside = tir.Tensor("g", (tir.const(4),), tir.Float(32), given)
        store = tir.Store(inside, tir.const(1.0), (tir.const(0),))
        kernel = tir.LoweredFunc("kernel", (given,), tir.Block((store,)))
        call = tir.Call("void", "kernel", (), (self.a,), call_type=tir.CallType.CINN)
        mod = relay.IRModule({"f": self.func(call), "kernel": kernel})
        [alone] = solve([Escape()], mod["f"])
        [whole] = solve([Escape()], mod, entries=["f"])
        assert self.buffers[0] in alone.after(call)
        assert self.buffers[0] not in whole.after(call)
        points_to = whole.calls.points_to
        assert points_to.of(inside) == {self.buffers[0]}
        assert points_to.may_alias(given, self.a)
        assert not points_to.may_alias(given, self.b)


def test_closures_that_capture_nothing_begin_with_one_state():
    inner = relay.Var("x")
    for _ in range(3):
        inner = relay.Function((relay.Var("p"),), inner)
    [solution] = solve([Escape()], inner)
    first, *others = [
        solution.before(procedure.entry)
        for procedure in solution.graph.procedures
        if procedure.parent is not None
    ]
    assert first
    assert all(state is first for state in others)


@pytest.mark.deep
def test_escape_is_linear_in_closures_that_call_one_another():
    given = relay.Var("x")
    functions = [relay.Var("f") for _ in range(DEPTH)]
    body = relay.Call(functions[-1], (given,))
    for function, before in zip(functions[:0:-1], functions[-2::-1], strict=True):
        parameter = relay.Var("p")
        made = relay.Function((parameter,), relay.Call(before, (parameter,)))
        body = relay.Let(function, made, body)
    parameter = relay.Var("p")
    body = relay.Let(functions[0], relay.Function((parameter,), parameter), body)
    [solution] = solve([Escape()], relay.Function((given,), body))
    assert solution.exit == set()
