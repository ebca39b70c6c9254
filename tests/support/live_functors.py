"""The live-variable functors of TVM's data-flow RFC, as they stand there: handlers by structure.

Each handler takes what is live after its node and returns what is live before it. One that goes
forward is there too: which variables were given a value on all paths. A functor is made
of them with whatever base runs it: ``class Live(LoopHandlers, FixpointFunctor, IRFunctor): ...``.
"""

from __future__ import annotations

from functools import reduce

from relayish import tir
from relayish.dataflow import BackwardDataFlow, Direction, FixpointFunctor, ForwardDataFlow
from relayish.dataflow.lattice import MustPowerset, PersistentSet, Powerset
from relayish.functor import ExprFunctor
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Expr, Function, If, Let, Var
from relayish.ir.scopes.scoping import binders, free_variables, operands, scope_roots

Live = PersistentSet  # of variables and buffers


class LoopHandlers:
    """Liveness of scalars and buffers of the loop IR."""

    lattice = Powerset()
    direction = Direction.BACKWARD

    def visit_block(self, block: tir.Block, after: Live) -> Live:
        for stmt in reversed(block.stmts):
            after = self.visit(stmt, after)
        return after

    def visit_if_then_else(self, branch: tir.IfThenElse, after: Live) -> Live:
        before_then = self.visit(branch.true_case, after)
        before_else = after
        if branch.false_case is not None:
            before_else = self.visit(branch.false_case, after)
        return self.visit(branch.condition, before_then | before_else)

    def visit_for(self, loop: tir.For, after: Live) -> Live:
        def around(live: Live) -> Live:
            return self.visit(loop.body, live).discard(loop.loop_var)

        live = self.fixpoint(after, around)
        return self.visit(loop.min, self.visit(loop.extent, live))

    def visit_poly_for(self, loop: tir.PolyFor, after: Live) -> Live:
        def around(live: Live) -> Live:
            before_body = self.visit(loop.body, self.visit(loop.inc, live))
            before = self.visit(loop.condition, self.lattice.join(after, before_body))
            return before.discard(loop.iterator)

        ending = self.visit(loop.condition, after).discard(loop.iterator)
        return self.visit(loop.init, self.fixpoint(ending, around))

    def visit_schedule_block_realize(self, realize: tir.ScheduleBlockRealize, after: Live) -> Live:
        block = realize.schedule_block
        after = self.visit(block.body, after)
        for part in reversed(block.read_buffers + block.write_buffers):
            after = self.visit(part, after)
        after = after.difference(block.iter_vars)
        for value in reversed(realize.iter_values):
            after = self.visit(value, after)
        return after

    def visit_reduce(self, reduction: tir.Reduce, after: Live) -> Live:
        def around(live: Live) -> Live:
            return self.visit(reduction.body, live).difference(reduction.reduce_axis)

        return self.visit(reduction.init, self.fixpoint(after, around))

    def visit_buffer_range(self, part: tir.BufferRange, after: Live) -> Live:
        return self.visit(part.buffer, after)

    def visit_stmt(self, stmt: tir.Stmt, after: Live) -> Live:
        for each in reversed(operands(stmt) + scope_roots(stmt)):
            after = self.visit(each, after)
        return after

    def bind(self, _: Node, variables: tuple[Node, ...], after: Live) -> Live:
        """Say the same of loop variables to the solver, which walks the body."""
        return after.difference(variables)

    def visit_let(self, let: tir.Let, after: Live) -> Live:
        after = after.discard(let.symbol)
        return after if let.body is None else self.visit(let.body, after)

    def visit_store(self, store: tir.Store, after: Live) -> Live:
        if isinstance(store.tensor, tir.Var):
            after = after.discard(store.tensor)
        else:
            after = after.update(size_variables(store.tensor))
        for index in reversed(store.indices):
            after = self.visit(index, after)
        return self.visit(store.value, after)

    def visit_load(self, load: tir.Load, after: Live) -> Live:
        for index in reversed(load.indices):
            after = self.visit(index, after)
        return self.visit(load.tensor, after)

    def visit_tensor(self, tensor: tir.Tensor, after: Live) -> Live:
        after = after.update(size_variables(tensor))
        return after if tensor.buffer is None else self.visit(tensor.buffer, after)

    def visit_parameter(self, parameter: tir.Var | tir.Buffer, after: Live) -> Live:
        return after.add(parameter)

    def visit_expr(self, expr: tir.Expr, after: Live) -> Live:
        for operand in reversed(operands(expr)):
            after = self.visit(operand, after)
        return after


