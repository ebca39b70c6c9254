"""An interprocedural analysis of Relay written as a functor: whether numbers are even."""

from __future__ import annotations

import relayish as relay
from relayish.dataflow import ForwardDataFlow
from relayish.dataflow.lattice import TOP, Flat, MapLattice

VALUES = MapLattice(Flat())


class Parity(ForwardDataFlow):
    """Whether numbers are even: of each variable and call, 0, 1, or unknown; of truths, these."""

    lattice = VALUES
    interprocedural = True

    def value(self, expr, state):
        while isinstance(expr, relay.Let):
            expr = expr.body
        if isinstance(expr, relay.Constant):
            return bool(expr.data) if expr.data.dtype == bool else int(expr.data) % 2
        if isinstance(expr, relay.If):
            return self.join([expr.true_branch, expr.false_branch], state)
        if isinstance(expr, relay.Match):
            return self.join([clause.rhs for clause in expr.clauses], state)
        if isinstance(expr, relay.Var | relay.Call):
            return VALUES.get(state, expr)
        return TOP

    def join(self, exprs, state):
        joined = VALUES.values.bottom
        for expr in exprs:
            joined = VALUES.values.join(joined, self.value(expr, state))
        return joined

    def bind(self, node, variables, state):
        if isinstance(node, relay.Let):
            return VALUES.set(state, node.var, self.value(node.value, state))
        if isinstance(node, relay.Match):
            return self.forget(variables, state)
        return state

    def forget(self, variables, state):
        for variable in variables:
            state = VALUES.set(state, variable, TOP)
        return state

    def visit_call(self, call, state):
        known = [self.value(arg, state) for arg in call.args]
        result = TOP
        name = call.op.name if isinstance(call.op, relay.Op) else None
        is_known = all(isinstance(each, int) for each in known)
        if is_known and name in ("add", "subtract"):
            result = sum(known) % 2
        if name == "multiply" and (0 in known or is_known):
            result = 0 if 0 in known else 1
        return VALUES.set(state, call, result)

    def boundary(self, procedure):
        known = self.forget(self.graph.captured(procedure.node), VALUES.bottom)
        return self.forget(self.graph.binders.get(procedure.entry, ()), known)

    def enter_call(self, site, callee, state):
        entered = self.forget(self.graph.captured(callee.procedure.node), VALUES.bottom)
        for parameter, argument in zip(callee.parameters, site.arguments, strict=True):
            entered = VALUES.set(entered, parameter, self.value(argument, state))
        return entered

    def leave_call(self, site, callee, state, at_end):
        return VALUES.set(state, site.node, self.value(callee.result, at_end))
