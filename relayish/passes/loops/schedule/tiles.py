"""Sizes of register tiles: which axis of a contraction becomes lanes, which become rows."""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Final, NamedTuple

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.loops.schedule.contraction import Contraction, variables
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Load, Store, Tensor, Var

ROWS: Final = 8
"""How many rows a tile has at most: with one register each, some are left for the factors."""

LANES: Final = 16
"""How many elements a row has: one or two vectors of most machines."""

FEWEST_USES: Final = 4
"""How often an element is used at least that is worth copying."""


_COPY: Final = 2
"""How many products could be added while an element is copied; if it lies apart, twice as many."""

FEWEST: Final = 8
"""How many lanes are worth while."""


class Tiles(NamedTuple):
    """How a contraction is cut into tiles.

    Attributes:
        extents: How often each loop runs, by its variable.
        lane: The variable whose values are lanes.
        lanes: How many there are in a tile.
        factor: The one that tells lanes apart.
        kept: The variables of loops around tiles that it depends on.
        depth: Those of the loops over products.
        rows: The variables whose values are rows, and how many of each there are in a tile.
        outer: The variables of all other loops.
    """

    extents: dict[Var, int]
    lane: Var
    lanes: int
    factor: Expr
    kept: tuple[Var, ...]
    depth: tuple[Var, ...]
    rows: tuple[tuple[Var, int], ...]
    outer: tuple[Var, ...]

    @property
    def lane_count(self) -> int:
        """How many values the variable of lanes has."""
        return self.extents[self.lane]


def plan_tiles(
    found: Contraction,
    rows: int = ROWS,
    lanes: int = LANES,
    known: Collection[Node] = (),
) -> Tiles | None:
    """Return how a contraction is cut into tiles; ``None`` where that does not pay.

    Lanes are the values of a variable on which one factor depends; rows those of the variables on
    which only the other does. Of several, the one is taken that costs least: by how many lanes are
    empty, how far apart the lanes are stored, and what is copied.

    Args:
        found: The contraction.
        rows: How many rows a tile has at most.
        lanes: How many lanes, at most where there are several rows.
        known: Memory that always holds the same, so that copying it costs nothing.
    """
    plans = [
        _plan(found, at, lane.loop_var, rows, lanes, known) for at in (0, 1) for lane in found.loops
    ]
    fitting = [each for each in plans if each is not None]
    return min(fitting, key=lambda each: each[0])[1] if fitting else None


def _plan(
    found: Contraction, at: int, lane: Var, rows: int, lanes: int, known: Collection[Node]
) -> tuple[tuple[float, ...], Tiles] | None:
    """Return tiles whose lanes are the values of a variable of one factor, and what they cost."""
    factor, other = found.factors[at], variables(found.factors[1 - at])
    extents = {each.loop_var: constant(each.extent) or 0 for each in (*found.loops, *found.sums)}
    mine = variables(factor)
    if lane not in mine or lane in other:
        return None
    loops = [each.loop_var for each in found.loops]
    uses = prod([extents[each] for each in loops if each not in mine])
    free = [each for each in loops if each in other and each not in mine]
    chosen = _rows([(each, extents[each]) for each in free], rows)
    tall = prod([size for _, size in chosen])
    width = _lanes(extents[lane], lanes * max(1, rows // 2 // tall))
    is_known = _is_known(factor, known)
    if width is None or (uses < FEWEST_USES and not is_known):
        return None
    taken = [lane, *[each for each, _ in chosen]]
    kept = tuple([each for each in loops if each in mine and each is not lane])
    depth = tuple([each.loop_var for each in found.sums if each.loop_var in mine])
    size = prod([extents[each] for each in (*kept, *depth, lane)])
    made = Tiles(
        extents,
        lane,
        width,
        factor,
        kept,
        depth,
        chosen,
        tuple([each for each in loops if each not in taken]),
    )
    busy = extents[lane] / (-(-extents[lane] // width) * width)
    busy = busy * min(1.0, tall * width / (rows // 2 * lanes))
    depth_count = prod([extents[each.loop_var] for each in found.sums])
    stored = 1 if runs_along(found.step, lane) else lanes
    loads = [each for each in PROGRAM.pre_order(factor) if isinstance(each, Load)]
    near = all(runs_along(each, lane) for each in loads)
    copied = 0 if is_known else depth_count * lanes * (_COPY if near else 2 * _COPY) / uses
    return (round(depth_count / busy + stored + copied, 1), size, -loops.index(lane)), made


def runs_along(access: Load | Store, var: Var) -> bool:
    """Return whether an access is to elements side by side where a variable goes on by one."""
    forms = [linear_form(index).terms for index in access.indices]
    told = [form for form in forms if form]
    return bool(told) and told[-1].get(var) == 1 and not any(var in form for form in told[:-1])


def _is_known(factor: Expr, known: Collection[Node]) -> bool:
    """Return whether a factor reads nothing but memory that always holds the same."""
    loads = [each for each in PROGRAM.pre_order(factor) if isinstance(each, Load)]
    return all(isinstance(each.tensor, Tensor) and each.tensor.buffer in known for each in loads)


def _lanes(count: int, most: int) -> int | None:
    """Return how many lanes are used for so many elements; ``None`` where there are too few."""
    fitting = [each for each in (most, most // 2, most // 4, most // 8) if FEWEST <= each <= count]
    if not fitting:
        return None
    return min(fitting, key=lambda each: -(-count // each) * (each + 1))


def _rows(axes: list[tuple[Var, int]], most: int) -> tuple[tuple[Var, int], ...]:
    """Return how many values of each variable a tile has, the last variable first."""
    chosen: list[tuple[Var, int]] = []
    left = most
    for at, (axis, extent) in enumerate(reversed(axes)):
        size = _height(extent, left) if at == 0 else _divisor(extent, left)
        if size > 1 or extent == 1:
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
