"""Lowering of core to the loop IR, which computes the same.

What small programs become, and what loops cannot hold, is in ``tests/cases/rewrites``.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from relayish import core, tir
from relayish.core import GlobalScope, Interpreter
from relayish.errors import LoweringError
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.module import IRModule
from relayish.passes.core.lowering.lower import Lower
from relayish.passes.core.lowering.lower_core import lower_core, lower_core_with
from tests.support.core_programs import FEATURES, core_arguments, random_core_program
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds

DECLARED = declared_temporarily()
with DECLARED:

    @node("doubled", graph_node=False)
    class Doubled(core.Expr):
        """Twice a number, of a package of its own."""

        a: core.Expr

        derive_type = attrgetter("a.type")


_kinds = known_in_tests(DECLARED)

SEEDS = seeds(15)
LOWERED = FEATURES - {"pointer", "icall", "offset", "early_return"}


def run_lowered(mod: IRModule, given: list[Any], shared: dict[str, Any]) -> Any:
    """Run the lowered ``main`` on numbers, and on arrays for variables of the module by name."""
    func = lower_core(mod)["main"]
    result = np.zeros(1, "int32")
    buffers = {**shared, "result": result}
    numbers = iter(given)
    args = [
        buffers[arg.name.removeprefix("_")] if isinstance(arg, tir.Buffer) else next(numbers)
        for arg in func.args
    ]
    tir.run(lower_core(mod), *args, name="main")
    return result[0]


def test_lower_core_leaves_module_without_core_alone() -> None:
    mod = IRModule()
    assert lower_core(mod) is mod


def test_lower_core_asks_handlers_of_others() -> None:
    scope = GlobalScope()
    with scope.function("main", {"a": "int32"}, "int32") as f:
        f.retv(Doubled(core.as_expr(f.a)))
    mod = scope.module()
    with pytest.raises(LoweringError, match="doubled"):
        lower_core(mod)

    class With(Lower):
        def handle_doubled(self, visitor: Any, node: Doubled) -> tir.Expr:
            return visitor.visit(node.a) * 2

    [func] = lower_core_with(mod, With).functions_of(tir.LoweredFunc).values()
    assert func.name == "main"


# All of it


@each("seed", SEEDS)
def test_lower_core_keeps_values_of_random_programs(seed: int) -> None:
    mod = random_core_program(seed, features=LOWERED)
    running = Interpreter(mod)
    shared = {name: np.atleast_1d(running.read(name)).copy() for name in running.machine.globals}
    args = core_arguments(seed)
    wanted = running.call("main", *args)
    assert run_lowered(mod, args, shared) == wanted
    for name, found in shared.items():
        np.testing.assert_array_equal(found, np.atleast_1d(running.read(name)))


@each("seed", SEEDS)
def test_lower_core_makes_what_the_verifier_accepts(seed: int) -> None:
    mod = lower_core(random_core_program(seed, features=LOWERED))
    for func in mod.functions_of(tir.LoweredFunc).values():
        tir.verify(func)


@pytest.mark.deep
def test_lower_core_works_on_deep_nests() -> None:
    x = core.Var("x")
    stmt: core.Stmt = core.St(x, core.const(1))
    for _ in range(min(DEPTH, 20_000)):
        stmt = core.If(core.const(True), core.Block((stmt,)))
    func = core.FuncEntry((), (x,), (), core.Block((stmt,)))
    mod = IRModule().with_functions({"main": func})
    assert isinstance(lower_core(mod)["main"], tir.LoweredFunc)
