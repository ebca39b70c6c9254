"""Register tiling and packing: sums of products are computed for a tile of elements at once.

Before::

    for (i, 0, 512)
    {
      for (j, 0, 512)
      {
        C[i, j] = 0.0
        for (k, 0, 512)
        {
          C[i, j] = C[i, j] + A[i, k] * B[j, k]
        }
      }
    }

After::

    for (J, 0, 32), for (k, 0, 512), for (j, 0, 16)
    {
      packed[J, k, j] = B[16 * J + j, k]
    }
    for (J, 0, 32), for (I, 0, 64)
    {
      for (i, 0, 8), for (j, 0, 16)
      {
        tile[i, j] = 0.0
      }
      for (k, 0, 512), for (i, 0, 8), for (j, 0, 16)
      {
        tile[i, j] = tile[i, j] + A[8 * I + i, k] * packed[J, k, j]
      }
      for (i, 0, 8), for (j, 0, 16)
      {
        C[8 * I + i, 16 * J + j] = tile[i, j]
      }
    }
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.passes.loops.schedule.constant_memory import constant_memory
from relayish.passes.loops.schedule.contraction import (
    Contraction,
    buffer_of,
    contraction_of,
    forwarded,
    place_of,
)
from relayish.passes.loops.schedule.nests import nest, vectorised
from relayish.passes.loops.schedule.tiles import LANES, ROWS, Tiles, plan_tiles
from relayish.passes.loops.structure.writes import memory_of
from relayish.tir.builders.expr import select
from relayish.tir.functor import StmtMutator
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import LT, Expr, Min, const
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.type import Type
from relayish.tir.substitution import copy_with_fresh_variables


@register_pass("TileContractions", opt_level=0)
def tile_contractions(func: LoweredFunc, *, rows: int = ROWS, lanes: int = LANES) -> LoweredFunc:
    """Register tiling and packing: compute sums of products for a tile of elements at once.

    A tile is small enough for registers: some rows, of as many lanes as vectors have. The factor
    that tells lanes apart is copied, before, into memory in the order in which tiles read it, and
    each of its elements serves all rows; each of the other serves all lanes. What is stored of
    complete sums is stored tile by tile. Each sum is added in the order that it was, so results are
    the same, bit for bit.

    Args:
        func: A function whose nests :func:`~.contraction.contraction_of` recognises: without
            schedule blocks, and with indices that are simplified.
        rows: How many rows a tile has at most.
        lanes: How many lanes.

    Returns:
        ``func`` itself when nothing is tiled.

    Complexity:
        That of the dependences of each contraction.

    Source:
        Goto and van de Geijn, "Anatomy of high-performance matrix multiplication"; Halide and TVM
        ``tile``, ``cache_write`` and ``transform_layout``.
    """
    mutator = _Tile(func, rows, lanes)
    body = mutator.visit(func.body)
    if body is func.body:
        return func
    body = Block((*mutator.first, body)) if mutator.first else body
    held = [each for each in func.temp_bufs if each not in mutator.replaced]
    return func.with_fields(body=body, temp_bufs=(*held, *mutator.made))


class _Tile(StmtMutator):
    """Tiles nests, outermost loops first.

    Attributes:
        made: The temporaries that tiles need.
        replaced: Those that nobody needs any more.
        first: What is computed before all else, once.
    """

    def __init__(self, func: LoweredFunc, rows: int, lanes: int) -> None:
        super().__init__()
        self.made: list[Buffer] = []
        self.replaced: set[Buffer] = set()
        self.first: list[Stmt] = []
        self._written = {
            memory_of(each.tensor) for each in PROGRAM.pre_order(func) if isinstance(each, Store)
        }
        self._func = func
        self._rows, self._lanes = rows, lanes
        self._known = constant_memory(func)
        tensors = [each for each in PROGRAM.pre_order(func) if isinstance(each, (Tensor, Buffer))]
        self._names = NameSupply(taken={each.name for each in tensors})

    def visit_for(self, loop: For) -> Stmt:
        found = contraction_of(loop)
        plan = None if found is None else plan_tiles(found, self._rows, self._lanes, self._known)
        if found is None or plan is None:
            return loop.with_fields(body=self.visit(loop.body))
        own = {each for each in forwarded(found) if self._is_own(loop, each)}
        self.replaced |= own
        packing, tiles = _Writer(found, plan, self._memory, own).statements()
        if not self._stays(packing):
            return Block((packing, tiles))
        self.first.append(packing)
        return tiles

    def _stays(self, stmt: Stmt) -> bool:
        """Return whether a statement does the same at the beginning of the function."""
        nodes = [*PROGRAM.pre_order(stmt)]
        bound = {each.loop_var for each in nodes if isinstance(each, For)}
        used = {each for each in nodes if isinstance(each, Var)}
        read = {buffer_of(each) for each in nodes if isinstance(each, Load)}
        return used <= bound and not read & self._written

    def _is_own(self, loop: For, memory: Buffer) -> bool:
        """Return whether memory is the function's own, and used by nothing but a loop."""
        return memory in self._func.temp_bufs and self._is_only_in(loop, memory)

    def _is_only_in(self, loop: For, memory: Buffer) -> bool:
        """Return whether a loop, and nothing else, uses memory."""
        outside = PROGRAM.order_after(
            self._func.body, lambda node: () if node is loop else PROGRAM.children(node)
        )
        return not any(
            each is memory or (isinstance(each, Tensor) and each.buffer is memory)
            for each in outside
        )

    def _memory(self, hint: str, sizes: Sequence[int], dtype: Type, kind: MemoryType) -> Tensor:
        name = self._names.fresh_name(hint)
        shape = tuple([const(size) for size in sizes])
        buffer = Buffer(f"_{name}", shape, dtype, memory_type=kind)
        self.made.append(buffer)
        return Tensor(name, shape, dtype, buffer)


