"""Sums of products among blocks, and how they are cut into tiles of rows and lanes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import prod
from typing import Final, NamedTuple

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.ir.operators import Add, Expr, Mul, integer_of
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.reduction_steps import is_place

ROWS: Final = 8
"""How many rows a tile has at most: with one register each, some are left for the factors."""

LANES: Final = 32
"""How many elements a row has: two of the widest vectors, so that each other element serves two."""

FEWEST_USES: Final = 4
"""How often an element is used at least that is worth copying."""

FEWEST_LANES: Final = 8
"""How many lanes are worth while."""

_VECTOR: Final = 16
"""How many lanes the widest vectors have."""

_COPY: Final = 2
"""How many products could be added while an element is copied; if it lies apart, twice as many."""


class Product(NamedTuple):
    """A block that adds products.

    Attributes:
        block: The block.
        store: What it does.
        factors: What it multiplies.
        loops: By its variables that tell elements, the loops that these are of, as they stand.
        sums: The same of the variables that are summed over.
    """

    block: BlockRV
    store: Store
    factors: tuple[Expr, Expr]
    loops: dict[Var, LoopRV]
    sums: dict[Var, LoopRV]

    def extent(self, var: Var) -> int:
        """Return how many values a variable has; one if no loop is its."""
        loop = self.loops.get(var) or self.sums.get(var)
        return 1 if loop is None else integer_of(loop.stmt.extent) or 1


class Tiles(NamedTuple):
    """How a product is cut.

    Attributes:
        lane: The variable whose values are lanes.
        lanes: How many a tile has.
        number: The number of the factor that tells lanes apart.
        packed: What of it is copied so that lanes lie side by side, if that pays.
        rows: The variables whose values are rows, and how many of each there are in a tile.
    """

    lane: Var
    lanes: int
    number: int
    packed: Load | None
    rows: tuple[tuple[Var, int], ...]


def product_of(block: BlockRV, loops: Sequence[LoopRV]) -> Product | None:
    """Return what a block is as a product, if it is one.

    Args:
        block: Any block.
        loops: Those around it, the outermost first.
    """
    realize = block.stmt
    store = only(realize.schedule_block.body)
    if not isinstance(store, Store) or not isinstance(store.value, Add):
        return None
    product = store.value.b
    if not isinstance(product, Mul) or not is_place(store.value.a, store):
        return None
    around = {each.stmt.loop_var: each for each in loops}
    found: tuple[dict[Var, LoopRV], dict[Var, LoopRV]] = ({}, {})
    for var, value in zip(realize.schedule_block.iter_vars, realize.iter_values, strict=True):
        if integer_of(value) is not None:
            continue  # it has one value only
        loop = around.pop(value, None) if isinstance(value, Var) else None
        if loop is None or not _is_counted(loop.stmt):
            return None
        found[var.is_reduce_axis][var] = loop
    if not all(found) or any(_is_of(each, buffer_of(store)) for each in loads_of(product)):
        return None
    return Product(block, store, (product.a, product.b), *found)


def lane_choices(found: Product) -> list[Tiles]:
    """Return what may be lanes, one each, without rows.

    That are the variables that tell elements of one factor alone, if that has them side by side, or
    can be packed.
    """
    made = []
    for number, factor in enumerate(found.factors):
        apart = variables(factor) - variables(found.factors[1 - number])
        loads = loads_of(factor)
        for lane in [each for each in found.loops if each in apart]:
            packed = _packed(loads, lane)
            if packed is not None or all(runs_along(each, lane) for each in loads):
                made.append(Tiles(lane, 1, number, packed, ()))
    return made


def plan_tiles(found: Product, rows: int, lanes: int, known: Collection[Node]) -> Tiles | None:
    """Return how a product is cut into tiles; ``None`` where that does not pay.

    Lanes are values of a variable on which one factor depends; rows, if there are such, those of
    variables on which only the other does. Of several, the one is taken that costs least: by how
    many lanes are empty, how far apart the lanes are stored, and what is copied.

    Args:
        found: The product.
        rows: How many rows a tile has at most.
        lanes: How many lanes, at most where there are several rows.
        known: Memory that always holds the same, so that copying it costs nothing.
    """
    plans = [
        each
        for at in (0, 1)
        for lane in found.loops
        for each in _plans(found, at, lane, rows, lanes, known)
    ]
    return min(plans, key=lambda each: each[0])[1] if plans else None


def _plans(
    found: Product, at: int, lane: Var, rows: int, lanes: int, known: Collection[Node]
) -> Iterator[tuple[tuple[float, ...], Tiles]]:
    """Yield tiles whose lanes are the values of a variable of one factor, and what they cost."""
    factor, other = found.factors[at], variables(found.factors[1 - at])
    mine = variables(factor)
    if lane not in mine or lane in other:
        return
    uses = prod([found.extent(each) for each in found.loops if each not in mine])
    loads = loads_of(factor)
    is_free = all(buffer_of(each) in known for each in loads)
    near = all(runs_along(each, lane) for each in loads)
    packed = _packed(loads, lane) if is_free or uses >= FEWEST_USES else None
    free = [each for each in found.loops if each in other and each not in mine]
    if packed is None and not (near and free):
        return
    extent = found.extent(lane)
    height = _rows([(each, found.extent(each)) for each in free], rows)
    tall = prod([size for _, size in height])
    few = max(1, rows // 2)
    most = lanes * max(1, few // tall)
    width = _whole_lanes(extent, most) if packed is None else _lanes(extent, most)
    if width is None:
        return
    busy = extent / (-(-extent // width) * _vectors(width) * _VECTOR)
    busy = busy * min(1.0, tall * width / (few * lanes))
    depth = prod([found.extent(each) for each in found.sums])
    stored = 1 if runs_along(found.store, lane) else _VECTOR
    copied = 0 if is_free or not packed else depth * lanes * (_COPY if near else 2 * _COPY) / uses
    cost = round(depth / busy + stored + copied, 1)
    size = prod([found.extent(each) for each in mine])
    yield (cost, size, -list(found.loops).index(lane)), Tiles(lane, width, at, packed, height)


def _packed(loads: Sequence[Load], lane: Var) -> Load | None:
    """Return the only element of a factor, if a variable is one of its indices, and in no other."""
    if len(loads) != 1 or len(loads[0].indices) < 2:
        return None
    using = [each for each in loads[0].indices if lane in variables(each)]
    return loads[0] if using == [lane] else None


def runs_along(access: Load | Store, var: Var) -> bool:
    """Return whether an access is to elements side by side where a variable goes on by one."""
    forms = [linear_form(index).terms for index in access.indices]
    return bool(forms) and forms[-1].get(var) == 1 and not any(var in form for form in forms[:-1])


def _lanes(count: int, most: int) -> int | None:
    """Return how many lanes are used for so many elements; ``None`` where there are too few."""
    fitting = [most // part for part in (1, 2, 4, 8) if FEWEST_LANES <= most // part <= count]
    if not fitting:
        return None
    return min(fitting, key=lambda each: -(-count // each) * (each + FEWEST_LANES))


def _whole_lanes(count: int, most: int) -> int | None:
    """Return how many lanes leave none of so many elements over; ``None`` where they are few.

    Of these, no more than one vector is not full.
    """
    most = min(count, most)
    dividing = [each for each in range(FEWEST_LANES, most + 1) if count % each == 0]
    fitting = [each for each in dividing if _vectors(each) <= each // _VECTOR + 1]
    if not fitting:
        return None
    return min(fitting, key=lambda each: (count // each * _vectors(each), -each))


def _vectors(lanes: int) -> int:
    """Return how many vectors hold so many lanes, the last of which may be of fewer."""
    return lanes // _VECTOR + (lanes % _VECTOR).bit_count()


def _rows(axes: Sequence[tuple[Var, int]], most: int) -> tuple[tuple[Var, int], ...]:
    """Return how many values of each variable a tile has, the last variable first."""
    chosen: list[tuple[Var, int]] = []
    left = most
    for at, (axis, extent) in enumerate(reversed(axes)):
        size = _height(extent, left) if at == 0 else _divisor(extent, left)
        if size > 1:
            chosen.append((axis, size))
        left //= size
    return tuple(reversed(chosen))


def _height(count: int, most: int) -> int:
    """Return how many of so many rows a tile has; those that are left make a smaller one."""

    def cost(size: int) -> tuple[int, int]:
        full, rest = divmod(count, size)
        few = most // 2
        return full * max(size, few) + (max(rest, few) if rest else 0), bool(rest)

    return min(range(min(most, count), 0, -1), key=cost)


def _divisor(count: int, most: int) -> int:
    return max(each for each in range(1, max(most, 1) + 1) if count % each == 0)


def loads_of(expr: Expr) -> list[Load]:
    """Return the elements that an expression reads."""
    return [each for each in PROGRAM.pre_order(expr) if isinstance(each, Load)]


def variables(expr: Expr) -> set[Var]:
    """Return the variables that an expression reads."""
    return {each for each in PROGRAM.pre_order(expr) if isinstance(each, Var)}


def _is_counted(loop: For) -> bool:
    return integer_of(loop.min) == 0 and (integer_of(loop.extent) or 0) > 0


def buffer_of(access: Load | Store) -> Buffer | None:
    """Return the memory that an access to an element is to."""
    held = access.tensor.buffer if isinstance(access.tensor, Tensor) else None
    return held if isinstance(held, Buffer) else None


def _is_of(access: Load, buffer: Buffer | None) -> bool:
    return buffer_of(access) in (None, buffer)
