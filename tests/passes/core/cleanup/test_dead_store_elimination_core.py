"""Dead-store elimination in core: by handlers and by the solver, the same goes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from relayish import core
from relayish.core import FuncEntry, FunctionScope, Interpreter, Stmt
from relayish.errors import RelayishError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.core.cleanup.candidates import STORES
from relayish.passes.core.cleanup.dead_store_elimination_core import eliminate_dead_stores_core
from relayish.text import parse
from relayish.transform import DeadStoreEliminationCore, PassContext
from tests.support.core_programs import core_arguments, random_core_program
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds

DECLARED = declared_temporarily()
with DECLARED:

    @node("opaque_value", graph_node=False)
    class Opaque(core.Expr):
        """An expression of which nothing is known."""

        derive_type = staticmethod(lambda _: core.as_type("int32"))


_kinds = known_in_tests(DECLARED)

SEEDS = seeds(10)
SHALLOW = min(DEPTH * 2 // 5, 20_000)

Fill = Callable[[FunctionScope], None]


def build(fill: Fill, params: dict[str, str] | None = None, result: str = "void") -> FuncEntry:
    scope = core.GlobalScope()
    with scope.function("f", params or {}, result) as f:
        fill(f)
    func = scope.module()["f"]
    assert isinstance(func, FuncEntry)
    return func


def count_stores(func: FuncEntry) -> int:
    return sum(isinstance(each, STORES) for each in PROGRAM.pre_order(func))


def removed(func: FuncEntry) -> int:
    """Return how many stores go, by handlers as by the solver."""
    by_handlers = eliminate_dead_stores_core(func)
    by_solver = eliminate_dead_stores_core(func, solver=True)
    assert structural_equal(by_handlers, by_solver)
    return count_stores(func) - count_stores(by_handlers)


# AIR's programs: ut_dead_store_elim.cxx. What keeps a variable alive there, that its address was
# passed, is here a call that is given its address.


def _observed(f: FunctionScope) -> core.Var:
    """Add a variable that others can read."""
    seen = f.local("result")
    f.add(core.Call(core.Global("observe", core.as_type("(int32*) -> void")), (core.Lda(seen),)))
    return seen


def overwritten_store(f: FunctionScope) -> None:
    x, result = f.local("x"), _observed(f)
    f.store(x, 3)
    f.store(x, 5)
    f.store(result, core.as_expr(x))


def used_store(f: FunctionScope) -> None:
    x, result = f.local("x"), _observed(f)
    f.store(x, 3)
    f.store(result, core.as_expr(x))


def never_read_local(f: FunctionScope) -> None:
    f.store(f.local("x"), 3)


def address_passed(f: FunctionScope) -> None:
    f.store(_observed(f), 3)


def dead_preg(f: FunctionScope) -> None:
    p, result = f.preg(), _observed(f)
    f.store(p, 3)
    f.store(p, 5)
    f.store(result, core.as_expr(p))


def multiple_dead_stores(f: FunctionScope) -> None:
    x, y, result = f.local("x"), f.local("y"), _observed(f)
    f.store(x, 1)
    f.store(x, 2)
    f.store(y, 3)
    f.store(y, 4)
    f.store(x, 5)
    f.store(result, x + y)


def address_saved(f: FunctionScope) -> None:
    x = f.local("x")
    f.store(core.Global("saved", core.as_type("int32*")), core.Lda(x))
    f.store(x, 3)


def cascading(f: FunctionScope) -> None:
    x, y, result = f.local("x"), f.local("y"), _observed(f)
    f.store(y, 3)
    f.store(x, core.as_expr(y))
    f.store(x, 5)
    f.store(result, core.as_expr(x))


def formal(f: FunctionScope) -> None:
    f.store(f.formal("a"), 3)


def identity(f: FunctionScope) -> None:
    x = f.local("x")
    f.store(x, core.as_expr(x))


def real_use_chain(f: FunctionScope) -> None:
    x, y, result = f.local("x"), f.local("y"), _observed(f)
    f.store(x, 3)
    f.store(y, core.as_expr(x))
    f.store(result, core.as_expr(y))


ORACLE: dict[Fill, tuple[int, int]] = {
    overwritten_store: (3, 1),
    used_store: (2, 0),
    never_read_local: (1, 1),
    address_passed: (1, 0),
    dead_preg: (3, 1),
    multiple_dead_stores: (6, 3),
    address_saved: (2, 0),
    cascading: (4, 2),
    formal: (1, 0),
    identity: (1, 0),
    real_use_chain: (3, 0),
}
"""How many stores each of AIR's programs has, and how many of them go."""


