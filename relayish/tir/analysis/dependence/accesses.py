"""Accesses of a program to memory and scalars, in the order they are made, and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, TypeVar

from relayish._support.persistent_map import PersistentMap
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import operands
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.analysis.facts.scopes import assigned_variables
from relayish.tir.externs import is_barrier
from relayish.tir.functor import IRFunctor
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call, PrimitiveNode, Reduce
from relayish.tir.ir.family import IrNode, Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import BufferCreate, IntrinsicOp
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES

T = TypeVar("T")

Location: TypeAlias = Buffer | Var | str
"""A piece of memory, a scalar, or the name of a tensor of whose memory nothing is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """What decides how often something is evaluated: a loop, an arm, the axes of a reduction.

    Attributes:
        place: Where it stands itself, and what is around it.
        loop: The loop that it is; its iterations, whether or not their condition holds.
        branch: The statement whose condition decides: that of a branch, or of a ``PolyFor``.
        holds: Whether its condition has to hold, or not to.
        execution: Shared by the arms of one branch at one place.
        axes: The variables of the reduction that it is.
        depth: How many are around it.
        loop_depth: How many loops there are, with those around it.
    """

    place: Place
    loop: stmts.For | stmts.PolyFor | None = None
    branch: stmts.IfThenElse | stmts.PolyFor | None = None
    holds: bool = True
    execution: object = None
    axes: tuple[Var, ...] = ()
    depth: int = 0
    loop_depth: int = 0


class Place(NamedTuple):
    """Where something is evaluated.

    Attributes:
        around: The innermost that is around it, if any.
        values: What each variable stands for that is bound around it: what gives it its values, or
            an expression and where that is evaluated.
    """

    around: Around | None
    values: PersistentMap[Var, Around | Binding | None]


class Binding(NamedTuple):
    """A variable stands for the value that ``expr`` had at ``place``."""

    expr: Expr
    place: Place


