"""What a level of a natural recursion takes: frames of Python, and objects for the collector."""

from __future__ import annotations

import gc
import sys
from types import FrameType

import pytest

import relayish as relay
from relayish.functor.functor import Functor
from tests.support import deep

LEVELS = 30
"""Fewer than are nested before a visit goes on on a further stack."""


class Visiting(relay.ExprVisitor):
    def visit_tuple(self, tup):
        for field in tup.fields:
            self.visit(field)


class GoingOn(relay.ExprVisitor):
    def visit_tuple(self, tup):
        super().visit_tuple(tup)


class Mutating(relay.ExprMutator):
    def visit_tuple(self, tup):
        return tup.with_fields(fields=self.mutate_all(tup.fields))


class RebuildingByDefault(relay.ExprMutator):
    def visit_tuple(self, tup):
        return super().visit_tuple(tup)


class SeeingEveryVisit(relay.ExprVisitor):
    def visit(self, expr):
        super().visit(expr)


class MutatingEveryVisit(relay.ExprMutator):
    def visit(self, expr):
        return super().visit(expr)


def looking(functor: type[Functor], look: object) -> Functor:
    """Return a functor that calls ``look`` where a nest of tuples ends."""

    class Looking(functor):
        def visit_constant(self, const):
            look()
            return const

    return Looking()


def frames_a_level(functor: type[Functor]) -> float:
    def depth_of(levels: int) -> int:
        found = []

        def count() -> None:
            frame: FrameType | None = sys._getframe()
            while frame is not None:
                frame = frame.f_back
                found.append(frame)

        looking(functor, count).visit(deep.tuple_nest(levels))
        return len(found)

    depth_of(10)  # tables are filled
    return (depth_of(LEVELS) - depth_of(10)) // (LEVELS - 10)  # a step of levels may take one more


@pytest.mark.parametrize(
    ("functor", "frames"),
    [
        (Visiting, 2),
        (Mutating, 2),
        (GoingOn, 4),
        (RebuildingByDefault, 4),
        (SeeingEveryVisit, 3),
        (MutatingEveryVisit, 3),
    ],
)
def test_level_takes_no_more_frames_than_it_has_to(functor, frames):
    assert frames_a_level(functor) == frames


@pytest.mark.parametrize("functor", [Mutating, SeeingEveryVisit, GoingOn, RebuildingByDefault])
def test_level_keeps_no_object_that_the_collector_goes_through(functor):
    def kept(levels: int) -> int:
        counts = []
        looker = looking(functor, lambda: counts.append(gc.get_count()[0]))
        nest = deep.tuple_nest(levels)
        looker.visit(nest)  # tables are filled
        gc.disable()
        try:
            before = gc.get_count()[0]
            looker.visit(nest)
        finally:
            gc.enable()
        return counts[-1] - before

    gc.collect()
    assert kept(LEVELS) - kept(10) < (LEVELS - 10) / 2
