"""Nests that run in lockstep: what is known of one beforehand, and its run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.nodes.kind_table import KindTable
from relayish.tir.interpreter.lanes.access import (
    Access,
    Bound,
    Linear,
    Reach,
    conflict,
    extremes,
    linear_expressions,
    reach_of,
    untie,
)
from relayish.tir.interpreter.lanes.formula import (
    Former,
    Formula,
    GiveUpError,
    Mask,
    UnsuitableError,
    Values,
    View,
    check_view,
)
from relayish.tir.interpreter.memory import Memory, row_major
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr, const, integer_range
from relayish.tir.ir.stmt import Block, For, IfThenElse, Let, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var

MOST: Final = (1 << 63) - 1
"""Indices beyond are left to the plain walk."""
LEAST_LANES: Final = 16
"""With fewer lanes the plain walk is as fast."""
MOST_LANES: Final = 1 << 22
"""With more, an outer loop goes on serially, so that arrays stay small."""
MOST_ACCESSES: Final = 48
"""How many accesses of one buffer are compared with each other."""
MOST_FAILURES: Final = 4
"""After how many attempts in vain a nest is left to the plain walk at once."""

Run: TypeAlias = Callable[[Values, Mask], None]
"""Runs a statement."""


class Lanes:
    """Which loops run in lockstep, while a nest runs."""

    __slots__ = ("axes", "count", "loops", "parallel")

    def __init__(self, loops: dict[For, tuple[int, int]], parallel: set[For]) -> None:
        self.loops = loops
        self.parallel = parallel
        self.axes: dict[For, int] = {}
        self.count = 0


class Nest:
    """A nest of loops, compiled to run in lockstep.

    Attributes:
        free: The variables it reads that are bound outside.
        buffers: The buffers it accesses.
    """

    def __init__(self, root: For) -> None:
        """Compile a nest.

        Raises:
            UnsuitableError: If it holds what does not run in lockstep.
        """
        self.root = root
        self._former = Former()
        self._loops: dict[For, tuple[Formula, Formula]] = {}
        self._chains: dict[For, tuple[For, ...]] = {}
        self._accesses: list[Access] = []
        self._tensors: dict[Tensor, _Layout] = {}
        self._varying: dict[Var, bool] = {}
        self._around: list[For] = []
        self._bounds: list[Bound] = []
        self._assigned: list[tuple[Var, tuple[For, ...]]] = []
        self._declared: dict[Var, int] = {}
        self._ended: set[Var] = set()
        self._free: dict[Var, None] = {}
        self._failures = 0
        self._run = self.statement(root)
        written = {access.buffer for access in self._accesses if access.is_store}
        self._compared = {
            buffer: [access for access in self._accesses if access.buffer is buffer]
            for buffer in written
        }
        for found in self._compared.values():
            if len(found) > MOST_ACCESSES or any(access.indices is None for access in found):
                raise UnsuitableError
        self.free = list(self._free)
        self.buffers = list(dict.fromkeys(layout.buffer for layout in self._tensors.values()))

    # -- compilation ----------------------------------------------------------------------------

    def statement(self, stmt: Stmt) -> Run:
        """Compile a statement."""
        return STATEMENTS[type(stmt)](self, stmt)

    def formula(self, expr: Expr) -> Formula:
        """Compile an expression, and note what it accesses."""
        former = self._former
        first = len(former.loads)
        made = former.form(expr)
        loads, former.loads[first:] = former.loads[first:], []
        self._note_free(former)
        for load in loads:
            self.note_access(load)
        return made

    def _note_free(self, former: Former) -> None:
        """Note the variables of formulas that are bound outside."""
        for var in former.variables:
            if var in self._varying:
                continue
            if var in self._ended:
                raise UnsuitableError
            self._free[var] = None
        former.variables.clear()

    def begin(self, var: Var, is_linear: bool) -> None:
        """Bring a variable into scope, which is linear in those of the loops, or not."""
        if var in self._varying:
            raise UnsuitableError
        self._varying[var] = is_linear
        self._ended.discard(var)

    def end(self, variables: Iterable[Var]) -> None:
        """Let variables go out of scope."""
        for var in variables:
            del self._varying[var]
            self._declared.pop(var, None)
            self._ended.add(var)

    def note_access(self, node: Load | Store) -> None:
        """Note a load or store of a tensor."""
        tensor = node.tensor
        check_view(tensor, node.indices)
        assert isinstance(tensor, Tensor)
        assert isinstance(tensor.buffer, Buffer)
        if tensor not in self._tensors:
            self._tensors[tensor] = _Layout(tensor, tensor.buffer, self.invariant)
        indices: list[Linear] | None = []
        for index in node.indices:
            found = self._linear(index)
            if found is None or indices is None:
                indices = None
            else:
                indices += found
        if indices is None and isinstance(node, Store):
            raise UnsuitableError
        self._accesses.append(Access(node, self._around, self._bounds, indices))

    def invariant(self, expr: Expr) -> Formula:
        """Compile what is the same in all iterations and is computed once.

        Raises:
            UnsuitableError: If it is not.
        """
        former = Former()
        made = former.form(expr)
        if former.loads or any(var in self._varying for var in former.variables):
            raise UnsuitableError
        self._note_free(former)
        return made

    def loop(self, loop: For) -> Run:
        """Compile a loop."""
        var = loop.loop_var
        suits = var.dtype.is_integer and not var.dtype.is_bool and var.dtype.is_scalar
        if not suits or {loop.min.type, loop.extent.type} != {var.dtype} or loop in self._loops:
            raise UnsuitableError
        self._loops[loop] = self.invariant(loop.min), self.invariant(loop.extent)
        self._chains[loop] = (*self._around, loop)
        self.begin(var, is_linear=True)
        self._around.append(loop)
        body = self.scoped(loop.body)
        self._around.pop()
        self.end([var])
        number = var.dtype.numpy.type

        def run(values: Values, mask: Mask) -> None:
            lanes: Lanes = values[_LANES]
            first, extent = lanes.loops[loop]
            if extent <= 0:
                return
            if loop in lanes.parallel:
                shape = [1] * lanes.count
                shape[lanes.axes[loop]] = extent
                values[var] = np.arange(first, first + extent).astype(number).reshape(shape)
                body(values, mask)
                return
            for at in range(first, first + extent):
                values[var] = number(at)
                body(values, mask)

        return run

    def scoped(self, stmt: Stmt) -> Run:
        """Compile a statement with a scope of its own."""
        (made,) = self.in_scope([stmt])
        return made

    def in_scope(self, stmts: Sequence[Stmt]) -> list[Run]:
        """Compile statements, what is declared by which ends with them."""
        before = len(self._declared)
        made = [self.statement(stmt) for stmt in stmts]
        self.end(list(self._declared)[before:])
        return made

    @contextmanager
    def bindings(
        self, variables: Sequence[Var], values: Sequence[Expr], formulas: Sequence[Formula]
    ) -> Iterator[None]:
        """Let variables stand for expressions for a while."""
        before = len(self._bounds)
        kinds = [self._is_linear(value) for value in values]
        for var, formula, is_linear in zip(variables, formulas, kinds, strict=True):
            self.begin(var, is_linear)
            if is_linear:
                self._bounds.append(Bound(var, formula))
        yield
        del self._bounds[before:]
        self.end(variables)

    def _is_linear(self, value: Expr) -> bool:
        if not value.type.is_integer or value.type.is_bool:
            return False
        found = self._linear(value)
        return found is not None and len(found) == 1

    def _linear(self, expr: Expr) -> list[Linear] | None:
        found = linear_expressions(self._former, expr, self._varying)
        self._note_free(self._former)
        return found

    def declare(self, let: Let) -> Run:
        """Compile a declaration of a variable, which has a value for each lane."""
        symbol = let.symbol
        value = None if let.body is None else self.formula(let.body)
        if let.body is not None and let.body.type != symbol.dtype:
            raise UnsuitableError
        self.begin(symbol, is_linear=False)
        self._declared[symbol] = len(self._around)

        def run(values: Values, mask: Mask) -> None:
            values[symbol] = None if value is None else value(values, mask)

        return run

    def assign(self, store: Store, var: Var) -> Run:
        """Compile a store to a variable."""
        depth = self._declared.get(var)
        if depth is None or store.value.type != var.dtype or store.indices:
            raise UnsuitableError
        self._assigned.append((var, tuple(self._around[depth:])))
        value = self.formula(store.value)

        def run(values: Values, mask: Mask) -> None:
            made = value(values, mask)
            if mask is not None:
                before = values[var]
                if before is None:
                    raise GiveUpError
                made = np.where(mask, made, before)
            values[var] = made

        return run

    # -- a run ----------------------------------------------------------------------------------

    def attempt(
        self, first: int, extent: int, memories: Sequence[Memory], free: Sequence[Any]
    ) -> bool:
        """Run the nest, if that can be done; else leave everything as it was.

        Args:
            first: The first value of the outermost loop.
            extent: How many iterations it has.
            memories: The memory of ``buffers``.
            free: The values of ``free``.
        """
        if self._failures >= MOST_FAILURES or any(memory.array is None for memory in memories):
            return False
        saved: list[tuple[Memory, int, Any, Any]] = []
        try:
            values = self._known(memories, free)
            lanes = self._plan(values, first, extent, saved)
            values[_LANES] = lanes
            self._run(values, None)
        except (GiveUpError, EvaluationError):
            self._failures += 1
            for memory, low, elements, mask in saved:
                memory.given[low : low + len(elements)] = elements
                if memory.mask is not None:
                    memory.mask[low : low + len(elements)] = mask
            return False
        return True

    def _known(self, memories: Sequence[Memory], free: Sequence[Any]) -> Values:
        values: Values = {}
        for var, value in zip(self.free, free, strict=True):
            if value is None or isinstance(value, np.ndarray):
                raise GiveUpError
            values[var] = var.dtype.numpy.type(value)
        by_buffer = dict(zip(self.buffers, memories, strict=True))
        for written in self._compared:
            for other, memory in by_buffer.items():
                given = by_buffer[written].given
                if other is not written and np.may_share_memory(given, memory.given):
                    raise GiveUpError  # they are not to overlap; the plain walk says what happens
        for tensor, layout in self._tensors.items():
            values[tensor] = layout.view(values, by_buffer[layout.buffer])
        return values

    def _plan(
        self,
        values: Values,
        first: int,
        extent: int,
        saved: list[tuple[Memory, int, Any, Any]],
    ) -> Lanes:
        """Return which loops run in lockstep, and save what is going to be stored to."""
        loops = {loop: (int(a(values)), int(b(values))) for loop, (a, b) in self._loops.items()}
        loops[self.root] = first, extent
        for loop, (low, length) in loops.items():
            if length > 0 and low + length > min(integer_range(loop.loop_var.dtype)[1], MOST):
                raise GiveUpError
        extents = {loop: length for loop, (_, length) in loops.items()}
        if all(
            self._size(chain, set(chain), extents) < LEAST_LANES for chain in self._chains.values()
        ):
            raise GiveUpError
        active = [access for access in self._accesses if access.buffer in self._compared]
        active = [a for a in active if all(loops[loop][1] > 0 for loop in a.loops)]
        reaches = [reach_of(access, values, loops) for access in active]
        parallel = self._find_parallel(reaches, extents)
        self._save(reaches, values, extents, saved)
        lanes = Lanes(loops, parallel)
        for chain in self._chains.values():
            along = [loop for loop in chain if loop in parallel]
            lanes.axes.update({loop: axis for axis, loop in enumerate(along)})
            lanes.count = max(lanes.count, len(along))
        return lanes

    def _find_parallel(self, reaches: Sequence[Reach], extents: dict[For, int]) -> set[For]:
        parallel = {loop for loop, extent in extents.items() if extent > 1}
        for _, around in self._assigned:
            parallel.difference_update(around)
        pairs = [
            (a, b)
            for at, a in enumerate(reaches)
            for b in reaches[at:]
            if a.access.buffer is b.access.buffer and (a.access.is_store or b.access.is_store)
        ]
        while True:
            for a, b in pairs:
                parallel -= untie(a, b, parallel, extents)
            size, chain = max(
                [(self._size(chain, parallel, extents), chain) for chain in self._chains.values()],
                key=itemgetter(0),
            )
            if size < LEAST_LANES:
                raise GiveUpError
            if size <= MOST_LANES and not any(
                conflict(a, b, parallel, extents) is not None for a, b in pairs
            ):
                return parallel
            if size > MOST_LANES:
                parallel.discard(next(loop for loop in chain if loop in parallel))

    @staticmethod
    def _size(chain: Sequence[For], parallel: set[For], extents: dict[For, int]) -> int:
        return math.prod([extents[loop] for loop in chain if loop in parallel])

    def _save(
        self,
        reaches: Sequence[Reach],
        values: Values,
        extents: dict[For, int],
        saved: list[tuple[Memory, int, Any, Any]],
    ) -> None:
        limits: dict[Buffer, tuple[int, int, Memory]] = {}
        for reach in reaches:
            access = reach.access
            if not access.is_store:
                continue
            view: View = values[access.tensor]
            low, high = extremes(reach, extents)
            before = limits.get(access.buffer, (low, high, view.memory))
            limits[access.buffer] = min(low, before[0]), max(high, before[1]), view.memory
        for low, high, memory in limits.values():
            at, end = max(low, 0), max(high + 1, 0)
            mask = None if memory.mask is None else memory.mask[at:end]
            saved.append((memory, at, memory.given[at:end].copy(), mask))


class _Layout:
    """What the layout of a view is computed from, before the nest runs."""

    __slots__ = ("buffer", "offset", "shape", "strides")

    def __init__(self, tensor: Tensor, buffer: Buffer, formula: Callable[[Expr], Formula]) -> None:
        self.buffer = buffer
        self.shape = [formula(size) for size in tensor.shape]
        self.strides = [formula(step) for step in buffer.strides]
        self.offset = formula(const(0) if buffer.elem_offset is None else buffer.elem_offset)

    def view(self, values: Values, memory: Memory) -> View:
        """Return the view of some memory."""
        shape = [int(size(values)) for size in self.shape]
        strides = [int(step(values)) for step in self.strides] or row_major(shape)
        return View(memory, shape, strides, int(self.offset(values)))


_LANES: Final = "lanes"
"""The key of the loops that run in lockstep among what is known."""


def _store(nest: Nest, store: Store) -> Run:
    if isinstance(store.tensor, Var):
        return nest.assign(store, store.tensor)
    tensor = store.tensor
    value = nest.formula(store.value)
    indices = [nest.formula(index) for index in store.indices]
    nest.note_access(store)
    if store.value.type != tensor.type:
        raise UnsuitableError

    def run(values: Values, mask: Mask) -> None:
        view: View = values[tensor]
        made = value(values, mask)
        at = view.positions([index(values, mask) for index in indices], mask)
        memory = view.memory
        if mask is not None:
            shape = np.broadcast_shapes(np.shape(at), mask.shape)
            chosen = np.broadcast_to(mask, shape)
            at = np.broadcast_to(at, shape)[chosen]
            made = np.broadcast_to(made, shape)[chosen]
        memory.given[at] = made
        if memory.mask is not None:
            np.frombuffer(memory.mask, np.uint8)[at] = 1

    return run


def _block(nest: Nest, block: Block) -> Run:
    runs = nest.in_scope(block.stmts)

    def run(values: Values, mask: Mask) -> None:
        for each in runs:
            each(values, mask)

    return run


def _if_then_else(nest: Nest, branch: IfThenElse) -> Run:
    if not branch.condition.type.is_bool:
        raise UnsuitableError
    condition = nest.formula(branch.condition)
    then = nest.scoped(branch.true_case)
    otherwise = None if branch.false_case is None else nest.scoped(branch.false_case)

    def run(values: Values, mask: Mask) -> None:
        found = np.asarray(condition(values, mask))
        if found.ndim == 0 or found.all() or not found.any():
            chosen = then if found.flat[0] else otherwise
            if chosen is not None:
                chosen(values, mask)
            return
        for arm, lanes in ((then, found), (otherwise, ~found)):
            chosen_lanes = lanes if mask is None else lanes & mask
            if arm is not None and chosen_lanes.any():
                arm(values, chosen_lanes)

    return run


def _realize(nest: Nest, realize: ScheduleBlockRealize) -> Run:
    block = realize.schedule_block
    if len(block.iter_vars) != len(realize.iter_values):
        raise UnsuitableError
    formulas = []
    for var, value in zip(block.iter_vars, realize.iter_values, strict=True):
        if var.dtype != value.type:
            raise UnsuitableError
        formulas.append(nest.formula(value))
    with nest.bindings(block.iter_vars, realize.iter_values, formulas):
        body = nest.scoped(block.body)

    def run(values: Values, mask: Mask) -> None:
        made = [formula(values, mask) for formula in formulas]
        values.update(zip(block.iter_vars, made, strict=True))
        body(values, mask)

    return run


def _schedule_block(nest: Nest, block: ScheduleBlock) -> Run:
    if block.iter_vars:
        raise UnsuitableError
    return nest.scoped(block.body)


def _unsuitable(_nest: Nest, _stmt: Stmt) -> Run:
    raise UnsuitableError


STATEMENTS: Final[KindTable[Callable[[Nest, Any], Run]]] = KindTable(
    "running loops in lockstep",
    "relay.tir.PRIMITIVES",
    {
        Stmt: _unsuitable,
        Store: _store,
        Block: _block,
        IfThenElse: _if_then_else,
        For: Nest.loop,
        Let: Nest.declare,
        ScheduleBlock: _schedule_block,
        ScheduleBlockRealize: _realize,
    },
)
"""How statements of each kind run in lockstep."""
