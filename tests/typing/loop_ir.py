"""What users of the loop IR may rely on when they check types; mypy reads it, nothing runs it."""

from __future__ import annotations

from typing import assert_type

from relayish import tir


class CountLoads(tir.IRVisitor):
    count: int = 0

    def visit_load(self, load: tir.Load) -> None:
        assert_type(load.tensor, tir.Expr)
        assert_type(load.indices, tuple[tir.Expr, ...])
        assert_type(load.type, tir.Type)
        self.count += 1
        super().visit_load(load)


class Unroll(tir.StmtMutator):
    def visit_for(self, loop: tir.For) -> tir.Stmt:
        assert_type(loop.loop_var, tir.Var)
        assert_type(loop.for_type, tir.ForType)
        return assert_type(super().visit_for(loop), tir.Stmt)

    def visit_call(self, call: tir.Call) -> tir.Stmt:
        return assert_type(super().visit_call(call), tir.Stmt)


class Double(tir.ExprMutator):
    def visit_call(self, call: tir.Call) -> tir.Expr:
        return assert_type(super().visit_call(call), tir.Expr)

    def visit_binary_op(self, operator: tir.BinaryOpNode) -> tir.Expr:
        assert_type(operator.a, tir.Expr)
        return self.visit(operator.a) * 2


class Depth(tir.ExprFunctor[int]):
    def visit_binary_op(self, operator: tir.BinaryOpNode) -> int:
        return 1 + max(self.visit(operator.a), self.visit(operator.b))

    def visit_expr(self, expr: tir.Expr) -> int:
        return 0


class Fold(tir.IRRewriter):
    def rewrite_add(self, pre: tir.Add, post: tir.Add) -> tir.Expr:
        return assert_type(super().rewrite_add(pre, post), tir.Expr)


class Everything(tir.IRMutator):
    def visit_store(self, store: tir.Store) -> tir.Stmt:
        return assert_type(super().visit_store(store), tir.Stmt)

    def visit_call(self, call: tir.Call) -> tir.IrNode:
        return assert_type(super().visit_call(call), tir.IrNode)

    def visit_lowered_func(self, func: tir.LoweredFunc) -> tir.LoweredFunc:
        return assert_type(super().visit_lowered_func(func), tir.LoweredFunc)

    def visit_if_then_else(self, loop: tir.For) -> tir.Stmt:  # type: ignore[override]  # a branch
        return loop


class Misnamed(tir.IRVisitor):
    def visit_for(self, loop: tir.For) -> object:
        return super().visit_fro(loop)  # type: ignore[misc]


i = tir.var("i")
A = tir.placeholder("A", (16,), "float32")
assert_type(A, tir.Tensor)
assert_type(A[i], tir.Load)
assert_type(A[i] + 1, tir.Expr)
assert_type(i < 4, tir.Expr)
assert_type(2 * i, tir.Expr)
assert_type(tir.const(1), tir.Expr)
assert_type(tir.for_(i, 16, tir.store(A, 0, i)), tir.For)
assert_type(tir.for_("j", 16, lambda j: tir.store(A, 0, j)), tir.For)
assert_type(tir.lower("f", [A]), tir.LoweredFunc)
assert_type(tir.reduce_sum(A[i], [tir.reduce_axis("k", 4)]), tir.Reduce)
assert_type(tir.collect_load_tensors(A[i]), tuple[tir.Tensor, ...])
assert_type(tir.ir_copy(A[i]), tir.Load)
assert_type(tir.math.exp(A[i]), tir.Call)

build = tir.IRBuilder()
with build.for_("i", 16) as loop_var:
    assert_type(loop_var, tir.Var)
with build.schedule_block("B", i) as bound:
    assert_type(bound, tuple[tir.Var, ...])
