"""Programs of the loop IR as deep, wide and shared as one likes.

Each is a function over one buffer ``_A`` of ``int32``, as large as the program needs, so that the
small ones of each can be run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from relayish import tir
from relayish.tir import Expr, LoweredFunc, Stmt
from tests.support.depth import DEPTH

LEVELS: Final = min(DEPTH * 2 // 5, 20_000)
"""How deep programs are where a level costs much: more than Python's own stack takes, at least."""


def _function(body: Stmt, buffer: tir.Buffer) -> LoweredFunc:
    block = body if isinstance(body, tir.Block) else tir.Block((body,))
    return LoweredFunc("deep", (buffer,), block)


def _memory(size: int) -> tuple[tir.Buffer, tir.Tensor]:
    buffer = tir.Buffer("_A", (tir.const(size),), "int32")
    return buffer, tir.Tensor("A", (tir.const(size),), "int32", buffer)


def _add_one(tensor: tir.Tensor, index: Expr | None = None) -> tir.Store:
    at = tir.const(0) if index is None else index
    return tir.Store(tensor, tensor[at] + 1, (at,))


def loop_nest(levels: int, *, extent: int = 1) -> LoweredFunc:
    """``for (i0, 0, extent) { for (i1, 0, extent) { ... A[0] = A[0] + 1 } }``."""
    buffer, tensor = _memory(1)
    nest: Stmt = _add_one(tensor)
    for level in reversed(range(levels)):
        nest = tir.For(tir.Var(f"i{level}"), 0, extent, tir.Block((nest,)))
    return _function(nest, buffer)


def poly_nest(levels: int) -> LoweredFunc:
    """Loops with a condition and a step, one in the other, each of one iteration."""
    buffer, tensor = _memory(1)
    nest: Stmt = _add_one(tensor)
    for level in reversed(range(levels)):
        var = tir.Var(f"i{level}")
        nest = tir.PolyFor(var, tir.const(0), var < 1, tir.const(1), tir.Block((nest,)))
    return _function(nest, buffer)


def branch_nest(levels: int) -> LoweredFunc:
    """``if (A[0] < 7) { if ... } else { A[0] = 0 }``."""
    buffer, tensor = _memory(1)
    nest: Stmt = _add_one(tensor)
    for _ in range(levels):
        otherwise = tir.Block((tir.Store(tensor, tir.const(0), (tir.const(0),)),))
        nest = tir.IfThenElse(tensor[0] < 7, tir.Block((nest,)), otherwise)
    return _function(nest, buffer)


def block_nest(levels: int) -> LoweredFunc:
    """``{ { { A[0] = A[0] + 1 } } }``."""
    buffer, tensor = _memory(1)
    nest: Stmt = _add_one(tensor)
    for _ in range(levels):
        nest = tir.Block((nest,))
    return _function(nest, buffer)


def schedule_block_nest(levels: int) -> LoweredFunc:
    """Schedule blocks one in the other, each of which binds a variable to that of the last one."""
    buffer, tensor = _memory(1)
    variables = [tir.Var(f"v{level}") for level in range(levels)]
    nest: Stmt = _add_one(tensor, variables[-1] if variables else None)
    for level in reversed(range(levels)):
        block = tir.ScheduleBlock((variables[level],), (), (), f"b{level}", nest)
        value: Expr = variables[level - 1] if level else tir.const(0)
        nest = tir.ScheduleBlockRealize((value,), block)
    return _function(nest, buffer)


def allocation_nest(levels: int) -> LoweredFunc:
    """``alloc(T0)`` over ``alloc(T1)`` and so on, with bodies."""
    buffer, tensor = _memory(1)
    temps = tuple([tir.Buffer(f"_T{level}", (1,), "int32") for level in range(levels)])
    nest: Stmt = _add_one(tensor)
    for temp in reversed(temps):
        nest = tir.Alloc(temp, body=tir.Block((nest,)))
    return LoweredFunc("deep", (buffer,), tir.Block((nest,)), temps)


def wide_block(count: int) -> LoweredFunc:
    """A block of ``count`` stores, each to an element of its own."""
    buffer, tensor = _memory(count)
    stores = [_add_one(tensor, tir.const(at)) for at in range(count)]
    return _function(tir.Block(tuple(stores)), buffer)


