"""Mod-ref sets of nodes, and of the points of a flow graph."""

from __future__ import annotations

import relayish as relay
from relayish import tir
from relayish.dataflow import build_flow_graph, mod_ref_of
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node

R, V, C = (relay.var(name) for name in "rvc")
A, X, Y = (tir.Var(name, "int32") for name in "axy")


def set_a(value: Node | int) -> tir.Store:
    return tir.Store(A, value, ())


class TestNodes:
    def test_write_of_a_reference_takes_both_values_and_names_no_place(self):
        found = mod_ref_of(relay.RefWrite(R, V))
        assert (found.evaluates, found.changes, found.overwrites) == ((R, V), (), ())

    def test_write_of_a_reference_writes_what_others_may_reach(self):
        assert mod_ref_of(relay.RefWrite(R, V)).effect == Effect.WRITES

    def test_call_of_a_value_may_do_anything(self):
        assert mod_ref_of(relay.Call(R, (V,))).effect == Effect.UNKNOWN

    def test_call_of_an_operator_takes_its_arguments_alone(self):
        found = mod_ref_of(relay.Call(relay.op.get("exp"), (V,)))
        assert (found.evaluates, found.effect) == ((V,), Effect.NONE)

    def test_store_to_a_scalar_overwrites_it(self):
        found = mod_ref_of(set_a(X))
        assert (found.overwrites, found.changes) == ((A,), ())


class TestPoints:
    def test_statement_uses_what_its_expressions_do(self):
        store = set_a(X + Y)
        graph = build_flow_graph(store)
        [point] = graph.occurrences(store)
        assert graph.accesses.at(point).uses == (X, Y)

    def test_function_uses_and_exposes_what_it_captures(self):
        function = relay.Function((C,), relay.Tuple((C, V)))
        graph = build_flow_graph(relay.Tuple((function, V)))
        [point] = graph.occurrences(function)
        found = graph.accesses.at(point)
        assert (found.uses, found.exposes) == ((V,), (V,))

    def test_variables_that_are_written_anywhere_are_assigned(self):
        assert build_flow_graph(tir.Block((set_a(1),))).accesses.assigned == {A}

    def test_variables_that_are_reached_by_name_alone_are_not_aliased(self):
        assert not build_flow_graph(tir.Block((set_a(1),))).accesses.aliased
