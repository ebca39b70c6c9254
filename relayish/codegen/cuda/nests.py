"""Nests of loops that a kernel runs: what their loops are bound to, and what stands where.

The outermost loops are bound to blocks, one directly in the other. All threads of a block run what
is in them: loops bound to threads, of which each thread runs an iteration, and around these loops,
branches and declarations, which each thread runs. What is stored outside of loops that are bound
to an axis of threads is stored by the first thread of that axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.errors import CodegenError
from relayish.ir.kinds.one_line import nested_line, quote
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.externs import is_barrier
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType, MemoryType
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.traversal import STATEMENTS

LOCAL: Final = frozenset([MemoryType.GPU_LOCAL, MemoryType.STACK])
"""Memory of one thread."""

Around: TypeAlias = tuple[Stmt, int]
"""A statement around another, and in which of its statements that is."""


class Event(NamedTuple):
    """A statement where it stands.

    Attributes:
        stmt: The statement.
        around: What is around it, outermost first.
    """

    stmt: Stmt
    around: tuple[Around, ...]


def axis_of(stmt: Node) -> str:
    """Return the index of the device that a loop is bound to; ``""``: to none."""
    if not isinstance(stmt, (stmts.For, stmts.PolyFor)):
        return ""
    bound = stmt.for_type & (ForType.GPU_BLOCK | ForType.GPU_THREAD)
    return str(stmt.bind_info) if bound and stmt.bind_info.is_valid else ""


def is_threads(axis: str) -> bool:
    """Return whether an index of the device is one of threads."""
    return axis.startswith("threadIdx")


class Nest:
    """A nest that a kernel runs.

    Args:
        root: Its outermost loop, which is bound.

    Attributes:
        root: The same.
        body: What each block runs.
        blocks: The loops that are bound to blocks, outermost first.
        loops: All loops that are bound, by what they are bound to.
        events: The statements of the nest, in order of the text.

    Raises:
        CodegenError: If a kernel cannot run it.

    Complexity:
        Linear in the size of the nest and the depth of its statements.
    """

    def __init__(self, root: stmts.For) -> None:
        self.root: Final = root
        self.blocks: Final[list[stmts.For]] = []
        inner: Stmt = root
        while isinstance(inner, stmts.For) and inner.for_type & ForType.GPU_BLOCK:
            self.blocks.append(inner)
            inner = inner.body
            while isinstance(inner, stmts.Block) and len(inner.stmts) == 1:
                inner = inner.stmts[0]
        self.body: Final = inner
        self.events: Final = list(_events(root))
        self.loops: Final[dict[str, list[stmts.For]]] = {}
        for event in self.events:
            self._enter(event)
        self._inside: Final = {var for stmt, _ in self.events for var in _declared(stmt)}
        self._varying = self._find_varying()
        for event in self.events:
            if is_barrier(event.stmt):
                self._check_barrier(event)

    def _enter(self, event: Event) -> None:
        stmt = event.stmt
        axis = axis_of(stmt)
        if not axis:
            return
        if any(axis_of(outer) == axis for outer, _ in event.around):
            raise CodegenError(
                f"{nested_line(stmt, lambda _: None)} is bound to {axis}, as a loop around it is; "
                f"bind it to another axis"
            )
        if not isinstance(stmt, stmts.For):
            raise CodegenError(
                f"{nested_line(stmt, lambda _: None)} is bound to {axis}, and nobody knows how "
                f"often it runs; make it a For, as TransformPolyForToFor does"
            )
        if not is_threads(axis) and stmt not in self.blocks:
            raise CodegenError(
                f"the loop over {stmt.loop_var.name} is bound to {axis} inside of others; blocks "
                f"are the outermost loops of a kernel, one directly in the other: call "
                f"schedule.reorder"
            )
        self.loops.setdefault(axis, []).append(stmt)

    @property
    def thread_axes(self) -> list[str]:
        """The axes of threads that loops are bound to."""
        return [axis for axis in self.loops if is_threads(axis)]

    def is_guarded(self, loop: stmts.For) -> bool:
        """Return whether some threads of an axis may run no iteration of a loop."""
        sizes = [each.extent for each in self.loops[axis_of(loop)]]
        known = [constant(size) for size in sizes]
        if None in known:
            return any(size is not sizes[0] for size in sizes) or not self.is_outside(sizes[0])
        return constant(loop.extent) != max([1, *[size or 0 for size in known]])

    def is_outside(self, expr: Expr) -> bool:
        """Return whether an expression is known before the nest is run."""
        return not any(
            each in self._inside or isinstance(each, Load) for each in nodes_reached(expr)
        )

    def varies(self, expr: Expr) -> bool:
        """Return whether threads may compute different values of an expression."""
        return any(each in self._varying or isinstance(each, Load) for each in nodes_reached(expr))

    def _find_varying(self) -> set[Node]:
        """Return the variables that threads may hold different values of."""
        found: set[Node] = {loop.loop_var for axis in self.thread_axes for loop in self.loops[axis]}
        self._varying = found
        for stmt, _ in self.events:  # what declares a variable stands before what uses it
            match stmt:
                case stmts.For():
                    given: list[tuple[Var, list[Expr]]] = [(stmt.loop_var, [stmt.min, stmt.extent])]
                case stmts.PolyFor():
                    given = [(stmt.iterator, [stmt.init, stmt.condition, stmt.inc])]
                case stmts.Let(body=Expr() as body):
                    given = [(stmt.symbol, [body])]
                case stmts.ScheduleBlockRealize():
                    pairs = zip(stmt.schedule_block.iter_vars, stmt.iter_values, strict=True)
                    given = [(var, [value]) for var, value in pairs]
                case Store(tensor=Var() as var):
                    found.add(var)
                    continue
                case _:
                    continue
            found.update([var for var, exprs in given if any(map(self.varies, exprs))])
        return found

    def _check_barrier(self, barrier: Event) -> None:
        """Raise where some threads of a block may not reach a barrier that others wait at."""
        for stmt, _ in barrier.around:
            match stmt:
                case stmts.For() if axis_of(stmt):
                    apart = is_threads(axis_of(stmt)) and self.is_guarded(stmt)
                case stmts.For():
                    apart = self.varies(stmt.min) or self.varies(stmt.extent)
                case stmts.PolyFor():
                    apart = any(map(self.varies, (stmt.init, stmt.condition, stmt.inc)))
                case stmts.IfThenElse():
                    apart = self.varies(stmt.condition)
                case _:
                    apart = False
            if apart:
                raise CodegenError(
                    f"{quote(barrier.stmt)} stands in {nested_line(stmt, lambda _: None)}, which "
                    f"some threads of a block may run while others do not, and these would wait "
                    f"for ever; put it behind, where all threads come by"
                )


def _events(root: Stmt) -> Iterator[Event]:
    pending: list[Event] = [Event(root, ())]
    while pending:
        event = pending.pop()
        yield event
        inner = [each for each in STATEMENTS.children(event.stmt) if isinstance(each, Stmt)]
        pending += [
            Event(each, (*event.around, (event.stmt, at))) for at, each in enumerate(inner)
        ][::-1]


def _declared(stmt: Stmt) -> Sequence[Var]:
    """Return the variables that a statement binds."""
    match stmt:
        case stmts.For():
            return (stmt.loop_var,)
        case stmts.PolyFor():
            return (stmt.iterator,)
        case stmts.Let():
            return (stmt.symbol,)
        case stmts.ScheduleBlockRealize():
            return stmt.schedule_block.iter_vars
    return ()


def memory_of(stmt: Store) -> MemoryType | None:
    """Return where what a statement stores to is; ``None``: it is a variable."""
    tensor = stmt.tensor
    if not isinstance(tensor, Tensor) or not isinstance(tensor.buffer, Buffer):
        return None
    return tensor.buffer.memory_type
