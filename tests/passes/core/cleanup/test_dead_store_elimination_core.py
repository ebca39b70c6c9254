"""Dead-store elimination in core: by handlers and by the solver, the same goes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from relayish import core
from relayish.core import FuncEntry, Interpreter, Stmt
from relayish.errors import RelayishError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.core.cleanup.candidates import STORES
from relayish.passes.core.cleanup.dead_store_elimination_core import eliminate_dead_stores_core
from relayish.text import parse
from relayish.transform import DeadStoreEliminationCore
from tests.support.core_programs import core_arguments, random_core_program
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.goldens import CASES, read_goldens
from tests.support.seeds import seeds
from tests.support.typed_text import program

DECLARED = declared_temporarily()
with DECLARED:

    @node("opaque_value", graph_node=False)
    class Opaque(core.Expr):
        """An expression of which nothing is known."""

        derive_type = staticmethod(lambda _: core.as_type("int32"))


_kinds = known_in_tests(DECLARED)

SEEDS = seeds(10)
SHALLOW = min(DEPTH * 2 // 5, 20_000)


def count_stores(func: FuncEntry) -> int:
    return sum(isinstance(each, STORES) for each in PROGRAM.pre_order(func))


def removed(func: FuncEntry) -> int:
    """Return how many stores go, by handlers as by the solver."""
    by_handlers = eliminate_dead_stores_core(func)
    by_solver = eliminate_dead_stores_core(func, solver=True)
    assert structural_equal(by_handlers, by_solver)
    return count_stores(func) - count_stores(by_handlers)


# The programs of AIR's ut_dead_store_elim.cxx are the first in the file, with what goes there. What
# keeps a variable alive, that its address was passed, is here a call that is given its address.
GOLDENS = read_goldens(CASES / "rewrites" / "DeadStoreEliminationCore.relay")


@each("name", GOLDENS)
def test_dead_store_elimination_core_is_the_same_by_handlers_and_by_the_solver(name: str) -> None:
    mod = program(GOLDENS[name].before)
    by_handlers, by_solver = (
        DeadStoreEliminationCore(solver=solver)(mod) for solver in (False, True)
    )
    assert structural_equal(by_handlers, by_solver)


def test_dead_store_elimination_core_shares_what_did_not_change() -> None:
    func = program(GOLDENS["Overwritten store."].before)["main"]
    assert eliminate_dead_stores_core(func).body.stmts[-1] is func.body.stmts[-1]


def test_dead_store_elimination_core_keeps_value_that_may_do_anything() -> None:
    scope = core.GlobalScope()
    with scope.function("f") as f:
        f.add(core.St(f.local("x"), Opaque()))
    assert removed(scope.module()["f"]) == 0


def _run(mod: object, seed: int) -> object:
    lines: list[str] = []
    running = Interpreter(mod, output=lines.append)
    try:
        found: object = running.call("main", *core_arguments(seed))
    except RelayishError as error:
        found = type(error)
    return [found, *[running.read(name) for name in running.machine.globals], *lines]


def _same(a: object, b: object) -> bool:
    return repr(a) == repr(b)


@each("seed", SEEDS)
def test_dead_store_elimination_core_keeps_values_of_random_programs(seed: int) -> None:
    mod = random_core_program(seed)
    by_handlers = DeadStoreEliminationCore()(mod)
    by_solver = DeadStoreEliminationCore(solver=True)(mod)
    assert structural_equal(by_handlers, by_solver)
    assert DeadStoreEliminationCore()(by_handlers) is by_handlers
    assert _same(_run(mod, seed), _run(by_handlers, seed))
    core.check(by_handlers)
    assert structural_equal(parse(by_handlers.astext()), by_handlers)


def test_random_programs_have_dead_stores() -> None:
    programs = [random_core_program(seed) for seed in SEEDS]
    changed = [mod for mod in programs if DeadStoreEliminationCore()(mod) is not mod]
    assert len(changed) >= len(SEEDS) / 2


def _nested(make: Callable[[Stmt], Stmt], depth: int) -> FuncEntry:
    x = core.Var("x")
    stmt: Stmt = core.St(x, core.const(1))
    for _ in range(depth):
        stmt = make(stmt)
    return FuncEntry((), (x,), (), core.Block((stmt,)))


@pytest.mark.deep
@pytest.mark.parametrize("solver", [False, True])
def test_dead_store_elimination_core_works_on_deep_nests(solver: bool) -> None:
    truth = core.const(True)
    for make in (
        lambda stmt: core.If(truth, core.Block((stmt,))),
        lambda stmt: core.WhileDo(truth, core.Block((stmt,))),
    ):
        found = eliminate_dead_stores_core(_nested(make, SHALLOW), solver=solver)
        assert count_stores(found) == 0


def test_dead_store_elimination_core_is_linear_in_shared_expressions() -> None:
    x, y = core.Var("x"), core.Var("y")
    value = core.as_expr(y)
    for _ in range(100):
        value = value + value
    body = core.Block((core.St(y, core.const(1)), core.St(x, value), core.Retv(core.Ld(x))))
    func = FuncEntry((), (x, y), (), body, "int32")
    assert removed(func) == 0
    scope = core.GlobalScope()
    assert Interpreter(scope.module().with_functions({"f": func})).call("f") == np.int32(0)