OUTERMOST: Final = Place(None, PersistentMap())


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A read or a write, or both, that is made each time its place is reached.

    Attributes:
        node: What makes it: a load, a store, a call, a variable that is read, ...
        location: What is accessed; ``None``: anything, as by a call of unknown effect.
        reads: Whether it may read.
        writes: Whether it may write.
        tensor: The view through which an element is accessed.
        indices: Of the element; ``None``: of all elements, or of a scalar.
        place: Where it is made.
        position: Its number in the order in which the accesses of one iteration are made.
    """

    node: Node
    location: Location | None
    reads: bool
    writes: bool
    tensor: Tensor | None
    indices: tuple[Expr, ...] | None
    place: Place
    position: int


@dataclass(frozen=True, slots=True)
class Accesses:
    """The accesses of a program.

    Attributes:
        all: In the order in which they are made.
        assigned: The variables that are assigned to.
        declared: Where each scalar is declared and each buffer allocated, as often as it is: those
            in a loop are new ones in each iteration.
        blocks: The schedule blocks, outer ones first, with the positions of what is accessed in
            each: from the first on, below the second.
    """

    all: tuple[Access, ...]
    assigned: frozenset[Var]
    declared: dict[Location, list[Place]]
    blocks: tuple[tuple[stmts.ScheduleBlock, int, int], ...] = ()


_Steps: TypeAlias = Iterator[tuple[IrNode, Place]]


def collect_accesses(root: Stmt | LoweredFunc) -> Accesses:
    """Return the accesses of ``root`` to memory and to scalars that it declares or assigns.

    Elements of inline tensors are accessed where their operations access others.

    Complexity:
        Linear in the number of statements and, for each, of distinct expressions; no recursion.
    """
    collector = _Collector(root)
    pending: list[_Steps] = [iter([(root, OUTERMOST)])]
    while pending:
        step = next(pending[-1], None)
        if step is None:
            pending.pop()
        else:
            pending.append(collector.visit(*step))
    blocks = tuple([(block, *ends) for block, ends in collector.blocks])
    return Accesses(tuple(collector.found), collector.assigned, collector.declared, blocks)


class _Collector(IRFunctor[_Steps]):
    """Handlers add the accesses of a node, and yield in between what else is evaluated."""

    def __init__(self, root: IrNode) -> None:
        super().__init__()
        self.assigned = assigned_variables(root)
        self.scalars: set[Var] = set(self.assigned)
        self.declared: dict[Location, list[Place]] = {}
        self.found: list[Access] = []
        self.blocks: list[tuple[stmts.ScheduleBlock, tuple[int, int]]] = []
        self.inlined = 0

    def visit_lowered_func(self, func: LoweredFunc, place: Place) -> _Steps:
        yield func.body, place

    def visit_for(self, loop: stmts.For, place: Place) -> _Steps:
        yield loop.min, place
        yield loop.extent, place
        yield loop.body, _below_loop(place, loop, loop.loop_var)

    def visit_poly_for(self, loop: stmts.PolyFor, place: Place) -> _Steps:
        yield loop.init, place
        head = _below_loop(place, loop, loop.iterator)
        yield loop.condition, head
        inner = _below_branch(head, loop, object())
        yield loop.body, inner
        yield loop.inc, inner

    def visit_if_then_else(self, branch: stmts.IfThenElse, place: Place) -> _Steps:
        yield branch.condition, place
        execution = object()
        yield branch.true_case, _below_branch(place, branch, execution)
        if branch.false_case is not None:
            yield branch.false_case, _below_branch(place, branch, execution, holds=False)

    def visit_block(self, block: stmts.Block, place: Place) -> _Steps:
        for stmt in block.stmts:
            yield stmt, place
            if isinstance(stmt, stmts.Let):
                named = None if stmt.body is None else Binding(stmt.body, place)
                place = place._replace(values=place.values.set(stmt.symbol, named))

    def visit_let(self, let: stmts.Let, place: Place) -> _Steps:
        if let.body is not None:
            yield let.body, place
        self.scalars.add(let.symbol)
        self.declared.setdefault(let.symbol, []).append(place)
        self._add(let, let.symbol, place, writes=True)

    def visit_schedule_block_realize(
        self, realize: stmts.ScheduleBlockRealize, place: Place
    ) -> _Steps:
        inner = place
        block = realize.schedule_block
        for value in realize.iter_values:
            yield value, place
        for var, value in zip(block.iter_vars, realize.iter_values, strict=False):
            inner = inner._replace(values=inner.values.set(var, Binding(value, place)))
        yield block, inner

    def visit_schedule_block(self, block: stmts.ScheduleBlock, place: Place) -> _Steps:
        number, start = len(self.blocks), len(self.found)
        self.blocks.append((block, (start, start)))
        yield block.body, place
        self.blocks[number] = (block, (start, len(self.found)))

    def visit_alloc(self, alloc: stmts.Alloc, place: Place) -> _Steps:
        for extent in alloc.extents:
            yield extent, place
        if alloc.condition is not None:
            yield alloc.condition, place
        if isinstance(alloc.destination, Buffer):
            self.declared.setdefault(alloc.destination, []).append(place)
        self._add(alloc, _location(alloc.destination), place, writes=True)
        if alloc.body is not None:
            yield alloc.body, place

    def visit_free(self, free: stmts.Free, place: Place) -> _Steps:
        self._add(free, _location(free.destination), place, writes=True)
        yield from ()

    def visit_store(self, store: Store, place: Place) -> _Steps:
        for index in store.indices:
            yield index, place
        yield store.value, place
        self._add_element(store, place, writes=True)

    def visit_call(self, call: Call, place: Place) -> _Steps:
        return self.visit_expr(call, place)

    def visit_primitive_node(self, primitive: PrimitiveNode, place: Place) -> _Steps:
        return self.visit_expr(primitive, place)

    def visit_intrinsic_op(self, intrinsic: IntrinsicOp, place: Place) -> _Steps:
        return self.visit_expr(intrinsic, place)

    def visit_expr(self, expr: Expr, place: Place) -> _Steps:
        """Add what an expression accesses, operands first."""
        for node in NODES.order_after(expr, evaluated_before):
            match node:
                case Var() if node in self.scalars:
                    self._add(node, node, place, reads=True)
                case Load():
                    inner = self._inlined(node, place)
                    if inner is None:
                        self._add_element(node, place, reads=True)
                    else:
                        yield inner
                case Reduce():
                    yield node.body, _below_axes(place, node.reduce_axis)
                case Call():
                    self._add_call(node, place)
                case BufferCreate():
                    self._add(node, _location(node.buffer), place, reads=True, writes=True)
                case _ if effect_of(node) & ~Effect.READS:
                    self._add(node, None, place, reads=True, writes=True)

    def _add_call(self, call: Call, place: Place) -> None:
        """Add what a call accesses: anything, or what it is given to read and to write."""
        if is_barrier(call):
            return
        if effect_of(call) & ~Effect.WRITES:
            self._add(call, None, place, reads=True, writes=True)
            return
        for each in call.read_args:
            if isinstance(each, (Tensor, Buffer)):
                self._add(call, _location(each), place, reads=True)
        for each in call.write_args:
            self._add(call, _location(each), place, reads=True, writes=True)

    def _add_element(
        self, node: Load | Store, place: Place, *, reads: bool = False, writes: bool = False
    ) -> None:
        tensor = node.tensor if isinstance(node.tensor, Tensor) else None
        indices = None if tensor is None else node.indices
        location = _location(node.tensor)
        self._add(node, location, place, reads=reads, writes=writes, tensor=tensor, indices=indices)

    def _add(
        self,
        node: Node,
        location: Location | None,
        place: Place,
        *,
        reads: bool = False,
        writes: bool = False,
        tensor: Tensor | None = None,
        indices: tuple[Expr, ...] | None = None,
    ) -> None:
        position = len(self.found)
        self.found.append(Access(node, location, reads, writes, tensor, indices, place, position))

    def _inlined(self, load: Load, place: Place) -> tuple[Expr, Place] | None:
        """Return what computes the element of an inline tensor; ``None`` if it is in memory."""
        tensor = load.tensor
        if not isinstance(tensor, Tensor) or tensor.buffer is not None:
            return None
        made = tensor.operation
        if not isinstance(made, ComputeOp) or len(made.axis) != len(load.indices):
            return None
        if len(made.body) != 1 or self.inlined >= _MOST_INLINED:
            return None
        self.inlined += 1
        values = place.values
        for axis, index in zip(made.axis, load.indices, strict=True):
            values = values.set(axis, Binding(index, place))
        return made.body[0], place._replace(values=values)


def common_around(a: Place, b: Place) -> Around | None:
    """Return the innermost that is around both places.

    Complexity:
        Linear in the depth of both.
    """
    x, y = a.around, b.around
    while x is not y:
        if y is None or (x is not None and x.depth >= y.depth):
            assert x is not None
            x = x.place.around
        else:
            y = y.place.around
    return x


def arounds(place: Place) -> list[Around]:
    """Return all that is around a place, outermost first.

    Complexity:
        Linear in the depth.
    """
    found: list[Around] = []
    around = place.around
    while around is not None:
        found.append(around)
        around = around.place.around
    return found[::-1]


def tell_of(
    around: Around | None, known: dict[Around | None, T], tell: Callable[[Around, T], T]
) -> T:
    """Return what is told of ``around``, given what is told of that around it; kept in ``known``.

    Args:
        around: What is asked about.
        known: What was told so far, with that of ``None``.
        tell: Tells of one what is told of the one around it.
    """
    passed: list[Around] = []
    while around not in known:
        assert around is not None
        passed.append(around)
        around = around.place.around
    found = known[around]
    for each in reversed(passed):
        found = known[each] = tell(each, found)
    return found


def _below_loop(place: Place, loop: stmts.For | stmts.PolyFor, var: Var) -> Place:
    outer = place.around
    depth, loop_depth = (0, 0) if outer is None else (outer.depth + 1, outer.loop_depth)
    around = Around(place, loop=loop, depth=depth, loop_depth=loop_depth + 1)
    return Place(around, place.values.set(var, around))


def _below_branch(
    place: Place, branch: stmts.IfThenElse | stmts.PolyFor, execution: object, *, holds: bool = True
) -> Place:
    outer = place.around
    depth, loop_depth = (0, 0) if outer is None else (outer.depth + 1, outer.loop_depth)
    around = Around(
        place,
        branch=branch,
        holds=holds,
        execution=execution,
        depth=depth,
        loop_depth=loop_depth,
    )
    return Place(around, place.values)


def _below_axes(place: Place, axes: tuple[Var, ...]) -> Place:
    if not axes:
        return place
    outer = place.around
    depth, loop_depth = (0, 0) if outer is None else (outer.depth + 1, outer.loop_depth)
    around = Around(place, axes=axes, depth=depth, loop_depth=loop_depth)
    values = place.values
    for axis in axes:
        values = values.set(axis, around)
    return Place(around, values)


def _location(address: Expr) -> Location | None:
    """Return what is accessed through ``address``; ``None`` where that may be anything."""
    match address:
        case Buffer() | Var():
            return address
        case Tensor(buffer=Buffer() as buffer):
            return buffer
        case Tensor(buffer=None):
            return address.name
    return None


def evaluated_before(node: Node) -> Sequence[Node]:
    """Return the expressions that are evaluated right before ``node``, but for memory it names."""
    match node:
        case Var() | Tensor() | Buffer():
            return ()
        case Load(tensor=Var() | Tensor()):
            return node.indices
    return operands(node)


_MOST_INLINED: Final = 1000
"""How many loads of inline tensors are looked through: a tree of these may be exponential."""