@pytest.mark.parametrize("fill", ORACLE, ids=lambda fill: fill.__name__)
def test_dead_store_elimination_core_removes_what_airs_does(fill: Fill) -> None:
    func = build(fill, {"a": "int32"})
    assert (count_stores(func), removed(func)) == ORACLE[fill]


# More than these


def store_through(f: FunctionScope) -> None:
    x, p = f.local("x"), f.local("p", "int32*")
    f.store(p, core.Lda(x))
    f.store(core.as_expr(p), 3)


def unread_array(f: FunctionScope) -> None:
    a = f.local("a", "int32[4]")
    f.store(core.element(a, 1), 3)


def partly_read_array(f: FunctionScope) -> None:
    a = f.local("a", "int32[4]")
    f.store(core.element(a, 1), 3)
    f.retv(core.load(core.element(a, 2)))


def sum_that_nobody_reads(f: FunctionScope) -> None:
    i, total = f.local("i"), f.local("total")
    f.store(total, 0)
    with f.do_loop(i, 0, i < 9):
        f.store(total, total + i)


def carried_by_loop(f: FunctionScope) -> None:
    i, x, y = f.local("i"), f.local("x"), f.local("y")
    f.store(x, 1)
    f.store(y, 2)
    with f.do_loop(i, 0, i < 9):
        f.store(y, core.as_expr(x))
        f.store(x, core.as_expr(i))
    f.retv(core.as_expr(y))


def dead_in_one_branch(f: FunctionScope) -> None:
    x = f.local("x")
    f.store(x, 1)
    with f.if_(f.formal("a") < 3):
        f.store(x, 2)
        f.retv(0)
    f.retv(core.as_expr(x))


def read_after_do_while(f: FunctionScope) -> None:
    x, y = f.local("x"), f.local("y")
    with f.do_while(x < 3):
        f.store(x, 5)
        f.store(y, 6)
    f.retv(core.as_expr(y))


def counted_in_vain(f: FunctionScope) -> None:
    n, i = f.local("n"), f.local("i")
    f.store(i, 7)
    with f.do_loop(i, 0, i < 9):
        f.store(n, n + 1)


MORE: dict[Fill, int] = {
    store_through: 0,
    unread_array: 1,
    partly_read_array: 0,
    sum_that_nobody_reads: 2,
    carried_by_loop: 0,
    dead_in_one_branch: 1,
    read_after_do_while: 0,
    counted_in_vain: 2,
}
"""How many stores go."""


@pytest.mark.parametrize("fill", MORE, ids=lambda fill: fill.__name__)
def test_dead_store_elimination_core_removes_what_nobody_reads(fill: Fill) -> None:
    assert removed(build(fill, {"a": "int32"}, "int32")) == MORE[fill]


def test_dead_store_elimination_core_returns_function_itself_when_all_is_needed() -> None:
    func = build(used_store)
    assert eliminate_dead_stores_core(func) is func


def test_dead_store_elimination_core_shares_what_did_not_change() -> None:
    func = build(overwritten_store)
    assert eliminate_dead_stores_core(func).body.stmts[-1] is func.body.stmts[-1]


def test_dead_store_elimination_core_keeps_value_that_may_do_anything() -> None:
    func = build(lambda f: f.add(core.St(f.local("x"), Opaque())))
    assert removed(func) == 0


def test_dead_store_elimination_core_is_pass_with_option() -> None:
    scope = core.GlobalScope()
    with scope.function("f") as f:
        never_read_local(f)
    for one in (DeadStoreEliminationCore(), DeadStoreEliminationCore(solver=True)):
        with PassContext(opt_level=1):
            assert not one(scope.module())["f"].body.stmts


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