_Images = dict[Node, Node]


class _Writer:
    """Writes a contraction as tiles."""

    def __init__(
        self,
        found: Contraction,
        plan: Tiles,
        memory: Callable[[str, Sequence[int], Type, MemoryType], Tensor],
        own: Collection[Buffer],
    ) -> None:
        self._found = found
        self._plan = plan
        self._memory = memory
        self._own = own
        self._forwarded = forwarded(found)
        self._blocks = -(-plan.lane_count // plan.lanes)
        self._is_whole = plan.lane_count % plan.lanes == 0
        self._packed: Tensor | None = None

    def statements(self) -> tuple[Stmt, Stmt]:
        """Return what packs a factor, and the tiles."""
        return self._packing(), self._around()

    # What is packed

    def _packing(self) -> Stmt:
        plan = self._plan
        axes = [*plan.kept, None, *plan.depth]
        sizes = [self._blocks if axis is None else plan.extents[axis] for axis in axes]
        factor = plan.factor
        shape = [*sizes, plan.lanes]
        made = self._packed = self._memory("packed", shape, factor.type, MemoryType.HEAP)
        places = [Var("block" if axis is None else axis.name) for axis in axes]
        lane = Var("lane")
        block = places[len(plan.kept)]
        images: _Images = {
            axis: place for axis, place in zip(axes, places, strict=True) if axis is not None
        }
        images[plan.lane] = self._element(block, lane)
        value = copy_with_fresh_variables(factor, images)
        if not self._is_whole:
            last = const(plan.lane_count - 1)
            images[plan.lane] = Min(self._element(block, lane), last)
            value = select(
                LT(self._element(block, lane), const(plan.lane_count)),
                copy_with_fresh_variables(factor, images),
                const(0, factor.type),
            )
        store: Stmt = Store(made, value, (*places, lane))
        return nest([*zip(places, sizes, strict=True), (lane, plan.lanes)], store)

    def _element(self, block: Expr, lane: Expr) -> Expr:
        return block * self._plan.lanes + lane

    # Tiles

    def _around(self) -> Stmt:
        """Return loops around blocks of lanes, these, and around blocks of rows."""
        plan = self._plan
        around: dict[Node, Var] = {axis: Var(axis.name) for axis in plan.outer}
        first = [axis for axis in plan.outer if axis in plan.kept]
        others = [axis for axis in plan.outer if axis not in plan.kept]
        block: Expr = const(0) if self._blocks == 1 else Var("block")
        body = self._rows([*plan.rows], block, {**around}, [])
        blocks = [(block, self._blocks)] if isinstance(block, Var) else []
        counts = {axis: (around[axis], plan.extents[axis]) for axis in plan.outer}
        loops = [*[counts[axis] for axis in first], *blocks, *[counts[axis] for axis in others]]
        return nest(loops, body)

    def _rows(
        self, left: list[tuple[Var, int]], block: Expr, images: _Images, sizes: list[int]
    ) -> Stmt:
        """Return loops over blocks of rows, and what is left of rows behind them."""
        if not left:
            return self._tile(block, images, sizes)
        (axis, size), *others = left
        extent = self._plan.extents[axis]
        parts: list[Stmt] = []
        outer = Var(axis.name)
        base: Expr = const(0) if extent == size else outer * size
        whole = self._rows(others, block, {**images, axis: base}, [*sizes, size])
        parts.append(whole if extent == size else nest([(outer, extent // size)], whole))
        if extent % size:
            start = const(extent - extent % size)
            rest = [*sizes, extent % size]
            parts.append(self._rows(others, block, {**images, axis: start}, rest))
        return parts[0] if len(parts) == 1 else Block(tuple(parts))

    def _tile(self, block: Expr, images: _Images, sizes: list[int]) -> Stmt:
        found, plan = self._found, self._plan
        start, step = found.start, found.step
        shape = [*[size for size in sizes if size > 1], plan.lanes]
        made = self._memory("tile", shape, step.value.type, MemoryType.STACK)

        def over_tile(write: Callable[[_Images, Load, Expr], Stmt], outside: _Images) -> Stmt:
            lane = Var("lane")
            here: _Images = {**outside, plan.lane: self._element(block, lane)}
            inner: list[tuple[Var, int]] = []
            for (axis, _), size in zip(plan.rows, sizes, strict=True):
                if size > 1:
                    row = Var("row")
                    inner.append((row, size))
                    here[axis] = here[axis] + row  # type: ignore[operator]
            place = (*[row for row, _ in inner], lane)
            body = write(here, Load(made, place), lane)
            if write is end:  # what is complete may go to places far apart
                return nest([*inner, (lane, plan.lanes)], body)
            return nest(inner, vectorised(lane, plan.lanes, body))

        def begin(here: _Images, element: Load, _: Expr) -> Stmt:
            return Store(made, copy_with_fresh_variables(start.value, here), element.indices)

        def add(here: _Images, element: Load, lane: Expr) -> Stmt:
            total = step.value
            held = next(each for each in (total.a, total.b) if isinstance(each, Load))
            here[held] = element
            assert self._packed is not None
            here[plan.factor] = Load(self._packed, (*plan.kept, block, *plan.depth, lane))
            return Store(made, copy_with_fresh_variables(total, here), element.indices)

        def end(here: _Images, element: Load, lane: Expr) -> Stmt:
            known: dict[object, Expr] = {place_of(step): element}
            stores: list[Stmt] = []
            for each in (step, *found.rest):
                value: Expr = element
                if each is not step:
                    loads = [x for x in PROGRAM.pre_order(each.value) if isinstance(x, Load)]
                    there = {x: known[place] for x in loads if (place := place_of(x)) in known}
                    value = copy_with_fresh_variables(each.value, {**here, **there})
                    if buffer_of(each) in self._forwarded:
                        known[place_of(each)] = value
                if buffer_of(each) not in self._own:
                    places = [copy_with_fresh_variables(at, here) for at in each.indices]
                    stores.append(Store(each.tensor, value, tuple(places)))
            body: Stmt = Block(tuple(stores))
            if self._is_whole:
                return body
            inside = LT(self._element(block, lane), const(plan.lane_count))
            return IfThenElse(inside, body)

        depth = [(Var(each.loop_var.name), each) for each in found.sums]
        added = over_tile(add, {**images, **{each.loop_var: var for var, each in depth}})
        counts = [(var, plan.extents[each.loop_var]) for var, each in depth]
        parts = (over_tile(begin, images), nest(counts, added), over_tile(end, images))
        return Block(parts)
