"""Arenas: one piece of memory for all that a function of loops needs between its statements.

What is needed at different times may stand at one place. Temporaries of the functions that are
called are counted in: they become arguments, so no call asks the system for memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.codegen.c.loops.functions import count_of, stands_on_stack
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.renaming import replace_nodes
from relayish.tir.analysis.regions.filled import stored_first
from relayish.tir.analysis.regions.lifetimes import Lifetimes
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.builders.tensor import placeholder
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.run import evaluate
from relayish.tir.ir.expr import Call as LoopCall
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ArgumentIO, CallType, MemoryType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Alloc, Free
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.traversal import NODES

ALIGNMENT: Final = 64
"""By how many bytes what stands in an arena is aligned: a line of most caches, the longest vector.
"""


_FILLED: Final = ArgumentIO.OUTPUT


class Arena(NamedTuple):
    """Where buffers stand.

    Attributes:
        offsets: How many bytes behind the beginning each of known sizes stands.
        size: How many bytes these take.
        slots: Those whose sizes arguments tell, which stand behind them: one slot after the other,
            each as large as the largest of its buffers, which are needed at different times.
    """

    offsets: Mapping[Buffer, int]
    size: int
    slots: Sequence[Sequence[Buffer]] = ()


def bytes_of(buffer: Buffer) -> int:
    """Return how many bytes a buffer of known sizes takes, at least one."""
    return max(count_of(buffer) or 0, 1) * buffer.dtype.numpy.itemsize


def plan_arena(func: LoweredFunc, buffers: Sequence[Buffer]) -> Arena:
    """Return places for buffers of a function, apart where some statement needs both.

    The largest are placed first, each as far in front as it fits.

    Args:
        func: The function.
        buffers: Those that are placed, to be stored to before they are read.

    Complexity:
        That of :class:`~relayish.tir.analysis.regions.lifetimes.Lifetimes`, and of n operations of
        numpy on n numbers for n buffers.
    """
    lifetimes = Lifetimes(func.body, buffers)
    known = [each for each in buffers if count_of(each) is not None]
    slots = _slots([each for each in buffers if count_of(each) is None], lifetimes)
    order = sorted(known, key=bytes_of, reverse=True)
    begin, end = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64)
    for at, beside in enumerate(lifetimes.needed_beside(order)):
        size = bytes_of(order[at])
        begin[at] = _first_gap(begin[:at][beside], end[:at][beside], size)
        end[at] = begin[at] + -(-size // ALIGNMENT) * ALIGNMENT
    offsets = {buffer: int(begin[at]) for at, buffer in enumerate(order)}
    return Arena(offsets, int(end.max(initial=0)), slots)


def _slots(buffers: Sequence[Buffer], lifetimes: Lifetimes) -> Sequence[Sequence[Buffer]]:
    """Return buffers in as few slots as there are needed at one time, alike beside each other."""
    order = sorted(buffers, key=_likely_bytes, reverse=True)
    slots: list[list[Buffer]] = []
    number = np.zeros(len(order), np.int64)
    for at, beside in enumerate(lifetimes.needed_beside(order)):
        taken = np.unique(number[:at][beside])
        number[at] = np.argmax(np.append(taken, -1) != np.arange(len(taken) + 1))
        if number[at] == len(slots):
            slots.append([])
        slots[number[at]].append(order[at])
    return slots


def _likely_bytes(buffer: Buffer) -> int:
    """Return how many bytes a buffer would take if arguments told this size for all others."""
    free = [each for size in buffer.shape for each in NODES.post_order(size)]
    values = {each: _LIKELY for each in free if isinstance(each, Var)}
    counts = [max(int(evaluate(size, values)), 1) for size in buffer.shape]
    return math.prod(counts) * buffer.dtype.numpy.itemsize


_LIKELY: Final = 7


def _first_gap(begin: np.ndarray[Any, Any], end: np.ndarray[Any, Any], size: int) -> int:
    """Return the first place with so much room between intervals, which may overlap."""
    if not len(begin):
        return 0
    order = np.argsort(begin)
    reached = np.concatenate([[0], np.maximum.accumulate(end[order])])
    fits = np.flatnonzero(begin[order] - reached[:-1] >= size)
    return int(reached[fits[0] if len(fits) else -1])


def hoist_temporaries(
    main: LoweredFunc, functions: Sequence[LoweredFunc]
) -> tuple[LoweredFunc, list[LoweredFunc], list[Buffer]]:
    """Return functions that are given the memory that they would have asked the system for.

    What stays: temporaries that fit on the stack, those that are allocated by statements, or of
    which not all elements are stored to first, and those of functions that others than ``main``
    call.

    Args:
        main: What calls the functions.
        functions: The others of the module.

    Returns:
        ``main``, which has calls with more arguments; the others in their order; the memory that
        ``main`` is to be given.
    """
    inner = {name for func in functions for name, _ in _calls(func.body)}
    moved = {
        func.name: (func, temps)
        for func in functions
        if func.name not in inner and (temps := _hoisted(func))
    }
    known = (*main.args, *main.temp_bufs, *nodes_reached(main.body))
    named = [each.name for each in known if isinstance(each, (Buffer, Tensor, Var))]
    supply = NameSupply(taken=[name.removeprefix("_") for name in named])
    hoist = _Hoist(moved, supply)
    body = hoist.visit(main.body)
    made = [_given(*moved[func.name]) if func.name in moved else func for func in functions]
    return main.with_fields(body=body), made, hoist.memory


def _given(func: LoweredFunc, temps: Sequence[Buffer]) -> LoweredFunc:
    """Return a function with some of its temporaries as further arguments."""
    return func.with_fields(
        args=(*func.args, *temps),
        args_io=func.args_io and (*func.args_io, *[_FILLED] * len(temps)),
        temp_bufs=[each for each in func.temp_bufs if each not in temps],
    )


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
        if each in full
        and each not in allocated
        and count_of(each) != 0
        and not stands_on_stack(each)
        and each.memory_type not in _OF_KERNELS
        and _is_told(each, func)
    ]


_OF_KERNELS: Final = (MemoryType.GPU_SHARED, MemoryType.GPU_LOCAL)


def _is_told(buffer: Buffer, func: LoweredFunc) -> bool:
    """Return whether a buffer has no gaps, and arguments of a function tell its sizes."""
    used = [each for size in buffer.shape for each in NODES.post_order(size)]
    is_plain = not buffer.strides and buffer.elem_offset is None
    return is_plain and all(each in func.args for each in used if isinstance(each, Var))


class _Hoist(StmtMutator):
    """Gives calls of functions memory of its own, for each call anew."""

    def __init__(
        self, moved: Mapping[str, tuple[LoweredFunc, Sequence[Buffer]]], supply: NameSupply
    ) -> None:
        super().__init__()
        self.memory: list[Buffer] = []
        self._moved = moved
        self._supply = supply

    def visit_call(self, node: LoopCall) -> Stmt:
        if node.call_type is not CallType.CINN or node.name not in self._moved:
            return node
        func, temps = self._moved[node.name]
        told: dict[Node, Node] = dict(zip(func.args, node.read_args, strict=False))
        given = tuple([self._take(each, told) for each in temps])
        return node.with_fields(write_args=(*node.write_args, *given))

    def _take(self, buffer: Buffer, told: Mapping[Node, Node]) -> Tensor:
        sizes = [replace_nodes(size, told, traversal=NODES) for size in buffer.shape]
        name = self._supply.fresh_name(buffer.name.removeprefix("_"))
        made = placeholder(name, sizes, str(buffer.dtype))
        assert isinstance(made.buffer, Buffer)
        self.memory.append(made.buffer)
        return made
