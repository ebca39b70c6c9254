"""What passes over loops do grows with the program, not faster."""

from __future__ import annotations

import pytest

from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support import tir_deep
from tests.support.loop_passes import LOOP_PASSES
from tests.support.work import calls_made

PROGRAMS = ("loop_nest", "allocation_nest", "wide_loops")


def is_linear(name, build, size):
    """Return whether a pass does no more than a bit over twice the work on twice the program."""
    run, calls = get_pass(name), []
    run(IRModule({"deep": build(2)}))  # what is looked up once and for all is there
    for levels in (size, 2 * size):
        mod = IRModule({"deep": build(levels)})
        calls.append(calls_made(lambda mod=mod: run(mod)))
    return calls[1] <= 2.4 * calls[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_pass_takes_linear_work(program):
    build = tir_deep.DEEP.get(program) or tir_deep.WIDE[program]
    assert not [name for name in LOOP_PASSES if not is_linear(name, build, 24)]