def wide_loops(count: int) -> LoweredFunc:
    """A block of ``count`` loops, one after the other."""
    buffer, tensor = _memory(count)
    loops = []
    for at in range(count):
        var = tir.Var("i")
        loops.append(tir.For(var, at, 1, tir.Block((_add_one(tensor, var),))))
    return _function(tir.Block(tuple(loops)), buffer)


def wide_lets(count: int) -> LoweredFunc:
    """``count`` scalars, each declared by the one before it."""
    buffer, tensor = _memory(1)
    stmts: list[Stmt] = []
    value: Expr = tensor[0]
    for at in range(count):
        var = tir.Var(f"x{at}")
        stmts.append(tir.Let(var, value))
        value = var
    stmts.append(tir.Store(tensor, value, (tir.const(0),)))
    return _function(tir.Block(tuple(stmts)), buffer)


def add_chain(levels: int) -> LoweredFunc:
    """``A[0] = (((A[0] + 1) + 1) + 1)``."""
    buffer, tensor = _memory(1)
    value: Expr = tensor[0]
    one = tir.const(1)
    for _ in range(levels):
        value = tir.Add(value, one)
    return _function(tir.Store(tensor, value, (tir.const(0),)), buffer)


def select_chain(levels: int) -> LoweredFunc:
    """``select(A[0] < 7, select(A[0] < 7, ..., 0), 0)``."""
    buffer, tensor = _memory(1)
    value: Expr = tensor[0]
    condition, zero = tensor[0] < 7, tir.const(0)
    for _ in range(levels):
        value = tir.Select(condition, value, zero)
    return _function(tir.Store(tensor, value, (tir.const(0),)), buffer)


def index_chain(levels: int) -> LoweredFunc:
    """``A[A[A[...]]]``."""
    buffer, tensor = _memory(1)
    value: Expr = tir.const(0)
    for _ in range(levels):
        value = tensor[tir.Max(tir.Min(value, tir.const(0)), tir.const(0))]
    return _function(tir.Store(tensor, value, (tir.const(0),)), buffer)


def shared_doublings(levels: int) -> LoweredFunc:
    """``e = A[0]; e = e + e`` as often as said: as many nodes, and two to that number of paths."""
    buffer, tensor = _memory(1)
    value: Expr = tensor[0]
    for _ in range(levels):
        value = tir.Add(value, value)
    return _function(tir.Store(tensor, value, (tir.const(0),)), buffer)


def shared_index_doublings(levels: int) -> LoweredFunc:
    """The same as an index of a load in a loop, with its variable at the bottom."""
    buffer, tensor = _memory(1)
    var = tir.Var("i")
    index: Expr = var
    for _ in range(levels):
        index = tir.Add(index, index)
    store = tir.Store(tensor, tensor[index % 1], (tir.const(0),))
    return _function(tir.For(var, 0, 1, tir.Block((store,))), buffer)


def many_views(count: int) -> LoweredFunc:
    """One buffer, and ``count`` tensors that look at it, each stored to once."""
    buffer, _ = _memory(count)
    stores = []
    for at in range(count):
        view = tir.Tensor(f"A_{at}", (tir.const(count),), "int32", buffer)
        stores.append(_add_one(view, tir.const(at)))
    return _function(tir.Block(tuple(stores)), buffer)


DEEP: Final[dict[str, Callable[[int], LoweredFunc]]] = {
    "loop_nest": loop_nest,
    "poly_nest": poly_nest,
    "branch_nest": branch_nest,
    "block_nest": block_nest,
    "schedule_block_nest": schedule_block_nest,
    "allocation_nest": allocation_nest,
    "add_chain": add_chain,
    "select_chain": select_chain,
    "index_chain": index_chain,
}
"""As deep as the number they are given."""

WIDE: Final[dict[str, Callable[[int], LoweredFunc]]] = {
    "wide_block": wide_block,
    "wide_loops": wide_loops,
    "wide_lets": wide_lets,
    "many_views": many_views,
}
"""As many statements as the number they are given."""

SHARED: Final[dict[str, Callable[[int], LoweredFunc]]] = {
    "shared_doublings": shared_doublings,
    "shared_index_doublings": shared_index_doublings,
}
"""As many nodes as the number they are given, and exponentially many paths: 100 is a lot."""
