"""Evaluation of core against C: random programs, compiled and run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relayish.core import Interpreter, Type
from tests.support.core_c import COMPILER, run_as_c
from tests.support.core_programs import core_arguments, random_core_program
from tests.support.seeds import seeds

SEEDS = seeds(30)
AT_ONCE = 100
"""Programs that one program of C holds."""


def _from_bytes(held: Type, data: bytes) -> np.ndarray[Any, Any]:
    element = held.element if held.is_array else held
    return np.frombuffer(data, element.numpy)


@pytest.mark.skipif(COMPILER is None, reason="there is no compiler of C")
def test_evaluation_agrees_with_c_on_random_programs() -> None:
    for first in range(0, len(SEEDS), AT_ONCE):
        drawn = SEEDS[first : first + AT_ONCE]
        programs = [(random_core_program(seed), core_arguments(seed)) for seed in drawn]
        for seed, (mod, args), wanted in zip(drawn, programs, run_as_c(programs), strict=True):
            running = Interpreter(mod)
            found = {"": running.call("main", *args)}
            found |= {name: running.read(name) for name in running.machine.globals}
            held = {name: mod[name].type for name in running.machine.globals}
            held[""] = mod["main"].result
            for name, value in found.items():
                expected = _from_bytes(held[name], wanted[name])
                np.testing.assert_array_equal(np.ravel(value), expected, f"{name!r} of {seed}")
