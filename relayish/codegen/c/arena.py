"""Arenas: one piece of memory for all that a function of loops needs between its statements.

What is needed at different times may stand at one place. Temporaries of the functions that are
called are counted in: they become arguments, so no call asks the system for memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.codegen.c.loops.functions import count_of, stands_on_stack
from relayish.codegen.c.loops.initialised import stored_first
from relayish.codegen.c.loops.reached import nodes_reached
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.name_supply import NameSupply
from relayish.tir.builders.tensor import placeholder
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.expr import Call as LoopCall
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ArgumentIO, CallType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Alloc, Block, Free
from relayish.tir.ir.tensor import Buffer, Tensor, Var

ALIGNMENT: Final = 64
"""By how many bytes what stands in an arena is aligned: a line of most caches, the longest vector.
"""


_FILLED: Final = ArgumentIO.OUTPUT


class Arena(NamedTuple):
    """Where buffers stand.

    Attributes:
        offsets: How many bytes behind the beginning each stands.
        size: How many bytes there are.
    """

    offsets: Mapping[Buffer, int]
    size: int


def bytes_of(buffer: Buffer) -> int:
    """Return how many bytes a buffer of known sizes takes, at least one."""
    return max(count_of(buffer) or 0, 1) * buffer.dtype.numpy.itemsize


def plan_arena(func: LoweredFunc, buffers: Sequence[Buffer]) -> Arena:
    """Return places for buffers of a function, apart where some statement needs both.

    The largest are placed first, each as far in front as it fits.

    Args:
        func: The function; its statements at the top tell the times.
        buffers: Those that are placed, of known sizes, to be stored to before they are read.

    Complexity:
        Linear in the function, and that of n operations of numpy on n numbers for n buffers.
    """
    times = _times(func, buffers)
    order = sorted(buffers, key=bytes_of, reverse=True)
    begin, end, first, last = (np.zeros(len(order), np.int64) for _ in range(4))
    for at, buffer in enumerate(order):
        first[at], last[at] = times[buffer]
        beside = (first[:at] <= last[at]) & (last[:at] >= first[at])
        begin[at] = _first_gap(begin[:at][beside], end[:at][beside], bytes_of(buffer))
        end[at] = begin[at] + -(-bytes_of(buffer) // ALIGNMENT) * ALIGNMENT
    offsets = {buffer: int(begin[at]) for at, buffer in enumerate(order)}
    return Arena(offsets, int(end.max(initial=0)))


def _first_gap(begin: np.ndarray[Any, Any], end: np.ndarray[Any, Any], size: int) -> int:
    """Return the first place with so much room between intervals, which may overlap."""
    if not len(begin):
        return 0
    order = np.argsort(begin)
    reached = np.concatenate([[0], np.maximum.accumulate(end[order])])
    fits = np.flatnonzero(begin[order] - reached[:-1] >= size)
    return int(reached[fits[0] if len(fits) else -1])


def _times(func: LoweredFunc, buffers: Collection[Buffer]) -> dict[Buffer, tuple[int, int]]:
    """Return by which statement each is needed first, and by which last."""
    times: dict[Buffer, tuple[int, int]] = {}
    stmts = func.body.stmts if isinstance(func.body, Block) else (func.body,)
    for at, stmt in enumerate(stmts):
        for node in nodes_reached(stmt):
            if isinstance(node, Buffer):
                times[node] = (times.get(node, (at, at))[0], at)
    never = (0, len(stmts))  # whoever says nothing of a buffer may do all with it
    return {each: times.get(each, never) for each in buffers}


def hoist_temporaries(
    main: LoweredFunc, functions: Sequence[LoweredFunc]
) -> tuple[LoweredFunc, list[LoweredFunc], list[Buffer]]:
    """Return functions that are given the memory that they would have asked the system for.

    What stays: temporaries that fit on the stack, those of sizes that arguments tell, that are
    allocated by statements, or of which not all elements are stored to first, and those of
    functions that others than ``main`` call.

    Args:
        main: What calls the functions.
        functions: The others of the module.

    Returns:
        ``main``, which has calls with more arguments; the others in their order; the memory that
        ``main`` is to be given.
    """
    inner = {name for func in functions for name, _ in _calls(func.body)}
    moved = {
        func.name: temps
        for func in functions
        if func.name not in inner and (temps := _hoisted(func))
    }
    known = (*main.args, *main.temp_bufs, *nodes_reached(main.body))
    named = [each.name for each in known if isinstance(each, (Buffer, Tensor, Var))]
    supply = NameSupply(taken=[name.removeprefix("_") for name in named])
    hoist = _Hoist(moved, supply)
    body = hoist.visit(main.body)
    made = [
        func.with_fields(
            args=(*func.args, *moved[func.name]),
            args_io=func.args_io and (*func.args_io, *[_FILLED] * len(moved[func.name])),
            temp_bufs=[each for each in func.temp_bufs if each not in moved[func.name]],
        )
        if func.name in moved
        else func
        for func in functions
    ]
    return main.with_fields(body=body), made, hoist.memory


def _calls(root: Node) -> list[tuple[str, LoopCall]]:
    return [
        (each.name, each)
        for each in nodes_reached(root)
        if isinstance(each, LoopCall) and each.call_type is CallType.CINN
    ]


def _hoisted(func: LoweredFunc) -> list[Buffer]:
    full = stored_first(func, lambda _call, _buffer: False)
    allocated = {
        each.destination for each in nodes_reached(func.body) if isinstance(each, (Alloc, Free))
    }
    return [
        each
        for each in func.temp_bufs
        if each in full and each not in allocated and count_of(each) and not stands_on_stack(each)
    ]


class _Hoist(StmtMutator):
    """Gives calls of functions memory of its own, for each call anew."""

    def __init__(self, moved: Mapping[str, Sequence[Buffer]], supply: NameSupply) -> None:
        super().__init__()
        self.memory: list[Buffer] = []
        self._moved = moved
        self._supply = supply

    def visit_call(self, node: LoopCall) -> Stmt:
        if node.call_type is not CallType.CINN or node.name not in self._moved:
            return node
        given = tuple([self._take(each) for each in self._moved[node.name]])
        return node.with_fields(write_args=(*node.write_args, *given))

    def _take(self, buffer: Buffer) -> Tensor:
        sizes = [constant(size) or 0 for size in buffer.shape]
        name = self._supply.fresh_name(buffer.name.removeprefix("_"))
        made = placeholder(name, sizes, str(buffer.dtype))
        assert isinstance(made.buffer, Buffer)
        self.memory.append(made.buffer)
        return made
