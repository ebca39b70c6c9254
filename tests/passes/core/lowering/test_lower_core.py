"""Lowering of core to the loop IR: what it becomes, and that it computes the same."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from relayish import core, tir
from relayish.core import FunctionScope, GlobalScope, Interpreter
from relayish.errors import LoweringError
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
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

Fill = Callable[[FunctionScope], None]


def build(fill: Fill, params: dict[str, str] | None = None, result: str = "int32") -> IRModule:
    scope = GlobalScope()
    with scope.function("main", params or {}, result) as f:
        fill(f)
    return scope.module()


def kinds_in(mod: IRModule) -> set[str]:
    return {type(each).__name__ for each in PROGRAM.pre_order(mod["main"].body)}


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


# Loops


def test_lower_core_makes_for_of_loop_that_counts() -> None:
    def fill(f: FunctionScope) -> None:
        i, a = f.local("i"), f.local("a", "int32[8]")
        with f.do_loop(i, 0, i < 8):
            f.store(core.element(a, i), i * i)
        f.retv(core.load(core.element(a, 3)))

    mod = build(fill)
    assert {"For"} == kinds_in(lower_core(mod)) & {"For", "PolyFor"}
    assert run_lowered(mod, [], {}) == 9


def test_lower_core_keeps_value_of_variable_after_loop() -> None:
    def fill(f: FunctionScope) -> None:
        i = f.local("i")
        with f.do_loop(i, 0, i < f.n, i + 3):
            pass
        f.retv(core.as_expr(i))

    assert run_lowered(build(fill, {"n": "int32"}), [7], {}) == 9


def test_lower_core_makes_poly_for_when_body_changes_variable() -> None:
    def fill(f: FunctionScope) -> None:
        i, n = f.local("i"), f.local("n")
        f.store(n, 0)
        with f.do_loop(i, 0, i < 20):
            f.store(n, n + 1)
            f.store(i, i * 2)
        f.retv(n * 100 + i)

    mod = build(fill)
    assert "PolyFor" in kinds_in(lower_core(mod))
    assert run_lowered(mod, [], {}) == Interpreter(mod).call("main")


def test_lower_core_keeps_step_that_is_no_sum() -> None:
    def fill(f: FunctionScope) -> None:
        i, n = f.local("i"), f.local("n")
        f.store(n, 0)
        with f.do_loop(i, 1, i < 100, i * 3):
            f.store(n, n + i)
        f.retv(core.as_expr(n))

    assert run_lowered(build(fill), [], {}) == 1 + 3 + 9 + 27 + 81


def test_lower_core_makes_poly_for_of_while() -> None:
    def fill(f: FunctionScope) -> None:
        n = f.local("n")
        f.store(n, core.as_expr(f.a))
        with f.while_do(n > 9):
            f.store(n, n / 2)
        f.retv(core.as_expr(n))

    mod = build(fill, {"a": "int32"})
    assert "PolyFor" in kinds_in(lower_core(mod))
    assert run_lowered(mod, [100], {}) == 6


def test_lower_core_runs_body_of_do_while_once_at_least() -> None:
    def fill(f: FunctionScope) -> None:
        n = f.local("n")
        f.store(n, 0)
        with f.do_while(n > 9):
            f.store(n, n + 5)
        f.retv(core.as_expr(n))

    assert run_lowered(build(fill), [], {}) == 5


# Memory


def test_lower_core_gives_lengths_and_buffers_for_addresses() -> None:
    def fill(f: FunctionScope) -> None:
        f.store(core.element(f.p, 1), core.load(core.element(f.p, 0)) * 2.0)
        f.ret()

    low = lower_core(build(fill, {"a": "int32", "p": "float32*"}, "void"))
    assert [arg.name for arg in low["main"].args] == ["a", "p_length", "_p"]
    data = np.array([3, 0], "float32")
    tir.run(low, 1, 2, data, name="main")
    assert data.tolist() == [3, 6]


def test_lower_core_makes_scalars_of_fields() -> None:
    scope = GlobalScope()
    point = scope.struct("point", {"x": "int32", "y": "int32"})
    with scope.function("main", {}, "int32") as f:
        p = f.local("p", point)
        f.store(p, core.Zero(point))
        f.store_field(p, "x", 4)
        f.retv(f.field(p, "x") + f.field(p, "y"))
    assert run_lowered(scope.module(), [], {}) == 4


def test_lower_core_gives_variables_of_module_to_callees() -> None:
    scope = GlobalScope()
    count = scope.variable("count", "int32")
    with scope.function("bump", {"by": "int32"}) as f:
        f.store(count, count + f.by)
        f.ret()
    with scope.function("main", {}, "int32") as f:
        f.call(core.Global("bump", core.as_type("(int32) -> void")), 5)
        f.retv(core.as_expr(count))
    shared = {"count": np.array([2], "int32")}
    assert run_lowered(scope.module(), [], shared) == 7
    assert shared["count"].tolist() == [7]


def test_lower_core_calls_functions_with_results_and_arrays() -> None:
    scope = GlobalScope()
    with scope.function("sum", {"p": "int32*", "n": "int32"}, "int32") as f:
        i, total = f.local("i"), f.local("total")
        f.store(total, 0)
        with f.do_loop(i, 0, i < f.n):
            f.store(total, total + core.load(core.element(f.p, i)))
        f.retv(core.as_expr(total))
    added = f.self
    with scope.function("main", {}, "int32") as f:
        a = f.local("a", "int32[3]")
        f.store(a, core.Zero(a.type))
        f.store(core.element(a, 1), 20)
        f.retv(f.call(added, core.element(a, 0), 3) + 1)
    assert run_lowered(scope.module(), [], {}) == 21


def test_lower_core_leaves_module_without_core_alone() -> None:
    mod = IRModule()
    assert lower_core(mod) is mod


def test_lower_core_asks_handlers_of_others() -> None:
    mod = build(lambda f: f.retv(Doubled(core.as_expr(f.a))), {"a": "int32"})
    with pytest.raises(LoweringError, match="doubled"):
        lower_core(mod)

    class With(Lower):
        def handle_doubled(self, visitor: Any, node: Doubled) -> tir.Expr:
            return visitor.visit(node.a) * 2

    [func] = lower_core_with(mod, With).functions_of(tir.LoweredFunc).values()
    assert func.name == "main"


# What cannot be held


def address_of_scalar(f: FunctionScope) -> None:
    x = f.local("x")
    f.store(f.local("y", "int32*"), core.Lda(x))


def address_computed(f: FunctionScope) -> None:
    f.retv(core.load(core.Array(core.element(f.formal("p"), 1), (core.const(1),))))


def indirect_call(f: FunctionScope) -> None:
    f.call(core.Lda(core.Global("g", core.as_type("() -> int32"))))


def part_of_variable(f: FunctionScope) -> None:
    f.retv(core.Ldo(f.local("x"), 0, core.as_type("int32")))


def return_in_the_middle(f: FunctionScope) -> None:
    with f.if_(core.const(True)):
        f.retv(1)
    f.retv(2)


def pointer_to_structure(f: FunctionScope) -> None:
    f.retv(0)


REFUSED: dict[Fill, str] = {
    address_of_scalar: "y of type int32\\* is no scalar",
    address_computed: "no element of an array",
    indirect_call: "Icall",
    part_of_variable: "Ldo",
    return_in_the_middle: "goes on after it",
    pointer_to_structure: "struct point are no scalars",
}


@pytest.mark.parametrize("fill", REFUSED, ids=lambda fill: fill.__name__)
def test_lower_core_names_what_loops_cannot_hold(fill: Fill) -> None:
    params = {"p": "struct point*" if fill is pointer_to_structure else "int32*"}
    with pytest.raises(LoweringError, match=REFUSED[fill]) as raised:
        lower_core(build(fill, params))
    assert "function main" in str(raised.value)


def test_lower_core_accepts_return_at_end_of_branches() -> None:
    def fill(f: FunctionScope) -> None:
        with f.if_(f.a > 3):
            f.retv(1)
        with f.else_():
            f.retv(2)

    assert run_lowered(build(fill, {"a": "int32"}), [9], {}) == 1


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
