"""Statements between calls: copies of tensors, and memory that is filled."""

from __future__ import annotations

from collections.abc import Callable

from relayish.tir.builders.stmt import for_, store
from relayish.tir.builders.tensor import axis_names
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr, Operand
from relayish.tir.ir.tensor import Tensor, Var
from relayish.tir.ir.type import INT32


def copy(source: Tensor, target: Tensor) -> Stmt:
    """Return the statement that puts the elements of a tensor into another of its shape."""
    return _over(target, lambda index: source[index])


def fill(target: Tensor, value: int) -> Stmt:
    """Return the statement that puts one number into each element of a tensor."""
    return _over(target, lambda _: value)


def _over(target: Tensor, element: Callable[[tuple[Expr, ...]], Operand]) -> Stmt:
    names = axis_names()
    index = tuple([Var(next(names), INT32) for _ in target.shape])
    found: Stmt = store(target, element(index), index)
    for var, size in zip(reversed(index), reversed(target.shape), strict=True):
        found = for_(var, size, found)
    return found
