"""Accesses of memory that a nest stores to: which elements, as multiples of the loop variables.

An index that is linear is computed at one point of the nest and at the next one along each loop,
which tells its coefficients whatever they are made of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, takewhile
from typing import NamedTuple

import numpy as np

from relayish.ir.nodes.node import Node
from relayish.tir.interpreter.lanes.formula import Former, Formula, GiveUpError, Values, View
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr, integer_range
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var


class Bound(NamedTuple):
    """A variable that stands for an expression in the variables outside."""

    var: Var
    value: Formula


class Linear(NamedTuple):
    """A linear expression, whose value must be one of its type; an index, or what is in one."""

    value: Formula
    limits: tuple[int, int]
    is_index: bool


class Access:
    """A load or store of memory that the nest stores to."""

    __slots__ = ("bounds", "buffer", "indices", "is_store", "loops", "tensor")

    def __init__(
        self,
        node: Load | Store,
        loops: Sequence[For],
        bounds: Sequence[Bound],
        indices: Sequence[Linear] | None,
    ) -> None:
        assert isinstance(node.tensor, Tensor)
        assert isinstance(node.tensor.buffer, Buffer)
        self.tensor = node.tensor
        self.buffer = node.tensor.buffer
        self.is_store = isinstance(node, Store)
        self.loops = tuple(loops)
        self.bounds = tuple(bounds)
        self.indices = indices


class Place(NamedTuple):
    """A position, of an index or in memory: ``base``, and what an iteration of each loop adds."""

    base: int
    steps: dict[For, int]


class Reach(NamedTuple):
    """Which elements an access is of: where they are in memory, and each of their indices."""

    base: int
    steps: dict[For, int]
    access: Access
    view: View
    indices: Sequence[Place]


def linear_expressions(
    former: Former, index: Expr, varying: dict[Var, bool]
) -> list[Linear] | None:
    """Return an index, and what must not wrap around in it, if it is linear.

    Args:
        former: Makes formulas.
        index: The index.
        varying: The variables of the nest, and whether they are linear in those of its loops.
    """
    found: dict[Node, int] = {}
    checked: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(index, False)]
    while stack:
        node, is_ready = stack.pop()
        if node in found:
            continue
        below = [node.v] if isinstance(node, ops.Cast) else _operands(node)
        if below and not is_ready:
            stack.append((node, True))
            stack += [(operand, False) for operand in below]
            continue
        degree = _degree(node, [found[operand] for operand in below], varying)
        if degree > 1:
            return None
        if isinstance(node, ops.Cast) and degree:
            checked.append(node.v)
        found[node] = degree
    wanted = [index, *checked]
    return [Linear(former.form(expr), integer_range(expr.type), expr is index) for expr in wanted]


def _operands(node: Expr) -> Sequence[Expr]:
    if isinstance(node, ops.BinaryOpNode):
        return [node.a, node.b]
    if isinstance(node, ops.NaryOpNode):
        return node.operands
    return [node.v] if isinstance(node, ops.Minus) else []


def _degree(node: Expr, below: Sequence[int], varying: dict[Var, bool]) -> int:
    """Return 0 for what is the same in all iterations, 1 for what is linear, 2 for all else."""
    if isinstance(node, Var):
        return (1 if varying[node] else 2) if node in varying else 0
    if not below:
        return 0 if isinstance(node, (ops.IntImm, ops.UIntImm)) else 2
    if isinstance(node, (ops.Add, ops.Sub, ops.Minus, ops.Sum)):
        return max(below)
    if isinstance(node, (ops.Mul, ops.Product)):
        return sum(below)
    if isinstance(node, ops.Cast):
        whole = node.v.type.is_integer and node.dtype.is_integer
        bools = node.v.type.is_bool or node.dtype.is_bool
        return below[0] if whole and not bools else 2 * below[0]
    return 2 * max(below)


def reach_of(access: Access, values: Values, loops: dict[For, tuple[int, int]]) -> Reach:
    """Return which elements an access is of, whose indices are linear.

    Args:
        access: The access.
        values: What is known outside of the nest, and the views in it.
        loops: The first value and the number of iterations of each loop.

    Raises:
        GiveUpError: If an index may leave its type.
    """
    assert access.indices is not None
    around = access.loops
    at = dict(values)
    for number, loop in enumerate(around, 1):
        dtype = loop.loop_var.dtype.numpy
        probe = np.full(len(around) + 1, loops[loop][0], dtype)
        probe[number] += dtype.type(loops[loop][1] > 1)
        at[loop.loop_var] = probe
    for bound in access.bounds:
        at[bound.var] = bound.value(at)
    view: View = values[access.tensor]
    indices: list[Place] = []
    for linear in access.indices:
        points = np.broadcast_to(linear.value(at), len(around) + 1).tolist()
        _require_range(points, [loops[loop][1] for loop in around], linear.limits)
        if not linear.is_index:
            continue
        added = [point - points[0] for point in points[1:]]
        indices.append(Place(points[0], dict(zip(around, added, strict=True))))
    base, steps = view.offset, dict.fromkeys(around, 0)
    for index, stride in zip(indices, view.strides, strict=True):
        base += index.base * stride
        for loop, step in index.steps.items():
            steps[loop] += step * stride
    return Reach(base, steps, access, view, indices)


def _require_range(points: Sequence[int], extents: Sequence[int], limits: tuple[int, int]) -> None:
    low = high = points[0]
    for point, extent in zip(points[1:], extents, strict=True):
        change = (point - points[0]) * (extent - 1)
        low, high = low + min(change, 0), high + max(change, 0)
    if low < limits[0] or high > limits[1]:
        raise GiveUpError


def extremes(reach: Reach, extents: dict[For, int]) -> tuple[int, int]:
    """Return the first and the last element that an access is of."""
    low = high = reach.base
    for loop, step in reach.steps.items():
        change = step * (extents[loop] - 1)
        low, high = low + min(change, 0), high + max(change, 0)
    return low, high


def untie(a: Reach, b: Reach, parallel: set[For], extents: dict[For, int]) -> set[For]:
    """Return loops of those that are ``parallel`` without which two accesses tie none together.

    That is one after the other, the closest iterations first, or neighbours in the nest: by
    whichever the more iterations are left.
    """
    best = set[For]()
    while (loop := conflict(a, b, parallel - best, extents)) is not None:
        best.add(loop)
    if not best:
        return best
    common = [loop for loop in a.access.loops if loop in b.steps and loop in parallel]

    def left(serial: set[For]) -> int:
        return math.prod([extents[loop] for loop in common if loop not in serial])

    for first, last in combinations(range(len(common) + 1), 2):
        neighbours = set(common[first:last])
        if left(neighbours) > left(best) and conflict(a, b, parallel - neighbours, extents) is None:
            best = neighbours
    return best


def conflict(a: Reach, b: Reach, parallel: set[For], extents: dict[For, int]) -> For | None:
    """Return a loop whose iterations two accesses may tie together, ``None`` if there is none.

    Iterations of the ``parallel`` loops are apart if, whatever the other loops add, no two of them
    are of one element: the steps, sorted, each exceed all that the smaller ones add up to. Or if
    the accesses touch no element in common, in one iteration of the loops around those.
    """
    common = [loop for loop in a.access.loops if loop in b.steps]
    lanes = [loop for loop in common if loop in parallel and extents[loop] > 1]
    found = _conflict(a, b, lanes, _outside(lanes, common), extents)
    if found is None:
        return None
    places: list[tuple[Reach | Place, Reach | Place]] = [(a, b)]
    if a.view.has_layout_of(b.view):
        places += zip(a.indices, b.indices, strict=True)
    pinned = _pinned(places, common, extents)
    lanes = [loop for loop in lanes if loop not in pinned]
    same = pinned | _outside(lanes, common)
    if any(_never_meet(one, other, same, extents) for one, other in places):
        return None
    return _conflict(a, b, lanes, same, extents)


def _conflict(
    a: Reach, b: Reach, lanes: Sequence[For], same: set[For], extents: dict[For, int]
) -> For | None:
    low, high, _ = _differences(a, b, same, extents, without=lanes)
    reached = max(abs(low), abs(high))
    for loop in sorted(lanes, key=lambda loop: abs(a.steps[loop])):
        step = abs(a.steps[loop])
        if a.steps[loop] != b.steps[loop] or step <= reached:
            return loop
        reached += step * (extents[loop] - 1)
    return None


def _outside(lanes: Sequence[For], common: Sequence[For]) -> set[For]:
    """Return the loops around all ``lanes``, which go on one iteration after the other."""
    return set(takewhile(lambda loop: loop not in lanes, common))


def _pinned(
    places: Sequence[tuple[Reach | Place, Reach | Place]],
    common: Sequence[For],
    extents: dict[For, int],
) -> set[For]:
    """Return the loops that two accesses are in one iteration of, where they are of one element.

    An index that changes with that loop, and is otherwise the same, says so.
    """
    found = set[For]()
    for a, b in places:
        moving = {
            loop
            for each in (a, b)
            for loop, step in each.steps.items()
            if step and extents[loop] > 1
        }
        if a.base == b.base and len(moving) == 1:
            [loop] = moving
            if loop in common and a.steps[loop] == b.steps[loop]:
                found.add(loop)
    return found


def _never_meet(
    a: Reach | Place, b: Reach | Place, same: set[For], extents: dict[For, int]
) -> bool:
    """Return whether limits or divisors keep positions apart in each iteration of ``same``."""
    low, high, divisor = _differences(a, b, same, extents)
    apart = a.base - b.base
    return not low <= 0 <= high or (apart % divisor if divisor else apart) != 0


def _differences(
    a: Reach | Place,
    b: Reach | Place,
    same: set[For],
    extents: dict[For, int],
    *,
    without: Sequence[For] = (),
) -> tuple[int, int, int]:
    """Return the least and the greatest difference of positions, and what divides all changes.

    Args:
        a: A position.
        b: Another one.
        same: The loops of which both are in one iteration.
        extents: How many iterations loops have.
        without: The loops that are left out.
    """
    changes = [a.steps[loop] - b.steps[loop] for loop in same]
    counts = [extents[loop] for loop in same]
    for place, sign in ((a, 1), (b, -1)):
        for loop, step in place.steps.items():
            if loop not in same and loop not in without:
                changes.append(sign * step)
                counts.append(extents[loop])
    low = high = a.base - b.base
    divisor = 0
    for change, count in zip(changes, counts, strict=True):
        if count > 1:
            low += min(change * (count - 1), 0)
            high += max(change * (count - 1), 0)
            divisor = math.gcd(divisor, change)
    return low, high, divisor
