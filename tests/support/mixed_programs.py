"""Random modules in which Relay, the loop IR and core stand side by side.

A module is determined by its seed. It is well formed, and its definitions do not call each other;
names of Relay's functions begin with ``r_``, those of loops with ``t_``.
"""

from __future__ import annotations

from relayish.ir.relay.module import IRModule
from tests.support.core_programs import random_core_program
from tests.support.random_exprs import LIST, random_function
from tests.support.tir_programs import random_func


def random_mixed_module(seed: int, size: int = 12) -> IRModule:
    """Return a random module of three languages."""
    mod = random_core_program(seed, size).with_type(LIST)
    mod = mod.with_function("r_main", random_function(seed, 2 * size))
    return mod.with_function("t_main", random_func(seed).with_fields(name="t_main"))
