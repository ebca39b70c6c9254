"""Memory in a kernel: what a block or a thread has itself, where it stands, and how much of it.

A thread that accesses one element of a dimension alone, that of its own place, has no others: a
buffer ``acc`` of which threads access ``acc[ty, tx]`` is one number in each of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.codegen.c.types import c_type
from relayish.codegen.cuda.nests import LOCAL, Nest, axis_of, is_threads
from relayish.errors import CodegenError
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.accesses import (
    Access,
    Binding,
    Place,
    arounds,
    collect_accesses,
)
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.analysis.regions.filled import stores_before_it_reads
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, For
from relayish.tir.ir.tensor import Buffer, Var
from relayish.tir.substitution import substitute


class Counted(NamedTuple):
    """What an index counts.

    Attributes:
        axis: The axis whose threads, or blocks, it counts.
        first: The index of the first one.
        others: What is added, which is the same for all threads of a block.
    """

    axis: str
    first: int
    others: frozenset[tuple[Expr, int]]


Places: TypeAlias = tuple[Counted | None, ...]
"""What indices count, for each dimension."""

APART: Final = LOCAL | {MemoryType.GPU_SHARED}
"""Memory that blocks and threads have themselves."""

MOST_SHARED: Final = 48 << 10
"""So many bytes all devices have for a block."""


class Held(NamedTuple):
    """How a kernel holds a buffer of its own.

    Attributes:
        buffer: The buffer.
        dropped: The dimensions of which a thread, or a block, has one element.
        length: How many elements there are.
        scope: The loop in which it is declared anew; ``None``: all of the kernel.
        is_full: Whether each element is stored to before it is read.
    """

    buffer: Buffer
    dropped: frozenset[int]
    length: int
    scope: For | None
    is_full: bool

    @property
    def is_shared(self) -> bool:
        """Whether the threads of a block share it."""
        return self.buffer.memory_type is MemoryType.GPU_SHARED


class KernelMemory:
    """The memory that a nest accesses.

    Attributes:
        apart: How it holds what it has itself.

    Raises:
        CodegenError: If it has no memory for a buffer of its own.

    Complexity:
        Linear in the nest, for each buffer of its own.
    """

    def __init__(self, nest: Nest) -> None:
        self._nest: Final = nest
        found: dict[Buffer, list[Access]] = {}
        all_accesses = collect_accesses(nest.root)
        for access in all_accesses.all:
            if isinstance(access.location, Buffer):
                found.setdefault(access.location, []).append(access)
        self._places: Final = {
            (each.node, each.position): tuple(
                [
                    _place_along(each, at, buffer, all_accesses.assigned)
                    for at in range(len(buffer.shape))
                ]
            )
            for buffer, held in found.items()
            for each in held
        }
        self.apart: Final[dict[Buffer, Held]] = {
            buffer: self._held(buffer, held)
            for buffer, held in found.items()
            if buffer.memory_type in APART
        }
        self._check_size()

    def telling(self, *accesses: Access) -> set[str]:
        """Return the axes of which accesses to one element of a buffer are those of one thread."""
        return {place.axis for place in self._told(accesses) if place is not None}

    def require_full(self, buffers: Iterable[Buffer]) -> None:
        """Raise where memory that is allocated in a kernel may be read before it is stored to.

        It is there all the time, so it may hold what it held before.
        """
        for buffer in buffers:
            held = self.apart.get(buffer)
            if held is not None and not held.is_full:
                raise CodegenError(
                    f"memory {held.buffer.name} is allocated in a kernel, and nobody knows whether "
                    f"all that is read of it was stored to since then; leave out the allocation"
                )

    def _told(self, accesses: Sequence[Access]) -> Places:
        return _common([self._places.get((each.node, each.position), ()) for each in accesses])

    def _held(self, buffer: Buffer, accesses: Sequence[Access]) -> Held:
        shared = buffer.memory_type is MemoryType.GPU_SHARED
        dropped = {
            at
            for at, place in enumerate(self._told(accesses))
            if place is not None and not (shared and is_threads(place.axis))
        }
        scope = None if shared else self._scope(buffer, accesses)
        sizes = [constant(size) for size in buffer.shape]
        known = [size for at, size in enumerate(sizes) if at not in dropped and size is not None]
        if buffer.strides or buffer.elem_offset is not None or None in sizes:
            raise CodegenError(
                f"memory {buffer.name} of a kernel has {'gaps' if buffer.strides else 'a size'} "
                f"that arguments tell; expected one that is known, without gaps: call "
                f"schedule.set_buffer to have it elsewhere"
            )
        root = self._nest.body if scope is None else scope.body
        is_full = stores_before_it_reads(root, buffer)
        return Held(buffer, frozenset(dropped), math.prod(known), scope, is_full)

    def _scope(self, buffer: Buffer, accesses: Sequence[Access]) -> For | None:
        """Return the innermost loop whose iterations have local memory of their own.

        Raises:
            CodegenError: If threads access it in several loops, and not each its own elements.
        """
        scope: For | None = None
        deepest = -1
        told = self.telling(*accesses)
        for axis in self._nest.thread_axes:
            if axis in told:
                continue
            loops = {_loop_of(each, axis) for each in accesses}
            if len(loops) > 1:
                raise CodegenError(
                    f"memory {buffer.name} is local to a thread, and is accessed in several loops "
                    f"that are bound to {axis}, or outside of these; index it by their variables, "
                    f"as {buffer.name}[{axis}], or let the block share it"
                )
            (loop,) = loops
            depth = -1 if loop is None else _depth_of(loop, accesses[0])
            if depth > deepest:
                scope, deepest = loop, depth
        return scope

    def _check_size(self) -> None:
        shared = [held for held in self.apart.values() if held.is_shared]
        total = sum([each.length * each.buffer.dtype.numpy.itemsize for each in shared])
        if total > MOST_SHARED:
            names = ", ".join([each.buffer.name for each in shared])
            raise CodegenError(
                f"the threads of a block share {total} bytes ({names}), and devices have "
                f"{MOST_SHARED}; make tiles smaller, or call schedule.set_buffer"
            )


def find_fresh(root: Stmt) -> dict[Stmt, Buffer]:
    """Return the statements that allocate memory that blocks or threads have themselves."""
    found: dict[Stmt, Buffer] = {}
    for each in PROGRAM.pre_order(root):
        if not isinstance(each, Alloc) or each.body is not None or each.condition is not None:
            continue
        buffer = each.destination
        if not isinstance(buffer, Buffer) or buffer.memory_type not in APART:
            continue
        sizes = [constant(size) for size in buffer.shape]
        if not each.extents or [constant(extent) for extent in each.extents] == sizes:
            found[each] = buffer
    return found


def declared(held: Held, name: str, mask: str | None) -> list[str]:
    """Return the lines that declare the memory of a buffer, and which elements hold something."""
    kind = "__shared__ " if held.is_shared else ""
    count = max(held.length, 1)
    lines = [f"{kind}{c_type(held.buffer.dtype).storage} {name}[{count}];"]
    if mask is not None:
        lines.append(f"{kind}uint8_t {mask}[{count}]{';' if held.is_shared else ' = {0};'}")
    return lines


def _loop_of(access: Access, axis: str) -> For | None:
    """Return the loop around an access that is bound to an axis."""
    for around in arounds(access.place):
        if isinstance(around.loop, For) and axis_of(around.loop) == axis:
            return around.loop
    return None


def _depth_of(loop: For, access: Access) -> int:
    return next(each.depth for each in arounds(access.place) if each.loop is loop)


def _common(places: Sequence[Places]) -> Places:
    """Return what all accesses tell alike."""
    first, *others = places
    return tuple(
        [
            place if all(each[at] == place for each in others) else None
            for at, place in enumerate(first)
        ]
    )


def _place_along(
    access: Access, at: int, buffer: Buffer, assigned: Collection[Var]
) -> Counted | None:
    """Return the axis whose threads, or blocks, an index counts, and from where on."""
    indices, tensor = access.indices, access.tensor
    if indices is None or tensor is None or len(indices) != len(buffer.shape):
        return None
    if any(
        size is not own and (constant(size) is None or constant(size) != constant(own))
        for size, own in zip(tensor.shape, buffer.shape, strict=False)
    ):
        return None
    form = linear_form(_resolved(indices[at], access.place, assigned))
    loops = [each.loop for each in arounds(access.place)]
    bound = {each.loop_var: each for each in loops if isinstance(each, For) and axis_of(each)}
    blocks = {var for var, each in bound.items() if not is_threads(axis_of(each))}
    counting = [each for each in form.terms if each not in blocks] or [*form.terms]
    if len(counting) != 1 or form.coefficient(counting[0]) != 1:
        return None
    loop = bound.get(counting[0])  # type: ignore[call-overload]  # of no variable: none
    first = None if loop is None else constant(loop.min)
    if loop is None or first is None:
        return None
    others = frozenset([pair for pair in form.terms.items() if pair[0] is not loop.loop_var])
    return Counted(axis_of(loop), form.constant + first, others)


def _resolved(expr: Expr, place: Place, assigned: Collection[Var]) -> Expr:
    """Return an expression in variables of loops: those of blocks stand for what they are given."""
    images: dict[Var, Expr] = {}
    pending = [(expr, place)]
    while pending:
        each, where = pending.pop()
        for var in PROGRAM.pre_order(each):
            if not isinstance(var, Var) or var in images or var in assigned:
                continue
            given = where.values.get(var)
            if isinstance(given, Binding):
                images[var] = given.expr
                pending.append((given.expr, given.place))
    return substitute(expr, images)
