"""What small programs of loops are made of: two tensors, variables, a function and its parts."""

from __future__ import annotations

from typing import Any

from relayish.tir import (
    Block,
    Buffer,
    For,
    LoweredFunc,
    ScheduleBlock,
    ScheduleBlockRealize,
    Tensor,
    Var,
    const,
)

A_BUFFER, B_BUFFER = Buffer("_A", (16,)), Buffer("_B", (4, 8))
A, B = Tensor("A", (16,), "float32", A_BUFFER), Tensor("B", (4, 8), "float32", B_BUFFER)
I, J, X = Var("i"), Var("j"), Var("x", "float32")  # noqa: E741
V, W = Var("v"), Var("w")
ONE = const(1.0)


def func(*stmts: Any, args: Any = (A_BUFFER, B_BUFFER), temps: Any = ()) -> LoweredFunc:
    """Return a function of some statements."""
    return LoweredFunc("f", args, Block(stmts), temps)


def loop(*stmts: Any, var: Var = I, first: Any = 0, extent: Any = 16) -> For:
    """Return a loop over some statements."""
    return For(var, first, extent, Block(stmts))


def realize(values: Any, variables: Any, body: Any) -> ScheduleBlockRealize:
    """Return a schedule block with values for its variables."""
    return ScheduleBlockRealize(values, ScheduleBlock(variables, (), (), "B", body))
