"""Order of accesses before and after blocks are moved, decided by systems of integers.

What is executed is told apart by the values of variables: those of schedule blocks, and of loops
that both programs have. A move is refused where two accesses of one element, of which one writes,
are made in one order before and may be made in the other one after.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from relayish.errors import ScheduleError
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.dependence.accesses import (
    Access,
    Accesses,
    Location,
    collect_accesses,
)
from relayish.tir.analysis.dependence.finder import common_loops
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.schedule.conflicts import in_order
from relayish.tir.schedule.overwritten import Readers, is_unread
from relayish.tir.schedule.questions import Execution, Found, Question
from relayish.tir.schedule.reduction_steps import free_steps

Same: TypeAlias = tuple[tuple[Expr, Expr], ...]
"""Expressions that are equal: the one where an access was made, the other where it will be."""


class Move(NamedTuple):
    """An access, where it is made instead, and what tells which execution becomes which.

    Attributes:
        access: As it was.
        image: As it will be; the same where nothing of it changes.
        same: What is equal for both.
        block: The name of the innermost block around it.
        variables: Those of that block.
    """

    access: Access
    image: Access
    same: Same = ()
    block: str = ""
    variables: tuple[Node, ...] = ()

    @classmethod
    def unmoved(cls, access: Access) -> Move:
        """Return that of an access that stays where it is."""
        return cls(access, access)


def check_moves(
    moved: Sequence[Move],
    others: Sequence[Move],
    context: Context,
    what: str,
    *,
    within: int = 0,
    steps: Mapping[Node, Store] | None = None,
    readers: Callable[[Location | None], Readers] | None = None,
) -> None:
    """Raise if two accesses of one element would be made in another order.

    Args:
        moved: What is moved; each is compared with each, and with itself.
        others: What it is compared with besides.
        context: What is known outside.
        what: The primitive.
        within: How many of the outer loops the images of two that are both moved have in common, to
            be compared: others are known not to matter.
        steps: Those of reductions that may be made in any order, as ``free_steps`` tells them.
        readers: Tells what may read a location: of stores, it matters which one that is read from.

    Raises:
        ScheduleError: Naming the accesses, an iteration of each, and what would make it legal.

    Complexity:
        Quadratic in the accesses of a location that is accessed by what is moved, times what it
        takes to decide one pair.
    """
    known = steps or {}
    moved, others = _one_for_each_element(moved, known), _one_for_each_element(others, {})
    for at, one in enumerate(moved):
        pairs = [(other, within, known) for other in moved[at:]]
        pairs += [(other, 0, {}) for other in others]
        for other, loops, free in pairs:
            for source, sink in _orders(one, other, free):
                ask = functools.partial(_reversed, source, sink, context, loops)
                found = ask()
                if found is not None and not (
                    readers is not None
                    and not (source.access.reads or sink.access.reads)
                    and is_unread(ask, sink.access, readers(sink.access.location))
                ):
                    raise ScheduleError(_refusal(source.access, sink.access, found, what))


def _one_for_each_element(moves: Sequence[Move], steps: Mapping[Node, Store]) -> list[Move]:
    """Return one of the accesses of a block to the same element, which does what all of them do.

    Others come before and after the same accesses of other executions.
    """
    found: dict[Hashable, Move] = {}
    for move in moves:
        access = move.access
        key = (move.variables, access.place.around, access.location, access.tensor, access.indices)
        whole = (*key, steps.get(access.node)) if move.variables else (access, move.image)
        known = found.get(whole, move)
        reads, writes = access.reads or known.access.reads, access.writes or known.access.writes
        chosen = move if access.writes else known
        if (reads, writes) != (chosen.access.reads, chosen.access.writes):
            chosen = chosen._replace(access=replace(chosen.access, reads=reads, writes=writes))
        found[whole] = chosen
    return list(found.values())


def _orders(one: Move, other: Move, steps: Mapping[Node, Store]) -> list[tuple[Move, Move]]:
    """Return the orders in which two accesses of one location must not change places."""
    a, b = one.access, other.access
    if not (a.writes or b.writes):
        return []
    if a.location is not None and b.location is not None and a.location != b.location:
        return []
    step = steps.get(a.node)
    if step is not None and step is steps.get(b.node):
        return []
    return [(one, other)] if one is other else [(one, other), (other, one)]


def _reversed(
    source: Move,
    sink: Move,
    context: Context,
    within: int,
    demand: Callable[[Question, Execution], None] = lambda *_: None,
) -> Found | None:
    """Return executions of accesses that are made in one order, and then in the other.

    And for which ``demand`` demands more, of that of the sink.
    """
    if not (
        _may_come_before(source.access, sink.access) and _may_come_before(sink.image, source.image)
    ):
        return None
    question = Question(context)
    first, second = question.execute(source.access), question.execute(sink.access)
    question.demand_same_element(first, second)
    question.demand_before(first, second)
    images: list[Execution] = []
    for move, own in ((source, first), (sink, second)):
        image = own if move.image is move.access else question.execute(move.image)
        for one, other in move.same:
            question.demand_equal(own.value(one), image.value(other))
        images.append(image)
    outer = [each.loops[:within] for each in images]
    for (_, one_iteration), (_, other_iteration) in zip(*outer, strict=True):
        question.demand_equal(one_iteration, other_iteration)
    question.demand_before(images[1], images[0])
    demand(question, second)
    return question.answer(first, second)


def _may_come_before(one: Access, other: Access) -> bool:
    """Return whether a loop around both, or where they stand, lets an access be made earlier."""
    return one.position < other.position or bool(common_loops(one, other))


def _refusal(source: Access, sink: Access, found: Found, what: str) -> str:
    return (
        f"{what} would change what is computed: {in_order(source, sink, found)}, and would come "
        f"before it; expected a place that keeps their order, or that both are moved"
    )


class Programs:
    """The accesses of a program, and of another in which some of its blocks stand elsewhere.

    Args:
        before: The program.
        after: The other one. What is evaluated in blocks are the same nodes in both.
    """

    def __init__(self, before: Stmt, after: Stmt) -> None:
        self.before, self.after = collect_accesses(before), collect_accesses(after)
        self.steps = free_steps(before)

    def moves(self, loops: Mapping[Var, Var]) -> Iterator[Move]:
        """Yield the accesses of the program before that the other has as well.

        Args:
            loops: The variables of loops that are left, with those of the loops instead.
        """
        images = dict(_keyed(self.after))
        for key, access in _keyed(self.before):
            image = images.get(key)
            if image is not None:
                known = image.place.values
                pairs = [(var, loops.get(var, var)) for var in access.place.values]
                same = tuple([(var, other) for var, other in pairs if other in known])
                yield Move(access, image, same, key[0], key[1])


def _keyed(accesses: Accesses) -> Iterator[tuple[_Key, Access]]:
    """Yield accesses by the innermost block around each, and their number among the same in it."""
    owners: list[tuple[str, tuple[Node, ...]]] = [("", ())] * len(accesses.all)
    for block, start, stop in accesses.blocks:  # inner ones last
        owners[start:stop] = [(block.name, block.iter_vars)] * (stop - start)
    counts: Counter[_Key] = Counter()
    for access, (name, variables) in zip(accesses.all, owners, strict=True):
        counts[name, variables, access.node, 0] += 1
        yield (name, variables, access.node, counts[name, variables, access.node, 0]), access


_Key: TypeAlias = tuple[str, tuple[Node, ...], Node, int]
