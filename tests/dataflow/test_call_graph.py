"""The call graph of the ground: of modules of whatever languages and keys."""

from __future__ import annotations

import pytest

from relayish.dataflow import VALUE_FLOW, ForwardDataFlow, find_points_to, solve
from relayish.dataflow.call_graph import CallGraph
from relayish.dataflow.lattice import Powerset
from relayish.errors import UnknownNameError
from relayish.ir.fields.roles import Atom
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from tests.support import mini
from tests.support.depth import DEPTH


class Definitions(Module[str]):
    """A module whose keys are names, to which nodes may refer."""

    @classmethod
    def name_of(cls, key):
        return key if isinstance(key, str) else getattr(key, "refers_to", None)

    @classmethod
    def make_name(cls, name):
        return name


def definition(body):
    return mini.Function((mini.Var("x"),), body)


@pytest.fixture(autouse=True)
def kinds():
    with mini.DECLARED, declared_temporarily():

        @node("named", atom=Atom.NAME)
        class Named(mini.MiniExpr):
            refers_to: str

        yield Named


def test_names_of_any_kind_are_references(kinds):
    a = kinds("a")
    mod = Definitions(
        {
            "a": definition(mini.Number(1)),
            "b": definition(mini.Call("add", (a, mini.Call("mul", (a, kinds("b")))))),
            "c": definition(kinds("nowhere")),
        }
    )
    graph = CallGraph(mod)
    assert dict(graph["b"].callees) == {"a": 2, "b": 1}
    assert graph["c"].undefined == ("nowhere",)
    assert graph.is_recursive(kinds("b"))
    assert graph.groups() == (("a",), ("b",), ("c",))
    assert kinds("a") in graph
    assert graph.reachable(["b"]) == {"a", "b"}


def test_a_definition_that_is_missing_is_refused(kinds):
    graph = CallGraph(Definitions({"first": definition(mini.Number(1))}))
    with pytest.raises(UnknownNameError, match="no function @firts; did you mean first"):
        graph["firts"]


class Called(ForwardDataFlow):
    """The functions that were called on some way here, by name."""

    lattice = Powerset()
    interprocedural = True

    def enter_call(self, site, callee, called):
        return called.add(site.node.callee)

    def leave_call(self, site, callee, called, at_end):
        return at_end


class TestCallsByName:
    """A language that calls definitions by their names, as loops do."""

    @pytest.fixture(autouse=True)
    def rules(self, kinds):
        @VALUE_FLOW.register(mini.Call)
        def call(node, flow):
            flow.calls_by_name(node, node.callee, node.args)

        @VALUE_FLOW.register(mini.Function)
        def make(node, flow):
            flow.creates_function(node, node.params, node.body)

        @VALUE_FLOW.register(mini.Let)
        def bind(node, flow):
            flow.same(node.var, node.value)
            flow.same(node, node.body)

    def call(self, name, argument=None):
        return mini.Call(name, (mini.Number(1) if argument is None else argument,))

    def test_states_go_into_what_is_named(self):
        inner, outer = self.call("a"), self.call("b")
        mod = Definitions(
            {
                "a": definition(mini.Number(1)),
                "b": definition(inner),
                "main": definition(outer),
            }
        )
        [solution] = solve([Called()], mod, entries=["main"])
        assert set(solution.before(inner)) == {"b"}
        assert set(solution.after(outer)) == {"a", "b"}

    def test_names_without_definition_are_unknown(self):
        call = self.call("nowhere")
        found = find_points_to(Definitions({"main": definition(call)}))
        assert found.calls[call].is_unknown

    @pytest.mark.deep
    def test_deep_chains_of_calls_are_followed_without_recursion(self):
        count = min(DEPTH, 20_000)
        functions = {f"f{k}": definition(self.call(f"f{k + 1}")) for k in range(count)}
        functions[f"f{count}"] = definition(mini.Number(1))
        [solution] = solve([Called()], Definitions(functions), entries=["f0"])
        assert len(solution.after(functions["f0"].body)) == count
        assert solution.visits <= 2 * len(solution.graph)
