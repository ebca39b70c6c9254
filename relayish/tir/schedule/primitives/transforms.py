"""Copies of transforms: the primitive that gives a block the loops that another one has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.errors import ScheduleError
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.operators import Expr, integer_of
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Var
from relayish.tir.schedule.handles import BlockRV
from relayish.tir.schedule.primitives.kinds import bind, parallel, unroll, vectorize
from relayish.tir.schedule.primitives.loops import reorder, split
from relayish.tir.schedule.primitives.queries import block_name
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps


class TransformSteps(Steps):
    """Methods that do to a block what was done to another."""

    def copy_transform_and_loop_info(self, block: BlockRV, target_block: BlockRV) -> None:
        """Split and reorder the loops of a block as those of another are, and run them as these.

        That goes for the first variables, as far as both blocks have as many values for each; the
        loops of others stay, inside.

        Args:
            block: A block each of whose variables is that of a loop.
            target_block: The other one, whose loops make of each variable a number with digits.

        Raises:
            ScheduleError: If they have no first variable in common, or as :meth:`split`,
                :meth:`reorder`, :meth:`parallel` and others do.

        Source:
            CINN ``IRSchedule::CopyTransformAndLoopInfo``.
        """
        self.apply("copy_transform_and_loop_info", block, target_block)


@primitive("copy_transform_and_loop_info")
def copy_transform_and_loop_info(state: State, block: Ref, target_block: Ref) -> None:
    """Take steps that were taken for another block."""
    loops = {each.stmt: each for each in target_block.loops()}
    pairs = list(_common(block, target_block))
    if not pairs:
        raise ScheduleError(
            f"the first variable of block {block_name(block)} has other values than that of "
            f"{block_name(target_block)}, or is not told by loops of numbers of iterations; "
            f"expected blocks of which at least the first dimension is the same"
        )
    made: dict[Ref, Ref] = {}
    for own, digits in pairs:
        parts = [own]
        if len(digits) > 1:
            parts = split(state, own, [each.extent for each in digits])
        made.update({loops[each.loop]: part for each, part in zip(digits, parts, strict=True)})
    order = [made[ref] for ref in loops.values() if ref in made]
    if len(order) > 1:
        reorder(state, [*order, *[each for each in block.loops() if each not in order]])
    for ref in loops.values():
        if ref in made:
            _copy_kind(state, ref.stmt, made[ref])


class _Digit(NamedTuple):
    """A loop that counts a digit of a number.

    Attributes:
        loop: The loop.
        extent: How often it runs.
        weight: How much the number is greater in its next iteration.
    """

    loop: For
    extent: int
    weight: int


def _common(block: Ref, target: Ref) -> Sequence[tuple[Ref, list[_Digit]]]:
    """Return loops of a block, with those of another that make up the same number."""
    own, other = block.stmt, target.stmt
    assert isinstance(own, ScheduleBlockRealize)
    assert isinstance(other, ScheduleBlockRealize)
    mine = {each.stmt.loop_var: each for each in block.loops() if isinstance(each.stmt, For)}
    theirs = [each.stmt for each in target.loops() if isinstance(each.stmt, For)]
    found: list[tuple[Ref, list[_Digit]]] = []
    for value, wanted in zip(own.iter_values, other.iter_values, strict=False):
        ref = mine.get(value) if isinstance(value, Var) else None
        digits = _digits(wanted, theirs)
        if ref is None or digits is None or not isinstance(ref.stmt, For):
            break
        extent = integer_of(ref.stmt.extent)
        if extent is None or extent != _count(digits, target):
            break
        found.append((ref, digits))
    return found


def _digits(value: Expr, loops: Sequence[For]) -> list[_Digit] | None:
    """Return the loops that count the digits of a number, the first the highest."""
    form = linear_form(value)
    left = dict(form.terms)
    found: list[_Digit] = []
    for loop in loops:
        weight, extent = left.pop(loop.loop_var, 0), integer_of(loop.extent)
        if weight and (extent is None or extent < 1):
            return None
        if weight:
            found.append(_Digit(loop, extent or 0, weight))
    found.sort(key=lambda digit: -digit.weight)
    weight = 1
    for digit in reversed(found):
        if digit.weight != weight:
            return None
        weight *= digit.extent
    return found if found and not left else None


def _count(digits: Sequence[_Digit], target: Ref) -> int | None:
    """Return how many values the variable of a block has that digits make up."""
    stmt = target.stmt
    assert isinstance(stmt, ScheduleBlockRealize)
    first = digits[0].loop.loop_var
    for var, value in zip(stmt.schedule_block.iter_vars, stmt.iter_values, strict=True):
        if first in linear_form(value).terms and var.upper_bound is not None:
            low = 0 if var.lower_bound is None else integer_of(var.lower_bound)
            high = integer_of(var.upper_bound)
            return None if high is None or low is None else high - low
    return digits[0].weight * digits[0].extent


def _copy_kind(state: State, loop: object, own: Ref) -> None:
    """Run a loop as another one is run."""
    assert isinstance(loop, For)
    kind = loop.for_type
    if kind & ForType.PARALLEL:
        parallel(state, own)
    elif kind & ForType.VECTORIZED:
        vectorize(state, own, loop.vectorize_info.factor)
    elif kind & ForType.UNROLLED:
        unroll(state, own)
    elif loop.bind_info.is_valid:
        bind(state, own, str(loop.bind_info))
