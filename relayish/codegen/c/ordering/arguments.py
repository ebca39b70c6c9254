"""Arguments of functions that order calls: which memory they are given, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.codegen.c.ordering.leaves import Leaf
from relayish.codegen.c.ordering.memory import Memory, Value, buffer_of
from relayish.codegen.c.ordering.program import Ordered
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr as Scalar
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.ir.tensor import Var as LoopVar


def arranged(
    told: Ordered,
    params: Sequence[Value],
    constants: Sequence[Value],
    results: Value,
    room: Sequence[Memory] = (),
) -> list[Memory]:
    """Return what a function is given, in order: what it reads, and what it may write."""
    pairs = [
        (tensor, leaf)
        for value, leaves in zip(params, told.params, strict=True)
        for tensor, leaf in zip(value, leaves, strict=True)
    ]
    return [
        *[tensor for tensor, leaf in pairs if not leaf.is_cell],
        *[tensor for value in constants for tensor in value],
        *[tensor for tensor, leaf in pairs if leaf.is_cell],
        *(room or told.workspace),
        *results,
    ]


def as_argument(given: Memory) -> Buffer:
    """Return the buffer that stands for memory among the arguments of a function."""
    return given if isinstance(given, Buffer) else buffer_of(given)


def cells_in(leaves: Sequence[Leaf]) -> int:
    """Return how many leaves are what references refer to."""
    return sum(leaf.is_cell for leaf in leaves)


def sizes_of(callee: LoweredFunc, given: Sequence[Tensor]) -> list[Scalar]:
    """Return the sizes that a function of loops is given, as the shapes of arguments tell them."""
    buffers = [arg for arg in callee.args if isinstance(arg, Buffer)]
    known: dict[Scalar, Scalar] = {}
    for param, tensor in zip(buffers, given, strict=False):
        known.update(zip(param.shape, tensor.shape, strict=True))
    return [known[arg] for arg in callee.args if isinstance(arg, LoopVar)]
