"""What type checkers make of recording and memoized functors; mypy reads it, nothing runs it."""

from __future__ import annotations

from typing import Any, assert_type

import relayish as relay
from relayish.dataflow import BeforeAfter, Memoized, RecordingFunctor, by_node
from relayish.functor import ExprFunctor


class Depth(ExprFunctor[int]):
    def visit_var(self, var: relay.Var, depth: int) -> int:
        return depth


@Memoized
class Height(ExprFunctor[int]):
    def visit_var(self, var: relay.Var, height: int) -> int:
        return height


x = relay.Var("x")
assert_type(Memoized(Depth()), Depth)
assert_type(Memoized(Depth)(), Depth)
assert_type(Height().visit(x, 0), int)

recording = RecordingFunctor(Depth, by_node, "override", {x: 0})
assert_type(recording, RecordingFunctor[int])
assert_type(RecordingFunctor(Depth()), RecordingFunctor[int])
assert_type(recording.visit(x, 0), int)
assert_type(recording.take(), dict[Any, int])
assert_type(recording.before_after(), dict[Any, BeforeAfter[Any]])