def size_variables(tensor: tir.Tensor) -> list[Node]:
    """Return the variables by which elements of a tensor are found."""
    sizes = list(tensor.shape)
    if isinstance(tensor.buffer, tir.Buffer):
        offset = tensor.buffer.elem_offset
        sizes += [*tensor.buffer.shape, *tensor.buffer.strides]
        sizes += [] if offset is None else [offset]
    return [each for each in EVERYTHING.post_order(sizes) if isinstance(each, tir.Var)]


class RelayHandlers:
    """Liveness of variables of Relay."""

    lattice = Powerset()
    direction = Direction.BACKWARD

    def visit_let(self, let: Let, after: Live) -> Live:
        before_body = self.visit(let.body, after).discard(let.var)
        return self.visit(let.value, before_body).discard(let.var)  # a function may call itself

    def visit_if(self, branch: If, after: Live) -> Live:
        before_true = self.visit(branch.true_branch, after)
        before_false = self.visit(branch.false_branch, after)
        return self.visit(branch.cond, before_true | before_false)

    def visit_match(self, match: Match, after: Live) -> Live:
        before = [
            self.visit(clause.rhs, after).difference(binders(clause)) for clause in match.clauses
        ]
        return self.visit(match.data, reduce(self.lattice.join, before))

    def bind(self, _: Node, variables: tuple[Node, ...], after: Live) -> Live:
        """Say the same of patterns to the solver, which walks the clauses."""
        return after.difference(variables)

    def visit_var(self, var: Var, after: Live) -> Live:
        return after.add(var)

    def visit_expr(self, expr: Expr, after: Live) -> Live:
        for operand in reversed(operands(expr)):
            after = self.visit(operand, after)
        return after


class InitialisedHandlers:
    """Definite initialisation of scalars of the loop IR: forward, and it must hold on all paths."""

    lattice = MustPowerset()
    direction = Direction.FORWARD

    def visit_block(self, block: tir.Block, before: Live) -> Live:
        for stmt in block.stmts:
            before = self.visit(stmt, before)
        return before

    def visit_if_then_else(self, branch: tir.IfThenElse, before: Live) -> Live:
        after_then = self.visit(branch.true_case, before)
        if branch.false_case is None:
            return self.lattice.join(after_then, before)
        return self.lattice.join(after_then, self.visit(branch.false_case, before))

    def visit_for(self, loop: tir.For, before: Live) -> Live:
        return self.fixpoint(before, lambda header: self.visit(loop.body, header))

    def visit_let(self, let: tir.Let, before: Live) -> Live:
        return before.discard(let.symbol) if let.body is None else before.add(let.symbol)

    def visit_store(self, store: tir.Store, before: Live) -> Live:
        return before.add(store.tensor) if isinstance(store.tensor, tir.Var) else before

    def visit_call(self, _: tir.Call, before: Live) -> Live:
        return before


class LoopLive(LoopHandlers, FixpointFunctor[Node, Live], tir.ExprFunctor, tir.StmtFunctor):
    """Liveness of loops: a functor over expressions and statements, as the RFC derives it."""


class RelayLive(RelayHandlers, ExprFunctor):
    """Liveness of Relay's expressions."""

    def visit_function(self, function: Function, after: Live) -> Live:
        return after.update(free_variables(function))


class LoopFlow(LoopHandlers, BackwardDataFlow[Live]):
    """The same handlers, line for line, as transfers of the solver."""

    def overwritten(self, _: Node, _places: tuple[Node, ...], after: Live) -> Live:
        return after  # whatever writes has a handler, which says what is live before


class LoopInitialised(InitialisedHandlers, FixpointFunctor[Node, Live], tir.StmtFunctor):
    """Definite initialisation, by handlers that walk."""


class LoopInitialisedFlow(InitialisedHandlers, ForwardDataFlow[Live]):
    """The same handlers as transfers."""

    def overwritten(self, _: Node, _places: tuple[Node, ...], before: Live) -> Live:
        return before  # nothing takes away a value


class RelayFlow(RelayHandlers, BackwardDataFlow[Live]):
    """The same for Relay; what functions capture is known of the graph."""

    def visit_function(self, function: Function, after: Live) -> Live:
        return after.update(self.graph.accesses.captured_at(self.number))
