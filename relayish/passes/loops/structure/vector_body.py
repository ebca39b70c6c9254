"""The body of a loop for several iterations at once, one in each lane of a vector."""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn, cast

from relayish.errors import PassError
from relayish.functor.post_order import Rewriter
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.kinds.one_line import one_line
from relayish.passes.loops.structure.invariance import is_invariant
from relayish.passes.loops.structure.vector_arithmetic import binary, spread, spread_all
from relayish.tir.externs import find_extern
from relayish.tir.ir import operators as ops
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call, Reduce
from relayish.tir.ir.family import IrNode, Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES


def vector_body(body: Stmt, var: Var, first: Expr, lanes: int, unstable: Collection[Var]) -> Stmt:
    """Return ``body`` for ``lanes`` values of ``var`` at once: ``first`` and those that follow it.

    What does not depend on ``var`` stays a scalar. Scalars that the body declares become vectors
    where they depend on it, or are assigned.

    Args:
        body: Statements without schedule blocks.
        var: The variable of the loop.
        first: Its value in the first lane.
        lanes: How many there are, two at least.
        unstable: The scalar variables that are assigned to, or have no value.

    Raises:
        PassError: Naming what has no vector form; the message is a clause about the loop.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    widener = _Widener(var, ops.Ramp(first, ops.const(1, var.type), lanes), unstable)
    return cast("Stmt", widener.visit(body))


class _Widener(Rewriter[IrNode]):
    """Widens what depends on the variable; a handler finds operands of different widths."""

    family = IrNode
    traversal = NODES

    def __init__(self, var: Var, ramp: ops.Ramp, unstable: Collection[Var]) -> None:
        self._var, self._ramp, self._lanes = var, ramp, ramp.lanes
        self._unstable = unstable
        self.memo_map[var] = ramp

    # expressions

    def visit_tensor(self, tensor: Tensor) -> Tensor:
        return tensor

    def visit_buffer(self, buffer: Buffer) -> Buffer:
        return buffer

    def rewrite_var(self, pre: Var, post: Var) -> Var:
        if post is not pre:
            _refuse(f"the bounds of {pre.name} depend on its variable")
        return pre

    def rewrite_expr(self, pre: Expr, post: Expr) -> Expr:
        if post is not pre:
            _refuse(f"{one_line(pre)} has no form for vectors")
        return pre

    def rewrite_unary_op(self, pre: ops.UnaryOpNode, post: ops.UnaryOpNode) -> Expr:
        return self._widened(pre, post)

    def rewrite_binary_op(self, pre: ops.BinaryOpNode, post: ops.BinaryOpNode) -> Expr:
        if post is pre:
            return pre
        self._widened(pre, post)
        return binary(type(post), post.a, post.b)

    def rewrite_nary_op(self, pre: ops.NaryOpNode, post: ops.NaryOpNode) -> Expr:
        if post is pre:
            return pre
        return self._widened(pre, post.with_fields(operands=spread_all(post.operands)))

    def rewrite_cast(self, pre: ops.Cast, post: ops.Cast) -> Expr:
        if post is pre:
            return pre
        dtype = pre.dtype.with_lanes(post.v.type.lanes)
        return self._widened(pre, post.with_fields(dtype=dtype))

    def rewrite_select(self, pre: ops.Select, post: ops.Select) -> Expr:
        if post is pre:
            return pre
        parts = spread_all((post.condition, post.true_value, post.false_value))
        return self._widened(pre, ops.Select(*parts, span=pre.span))

    def rewrite_ramp(self, pre: ops.Ramp, post: ops.Ramp) -> Expr:
        return self._widened(pre, post)

    def rewrite_broadcast(self, pre: ops.Broadcast, post: ops.Broadcast) -> Expr:
        return self._widened(pre, post)

    def rewrite_load(self, pre: Load, post: Load) -> Expr:
        if isinstance(pre.tensor, Tensor) and pre.tensor.buffer is None and post is not pre:
            _refuse(f"{one_line(pre)} loads from a tensor that has no memory")
        return self._widened(pre, post)

    def rewrite_reduce(self, pre: Reduce, post: Reduce) -> Expr:
        if post is pre:
            return pre
        init, body = spread_all((post.init, post.body))
        return self._widened(pre, post.with_fields(init=init, body=body))

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        rule = find_extern(pre.name, pre.call_type)
        if rule is None or not rule.is_pure:
            _refuse(f"what a call of {pre.name} does is not known to be nothing but its value")
        if post is pre:
            return pre
        scalar_only = pre.attrs is not None and pre.attrs.get("vectorizable") is False
        if scalar_only or not rule.is_elementwise:
            _refuse(f"{pre.name} takes no vectors")
        read = spread_all(post.read_args)
        dtype = pre.dtype.with_lanes(self._lanes)
        return self._widened(pre, post.with_fields(read_args=read, dtype=dtype))

    def _widened(self, pre: Expr, post: Expr) -> Expr:
        if post is not pre and pre.type.lanes > 1:
            _refuse(f"{one_line(pre)} is a vector already")
        return post

    # statements

    def rewrite_stmt(self, pre: Stmt, post: Stmt) -> Stmt:  # noqa: ARG002 - as of all kinds
        _refuse(f"{one_line(pre)} has no form for vectors")

    def rewrite_block(self, pre: stmts.Block, post: stmts.Block) -> Stmt:  # noqa: ARG002
        return post

    def rewrite_alloc(self, pre: stmts.Alloc, post: stmts.Alloc) -> Stmt:  # noqa: ARG002
        _refuse(f"{one_line(pre)} gives each iteration memory of its own")

    def rewrite_free(self, pre: stmts.Free, post: stmts.Free) -> Stmt:  # noqa: ARG002
        _refuse(f"{one_line(pre)} frees memory in each iteration")

    def rewrite_for(self, pre: stmts.For, post: stmts.For) -> Stmt:
        if post.min is not pre.min or post.extent is not pre.extent:
            _refuse(f"the bounds of the loop over {pre.loop_var.name} in it depend on its variable")
        return post

    def rewrite_poly_for(self, pre: stmts.PolyFor, post: stmts.PolyFor) -> Stmt:
        if any(new.type.lanes > 1 for new in (post.init, post.condition, post.inc)):
            _refuse(f"the bounds of the loop over {pre.iterator.name} in it depend on its variable")
        return post

    def rewrite_let(self, pre: stmts.Let, post: stmts.Let) -> Stmt:
        symbol = pre.symbol
        is_vector = post.body is not None and post.body.type.lanes > 1
        if not is_vector and symbol not in self._unstable:
            return post
        wide = Var(symbol.name, symbol.type.with_lanes(self._lanes), tag=symbol.tag)
        self.memo_map[symbol] = wide
        body = None if post.body is None else spread(post.body, self._lanes)
        return stmts.Let(wide, body, span=pre.span)

    def rewrite_store(self, pre: Store, post: Store) -> Stmt:
        if isinstance(pre.tensor, Var):
            if post.tensor is pre.tensor:
                _refuse(f"{pre.tensor.name}, which lives longer than an iteration, is assigned to")
            return post.with_fields(value=spread(post.value, self._lanes))
        lanes = max(part.type.lanes for part in (post.value, *post.indices))
        if post is pre or lanes == 1:
            return post
        if pre.value.type.lanes > 1 or any(index.type.lanes > 1 for index in pre.indices):
            _refuse(f"{one_line(pre)} stores a vector already")
        indices = post.indices
        if all(index.type.lanes == 1 for index in indices):
            if not indices:
                _refuse(f"{one_line(pre)} stores to a tensor without dimensions")
            indices = (*indices[:-1], spread(indices[-1], lanes))
        return post.with_fields(value=spread(post.value, lanes), indices=indices)

    def rewrite_if_then_else(self, pre: stmts.IfThenElse, post: stmts.IfThenElse) -> Stmt:
        if post.condition.type.lanes == 1:
            return post
        chosen = self._select(post)
        if chosen is None:
            _refuse(
                f"which arm of a branch runs depends on its variable, and the branch does not just "
                f"choose between two values that can both be computed: {one_line(pre.condition)}"
            )
        return chosen

    def _select(self, branch: stmts.IfThenElse) -> Stmt | None:
        """Return the store of one of two values, where each arm stores one that cannot fail."""
        yes, no = _only_store(branch.true_case), _only_store(branch.false_case)
        if yes is None or no is None or yes.tensor is not no.tensor:
            return None
        if len(yes.indices) != len(no.indices) or not yes.indices:
            return None
        if not all(_is_same(a, b) for a, b in zip(yes.indices, no.indices, strict=True)):
            return None
        if not all(is_invariant(store.value, self._unstable) for store in (yes, no)):
            return None
        parts = spread_all((branch.condition, yes.value, no.value))
        indices = yes.indices
        if all(index.type.lanes == 1 for index in indices):
            indices = (*indices[:-1], spread(indices[-1], self._lanes))
        return Store(yes.tensor, ops.Select(*parts), indices)


def _only_store(stmt: Stmt | None) -> Store | None:
    while isinstance(stmt, stmts.Block) and len(stmt.stmts) == 1:
        stmt = stmt.stmts[0]
    if isinstance(stmt, Store) and isinstance(stmt.tensor, Tensor):
        return stmt
    return None


def _is_same(a: Expr, b: Expr) -> bool:
    return a is b or structural_equal(a, b)


def _refuse(reason: str) -> NoReturn:
    raise PassError(reason)
