"""Text of core with what analyses found in comments."""

from __future__ import annotations

import relayish as relay
from relayish import core
from relayish.dataflow import analyse, annotated_text
from tests.support.core_programs import random_core_program
from tests.support.each import each
from tests.support.seeds import seeds


def test_states_stand_around_statements():
    scope = core.GlobalScope()
    with scope.function("f", {"x": "int32", "y": "int32"}, "int32") as f:
        f.store(f.x, f.y)
        with f.if_(f.x > 0):
            f.store(f.x, 1)
        f.retv(f.x)
    assert annotated_text(analyse(scope.module()["f"], "liveness")).splitlines() == [
        "core_func (%x: int32, %y: int32) -> int32 {",
        "  // before: {%y}",
        "  st(%x, ld(%y))",
        "  // after: {%x}",
        "  if(gt(ld(%x), 0)) {",
        "    // before: {}",
        "    st(%x, 1)",
        "    // after: {%x}",
        "  }",
        "  // after: {%x}",
        "  retv(ld(%x))",
        "  // after: {}",
        "}",
    ]


@each("seed", seeds(5))
def test_annotated_modules_are_read_back(seed):
    mod = random_core_program(seed)
    relay.assert_structural_equal(relay.parse(annotated_text(analyse(mod, "liveness"))), mod)
