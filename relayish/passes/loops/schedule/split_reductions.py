"""Reductions with several accumulators: lanes find the greatest of their own, then the greatest.

Before::

    for (r, 0, 1024)
    {
      M[0] = max(M[0], A[r])
    }

After::

    for (lane, 0, 16)
    {
      found[lane] = M[0]
    }
    for (r, 0, 64), for (lane, 0, 16)
    {
      found[lane] = max(found[lane], A[16 * r + lane])
    }
    for (lane, 0, 16)
    {
      M[0] = max(M[0], found[lane])
    }
"""

from __future__ import annotations

from typing import Final

from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.passes.loops.schedule.contraction import (
    buffer_of,
    is_fixed,
    only_stores,
    place_of,
    statements,
    variables,
)
from relayish.passes.loops.schedule.nests import nest, vectorised
from relayish.passes.loops.schedule.tiles import LANES, runs_along
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import NE, And, BinaryOpNode, Cast, Expr, Max, Min, Or, const
from relayish.tir.ir.stmt import Block, For
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.type import INT32
from relayish.tir.substitution import copy_with_fresh_variables

SHORTEST: Final = 4
"""How many steps each lane does at least."""

_IDEMPOTENT: Final = (Max, Min, Or, And)
"""Operators that give the same for two of the same, in any order: each lane begins with all."""


@register_pass("SplitReductions", opt_level=0)
def split_reductions(func: LoweredFunc, *, lanes: int = LANES, floats: bool = False) -> LoweredFunc:
    """Reductions with several accumulators: let lanes combine, and combine what they found.

    Split are loops that find the greatest or the least, or whether one or all elements are so,
    along memory. Of integers and truth values results are the same, bit for bit; of floats as well
    unless one is a NaN, or zeros have two signs: ``max`` of a NaN and a number is the second, and
    which comes second is another matter then.

    Args:
        func: A function.
        lanes: How many accumulators there are.
        floats: Whether reductions of floats are split.

    Returns:
        ``func`` itself when nothing is split.

    Complexity:
        Linear in the size of the function.

    Source:
        TVM ``rfactor``; Suriana, Adams and Kamil, "Parallel associative reductions in Halide".
    """
    mutator = _Split(func, lanes, floats=floats)
    body = mutator.visit(func.body)
    if body is func.body:
        return func
    return func.with_fields(body=body, temp_bufs=(*func.temp_bufs, *mutator.made))


class _Split(StmtMutator):
    """Splits loops.

    Attributes:
        made: The accumulators.
    """

    def __init__(self, func: LoweredFunc, lanes: int, *, floats: bool) -> None:
        super().__init__()
        self.made: list[Buffer] = []
        self._lanes = lanes
        self._floats = floats
        known = [each for each in PROGRAM.pre_order(func) if isinstance(each, (Tensor, Buffer))]
        self._names = NameSupply(taken={each.name for each in known})

    def visit_for(self, loop: For) -> Stmt:
        step = self._step(loop)
        return super().visit_for(loop) if step is None else self._split(loop, step)

    def _step(self, loop: For) -> Store | None:
        """Return what a loop does again and again, if it can be split."""
        stmts = statements(loop.body)
        count = constant(loop.extent) or 0
        if len(stmts) != 1 or not is_fixed(loop) or count < SHORTEST * self._lanes:
            return None
        step = stmts[0]
        if not isinstance(step, Store) or place_of(step) is None or not only_stores(step):
            return None
        value = step.value
        if not isinstance(value, _IDEMPOTENT) or (value.type.is_float and not self._floats):
            return None
        assert isinstance(value, BinaryOpNode)
        held, var = value.a, loop.loop_var
        if not isinstance(held, Load) or place_of(held) != place_of(step):
            return None
        if any(var in variables(index) for index in step.indices):
            return None
        return step if self._is_near(value.b, step, var) else None

    @staticmethod
    def _is_near(value: Expr, step: Store, var: Var) -> bool:
        """Return whether a value reads along memory, and nothing of what is stored."""
        loads = [each for each in PROGRAM.pre_order(value) if isinstance(each, Load)]
        moving = [each for each in loads if var in variables(each)]
        return (
            bool(moving)
            and all(isinstance(each.tensor, Tensor) for each in loads)
            and all(buffer_of(each) is not buffer_of(step) for each in loads)
            and all(runs_along(each, var) for each in moving)
        )

    def _split(self, loop: For, step: Store) -> Stmt:
        value = step.value
        assert isinstance(value, BinaryOpNode)
        held, lanes = value.a, self._lanes
        assert isinstance(held, Load)
        shape, ty = (const(lanes),), value.type
        held_type = INT32 if ty.is_bool else ty  # as wide as what is compared, mostly
        name = self._names.fresh_name("found")
        buffer = Buffer(f"_{name}", shape, held_type, memory_type=MemoryType.STACK)
        self.made.append(buffer)
        found = Tensor(name, shape, held_type, buffer)
        count = constant(loop.extent) or 0

        def at(place: Expr) -> Expr:
            return copy_with_fresh_variables(value.b, {loop.loop_var: place})

        def combine(element: Expr, other: Expr) -> Expr:
            if ty.is_bool:
                kind = Max if isinstance(value, Or) else Min
                return kind(element, Cast(INT32, other))
            return value.with_fields(a=element, b=other)

        first, lane, last = Var("lane"), Var("lane"), Var("lane")
        block, left = Var(loop.loop_var.name), Var(loop.loop_var.name)
        begin = nest(
            [(first, lanes)], Store(found, Cast(INT32, held) if ty.is_bool else held, (first,))
        )
        more = Store(found, combine(found[lane], at(block * lanes + lane)), (lane,))
        steps = nest([(block, count // lanes)], vectorised(lane, lanes, more))
        theirs = NE(found[last], const(0)) if ty.is_bool else found[last]
        combined = value.with_fields(a=held, b=theirs)
        parts = [begin, steps, nest([(last, lanes)], step.with_fields(value=combined))]
        if count % lanes:
            rest = step.with_fields(
                value=value.with_fields(a=held, b=at(left + (count - count % lanes)))
            )
            parts.append(nest([(left, count % lanes)], rest))
        return Block(tuple(parts))
