"""Runs Relay programs point by point along their flow graphs.

An interpreter of a different kind: what is evaluated when, and where control goes, is told by the
graph alone. So it holds the graph against the library's interpreter, and shows concrete states to
whoever wants to compare abstract ones with them: ``observe(point, activation)`` is called before
each point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import relayish as relay
from relayish.dataflow import Action, FlowGraph, Procedure, build_flow_graph
from relayish.interpreter import evaluate
from relayish.interpreter.call import evaluate_call
from relayish.interpreter.value import ConstructorValue, RefValue
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import scopes

Observe = Callable[[int, "Activation"], None]


class Closure:
    """A function and what it was made with."""

    def __init__(self, procedure: Procedure, around: Activation | None, variables: Any) -> None:
        self.procedure = procedure
        self.around = around
        self.variables = variables


class Activation:
    """A procedure being run: the variables it knows, and what its nodes evaluated to."""

    def __init__(self, procedure: Procedure, closure: Closure, args: Sequence[Any]) -> None:
        self.procedure = procedure
        self.closure = closure
        self.variables: dict[Node, Any] = dict(closure.variables)
        assert isinstance(procedure.node, relay.Function)
        self.variables.update(zip(procedure.node.params, args, strict=True))
        self.values: dict[Node, Any] = {}
        self.chosen: dict[Node, int] = {}
        self.matched: dict[Node, Any] = {}
        self.given: dict[Node, Any] = {}

    def value_of_node(self, node: Node) -> Any:
        at: Activation | None = self
        while at is not None:
            if node in at.values:
                return at.values[node]
            at = at.closure.around
        raise AssertionError(f"{node} is used before it is evaluated")


class GraphMachine:
    """Runs the functions of a module, or a single one."""

    def __init__(
        self, program: relay.Function | relay.IRModule, observe: Observe | None = None
    ) -> None:
        self.graph: FlowGraph = build_flow_graph(program)
        self.observe = observe
        self.module = program if isinstance(program, relay.IRModule) else None
        self.procedures = {p.node: p for p in self.graph.procedures}

    def run(self, function: relay.Function, args: Sequence[Any]) -> Any:
        with np.errstate(all="ignore"):
            return self._apply(Closure(self.procedures[function], None, {}), args)

    def _apply(self, function: Any, args: Sequence[Any]) -> Any:
        if isinstance(function, relay.Constructor):
            return ConstructorValue(-1, tuple(args), function)
        graph, observe = self.graph, self.observe
        act = Activation(function.procedure, function, args)
        at = act.procedure.entry
        while True:
            if observe is not None:
                observe(at, act)
            node = graph.nodes[at]
            match graph.actions[at]:
                case Action.EVALUATE:
                    act.values[node] = self._compute(node, act)
                case Action.ENTER:
                    self._choose(node, act)
                case Action.BIND:
                    self._bind(node, act)
                case Action.LEAVE:
                    [root] = scopes(node)[act.chosen.get(node, 0)].roots
                    act.values[node] = self._result(root, act)
                case Action.YIELD:
                    act.given[node] = self.operand(node, act)
                case Action.EXIT:
                    assert isinstance(node, relay.Function)
                    return self._result(node.body, act)
            following = graph.successors(at)
            if len(following) > 1:
                [following] = [
                    (target,)
                    for target in following
                    if graph.edge(at, target).branch == (node, act.chosen[node])
                ]
            [at] = following

    def _result(self, root: Node, act: Activation) -> Any:
        """Return what a scope gave."""
        return act.given[root] if root in act.given else self.operand(root, act)

    def operand(self, expr: Node, act: Activation) -> Any:
        match expr:
            case relay.Var():
                return act.variables[expr]
            case relay.Constant():
                return evaluate(expr)
            case relay.GlobalVar():
                assert self.module is not None
                return Closure(self.procedures[self.module[expr]], None, {})
            case relay.Op() | relay.Constructor():
                return expr
            case _:
                return act.value_of_node(expr)

    def _compute(self, node: Node, act: Activation) -> Any:
        match node:
            case relay.Function():
                captured = {
                    variable: act.variables[variable]
                    for variable in self.graph.captured(node)
                    if variable in act.variables
                }
                return Closure(self.procedures[node], act, captured)
            case relay.Call(op=relay.Op() as op):
                args = [self.operand(arg, act) for arg in node.args]
                return evaluate_call(op, node.attrs, args)
            case relay.Call():
                args = [self.operand(arg, act) for arg in node.args]
                return self._apply(self.operand(node.op, act), args)
            case relay.Tuple():
                return tuple(self.operand(field, act) for field in node.fields)
            case relay.TupleGetItem():
                return self.operand(node.tuple_value, act)[node.index]
            case relay.RefCreate():
                return RefValue(self.operand(node.value, act))
            case relay.RefRead():
                return self.operand(node.ref, act).value
            case relay.RefWrite():
                self.operand(node.ref, act).value = self.operand(node.value, act)
                return ()
            case _:
                raise AssertionError(f"no way to evaluate {node}")

    def _choose(self, node: Node, act: Activation) -> None:
        match node:
            case relay.If():
                act.chosen[node] = 0 if self.operand(node.cond, act) else 1
            case relay.Match():
                data = self.operand(node.data, act)
                for case, clause in enumerate(node.clauses):
                    act.matched = {}
                    if _matches(clause.lhs, data, act.matched):
                        act.chosen[node] = case
                        return
                raise AssertionError(f"nothing matches in {node}")

    def _bind(self, node: Node, act: Activation) -> None:
        if isinstance(node, relay.Let):
            value = self.operand(node.value, act)
            act.variables[node.var] = value
            if isinstance(value, Closure) and node.var in self.graph.captured(value.procedure.node):
                value.variables[node.var] = value
        else:
            act.variables.update(act.matched)


def _matches(pattern: relay.Pattern, value: Any, found: dict[Node, Any]) -> bool:
    match pattern:
        case relay.PatternVar():
            found[pattern.var] = value
            return True
        case relay.PatternConstructor():
            if value.constructor is not pattern.constructor:
                return False
            parts = zip(pattern.patterns, value.fields, strict=True)
            return all(_matches(part, item, found) for part, item in parts)
        case relay.PatternTuple():
            parts = zip(pattern.patterns, value, strict=True)
            return all(_matches(part, item, found) for part, item in parts)
        case _:
            return True


def run_module(mod: relay.IRModule, args: Sequence[Any], observe: Observe | None = None) -> Any:
    """Return what ``main`` of a module gives."""
    main = mod["main"]
    assert isinstance(main, relay.Function)
    return GraphMachine(mod, observe).run(main, args)


def run_function(function: relay.Expr, args: Sequence[Any], observe: Observe | None = None) -> Any:
    """Return what a closed function gives."""
    assert isinstance(function, relay.Function)
    return GraphMachine(function, observe).run(function, args)
