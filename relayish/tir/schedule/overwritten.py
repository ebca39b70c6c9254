"""Stores that are overwritten before anything reads them, so that it does not matter when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.accesses import Access, Around, Binding, arounds
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.ir.expr import Call
from relayish.tir.ir.operators import integer_of
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Load, Var
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.questions import Execution, Found, Question
from relayish.tir.verifier.dependences import AT_ONCE


class Readers(NamedTuple):
    """What may read a location.

    Attributes:
        inside: Accesses of the program that is asked about.
        later: Those that are made after all of it.
        is_left: Whether something else may read what is there in the end.
    """

    inside: Sequence[Access]
    later: Sequence[Access]
    is_left: bool


Demand: TypeAlias = Callable[[Question, Execution], None]
"""Demands something of an execution of a store."""


def is_unread(ask: Callable[[Demand], Found | None], store: Access, readers: Readers) -> bool:
    """Return whether nothing reads what some executions of a store leave.

    Args:
        ask: Returns executions of it for which what is given to it demands something more.
        store: The store.
        readers: What may read what it leaves.
    """
    last = _last_iterations(store)

    def demand_last(question: Question, stored: Execution) -> None:
        for around, iteration in last.items():
            question.demand_equal(stored.instance.coordinates[around], Affine(iteration, {}))

    def demand_read(reader: Access, *, is_later: bool) -> Demand:
        def demand(question: Question, stored: Execution) -> None:
            demand_last(question, stored)
            loaded = question.execute(reader)
            question.demand_same_element(stored, loaded)
            if not is_later:
                question.demand_before(stored, loaded)

        return demand

    def demand_between(reader: Access) -> Demand:
        def demand(question: Question, stored: Execution) -> None:
            loaded, again = question.execute(reader), question.execute(store)
            question.demand_same_element(stored, loaded)
            question.demand_before(stored, loaded)
            question.demand_before(loaded, again)
            for around in arounds(store.place):
                if around not in last:
                    rows = [each.instance.coordinates[around] for each in (stored, again)]
                    question.demand_equal(*rows)
            demand_last(question, again)

        return demand

    demands: list[Demand] = [demand_last] if readers.is_left else []
    demands += [demand_read(each, is_later=True) for each in readers.later]
    demands += [demand_read(each, is_later=False) for each in readers.inside]
    demands += [demand_between(each) for each in readers.inside if last]
    return all(ask(each) is None for each in demands)


def _last_iterations(store: Access) -> Mapping[Around, int]:
    """Return loops in each iteration of which a store is to the same element, with the last one.

    None unless all loops around run as often as numbers tell, one iteration after the other.
    """
    found: dict[Around, int] = {}
    told = _loops_that_tell(store)
    for around in arounds(store.place):
        loop = around.loop
        if told is None or not isinstance(loop, For) or loop.for_type & AT_ONCE:
            return {}
        low, extent = integer_of(loop.min), integer_of(loop.extent)
        if low is None or extent is None:
            return {}
        if around not in told:
            found[around] = low + extent - 1
    return found


def _loops_that_tell(access: Access) -> set[Around] | None:
    """Return the loops that tell which element is accessed; ``None`` where something else does."""
    found: set[Around] = set()
    if access.indices is None:
        return None
    places = [Binding(tidy(each), access.place) for each in access.indices]
    while places:
        expr, place = places.pop()
        for node in PROGRAM.pre_order(expr):
            if isinstance(node, (Load, Call)):
                return None
            if not isinstance(node, Var):
                continue
            value = place.values.get(node)
            if isinstance(value, Around):
                found.add(value)
            elif value is not None:
                places.append(value)
    return found
