"""Evaluation of core from Python: what is given, tools, other domains, depth."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from relayish import core
from relayish.core import Evaluate, Expr, FunctionScope, GlobalScope, Interpreter, as_type
from relayish.domain import Handler, register_handler, verify
from relayish.errors import (
    CheckError,
    EvaluationError,
    FieldError,
    UnknownNameError,
    UnsupportedError,
)
from relayish.ir.domains.domain import Domain
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.module import IRModule
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH

DECLARED = declared_temporarily()
with DECLARED:
    REPEATED = Domain("repeated")

    @node("cube", domain=REPEATED, graph_node=False)
    class Cube(core.Expr):
        """The third power of a number, of a domain of its own."""

        a: core.Expr

        derive_type = attrgetter("a.type")

    @node("times", domain=REPEATED, graph_node=False)
    class Times(core.Stmt):
        """Run a block some times."""

        count: int
        body: core.Block = field(scope=Runs.REPEATEDLY)

    @register_handler("evaluate")
    class EvaluateRepeated(Handler, domain="repeated"):
        """Evaluates the domain of this file."""

        def handle_cube(self, visitor: Any, cube: Cube) -> int:
            value = visitor.visit(cube.a)
            return int(value * value * value)

        def handle_times(self, visitor: Any, times: Times) -> Any:
            for _ in range(times.count):
                visitor.forget()
                done = visitor.visit(times.body)
                if done is not None:
                    return done
            return None


_kinds = known_in_tests(DECLARED)

Fill = Callable[[FunctionScope], None]


def build(fill: Fill, params: dict[str, str] | None = None, result: str = "int32") -> IRModule:
    scope = GlobalScope()
    with scope.function("main", params or {}, result) as f:
        fill(f)
    return scope.module()


def const(number: object, held: str = "int32") -> Expr:
    return core.const(number, held)


# Arithmetic


@pytest.mark.parametrize(
    "expr",
    [
        core.Mod(const(-7.5, "float32"), const(2.0, "float32")),
        core.Bnot(const(True, "bool")),
        core.Add(const(True, "bool"), const(True, "bool")),
        core.Band(const(1.0, "float32"), const(1.0, "float32")),
        core.Lnot(const(1)),
        core.Land(const(1), const(1)),
    ],
)
def test_operator_that_the_verifier_refuses_for_a_type_has_no_value(expr: Expr) -> None:
    mod = build(lambda f: f.retv(expr), result=str(expr.type))
    assert verify(mod)
    with pytest.raises(UnsupportedError, match=f"has no value for operands of type {expr.a.type}"):
        core.run(mod)


def test_number_beyond_all_floats_is_refused() -> None:
    with pytest.raises(FieldError, match="out of range of float32"):
        core.const(10**400, "float32")


def test_bfloat16_is_a_type_of_numbers() -> None:
    mod = build(lambda f: f.retv(const(1.5, "bfloat16") * 2), result="bfloat16")
    assert core.run(mod).dtype == as_type("bfloat16").numpy
    assert core.run(mod) == 3.0


def test_float_keeps_bits_of_nan_in_memory() -> None:
    pattern = np.array([0x7FC01234], "uint32").view("float32")

    def fill(f: FunctionScope) -> None:
        x = f.local("x", "float32[1]")
        f.store(core.element(x, 0), core.Ldc(core.Constant(pattern[0])))
        f.retv(core.load(core.element(x, 0)))

    found = core.run(build(fill, result="float32"))
    assert np.array([found]).view("uint32")[0] == 0x7FC01234


# Memory


def test_variables_of_module_keep_what_they_hold_between_calls() -> None:
    scope = GlobalScope()
    count = scope.variable("count", "int64", 40)
    with scope.function("next", {}, "int64") as f:
        f.store(count, count + 1)
        f.retv(core.as_expr(count))
    running = Interpreter(scope.module())
    assert [running.call("next"), running.call("next"), running.read("count")] == [41, 42, 42]
    assert Interpreter(scope.module()).read("count") == 40


def test_statement_object_runs_wherever_it_stands() -> None:
    x = core.Var("x")
    twice = core.St(x, x * 2)
    body = core.Block((core.St(x, core.const(1)), twice, twice, core.Retv(core.Ld(x))))
    func = core.FuncEntry((), (x,), (), body, "int32")
    assert core.run(IRModule().with_functions({"main": func})) == 4


# Calls


def test_entry_point_is_another_name() -> None:
    scope = GlobalScope()
    with scope.function("f", {}, "int32") as f:
        f.retv(3)
    scope.entry("start", f.self, is_program=True)
    assert core.run(scope.module(), name="start") == 3


def test_declared_function_runs_what_it_was_given() -> None:
    scope = GlobalScope()
    power = scope.declare("power", ["int32", "int32"], "int32")
    with scope.function("main", {"x": "int32"}, "int32") as f:
        f.retv(f.call(power, f.x, 3))
    assert core.run(scope.module(), 2, externs={"power": lambda a, b: a**b}) == 8


def test_array_of_caller_is_changed_in_place() -> None:
    def fill(f: FunctionScope) -> None:
        i = f.local("i")
        with f.do_loop(i, 0, i < f.n):
            at = core.element(f.p, i)
            f.store(at, core.load(at) * 2.0)
        f.ret()

    data = np.array([1, 2, 3], "float32")
    core.run(build(fill, {"p": "float32*", "n": "int32"}, "void"), data, 2)
    assert data.tolist() == [2, 4, 3]


def test_structure_is_handed_out_as_dictionary() -> None:
    scope = GlobalScope()
    point = scope.struct("point", {"x": "int32", "y": "float32[2]"})
    with scope.function("main", {}, point) as f:
        p = f.local("p", point)
        f.store(p, core.Zero(point))
        f.store_field(p, "x", 4)
        f.retv(core.as_expr(p))
    found = core.run(scope.module())
    assert found["x"] == 4
    np.testing.assert_array_equal(found["y"], np.zeros(2, "float32"))


def test_run_names_functions_there_are() -> None:
    with pytest.raises(UnknownNameError, match="did you mean main"):
        core.run(build(lambda f: f.retv(0)), name="mian")


# Tools


def test_marks_of_time_tell_seconds_since_the_last() -> None:
    def fill(f: FunctionScope) -> None:
        f.add(core.TmStart("a"))
        f.add(core.TmTaken("b"))
        f.add(core.TmTaken("c"))
        f.ret()

    lines: list[str] = []
    seconds = iter([0.0, 1.0, 3.5, 4.0])
    running = Interpreter(
        build(fill, result="void"), output=lines.append, clock=lambda: next(seconds)
    )
    running.call("main")
    assert lines == ["b: 2.500000 s", "c: 0.500000 s"]


def _tool(make: Callable[[Expr, Expr], core.Stmt]) -> list[str]:
    def fill(f: FunctionScope) -> None:
        a, b = f.local("a", "float32[3]"), f.local("b", "float32[3]")
        for each, number in ((a, 1.0), (b, 1.25)):
            for index in range(3):
                f.store(core.element(each, index), number)
        f.add(make(core.element(a, 0), core.element(b, 0)))
        f.ret()

    lines: list[str] = []
    core.run(build(fill, result="void"), output=lines.append)
    return lines


def test_dump_var_shows_elements_under_title() -> None:
    title = core.Ldca(core.Constant("numbers"))
    assert _tool(lambda a, _b: core.DumpVar(title, a, core.const(3))) == ["numbers: 1.0 1.0 1.0"]


def test_validate_accepts_what_is_near() -> None:
    assert not _tool(lambda a, b: core.Validate(a, b, core.const(3), core.const(0.25)))


def test_validate_names_the_element_that_is_far() -> None:
    with pytest.raises(CheckError, match=r"element 0 is 1\.0, but 1\.25"):
        _tool(lambda a, b: core.Validate(a, b, core.const(3), core.const(0.125)))


def test_validate_tells_large_integers_apart() -> None:
    near, far = (core.Ldca(core.Constant(np.array([2**53 + i]))) for i in range(2))
    with pytest.raises(CheckError, match="element 0 is 9007199254740992"):
        _tool(lambda _a, _b: core.Validate(near, far, core.const(1), core.const(0.5)))
    assert not _tool(lambda _a, _b: core.Validate(near, far, core.const(1), core.const(1.0)))


def test_validate_refuses_a_negative_length() -> None:
    with pytest.raises(EvaluationError, match="-1 elements are asked for"):
        _tool(lambda a, b: core.Validate(a, b, core.const(-1), core.const(0.25)))


# Other domains


def test_nodes_of_other_domains_are_evaluated_by_their_handlers() -> None:
    def fill(f: FunctionScope) -> None:
        n = f.local("n")
        f.store(n, 0)
        f.add(Times(3, core.Block((core.St(n, n + Cube(core.as_expr(f.a))),))))
        f.retv(core.as_expr(n))

    assert core.run(build(fill, {"a": "int32"}), 2) == 24


def test_handlers_take_the_place_of_those_registered() -> None:
    class Saturating(Evaluate):
        def handle_add(self, visitor: Any, add: core.Add) -> int:
            return int(min(visitor.visit(add.a) + visitor.visit(add.b), 100))

    mod = build(lambda f: f.retv(f.a + 99), {"a": "int32"})
    assert Interpreter(mod, Saturating).call("main", 5) == 100
    assert Interpreter(mod).call("main", 5) == 104


# Depth and sharing


def test_shared_expression_is_evaluated_once() -> None:
    def fill(f: FunctionScope) -> None:
        shared = core.as_expr(f.a)
        for _ in range(100):
            shared = shared + shared
        f.retv(shared)

    assert core.run(build(fill, {"a": "int32"}), 3) == 0


@pytest.mark.deep
def test_recursion_is_as_deep_as_it_takes() -> None:
    scope = GlobalScope()
    with scope.function("down", {"n": "int32"}, "int32") as f:
        with f.if_(core.equal(f.n, 0)):
            f.retv(0)
        f.retv(f.call(f.self, f.n - 1) + 1)
    assert core.run(scope.module(), DEPTH, name="down") == DEPTH


@pytest.mark.deep
def test_nests_are_as_deep_as_they_take() -> None:
    def fill(f: FunctionScope) -> None:
        deep = core.as_expr(f.a)
        for _ in range(DEPTH):
            deep = deep + 1
        f.store(f.a, deep)

    scope = GlobalScope()
    with scope.function("main", {"a": "int32"}, "int32") as f:
        fill(f)
    stmt: core.Stmt = core.Retv(core.Ld(f.a))
    for _ in range(DEPTH):
        stmt = core.If(core.const(True), core.Block((stmt,)))
    func: Any = scope.module()["main"]
    func = func.with_fields(body=core.Block((*func.body.stmts, stmt)))
    assert core.run(IRModule().with_functions({"main": func}), 4) == DEPTH + 4


# What is no program, or does not keep its types


RETURNS = build(lambda f: f.retv(core.const(1)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mod": None}, "evaluated in a module; found a NoneType"),
        ({"mod": RETURNS["main"]}, "evaluated in a module; found a FuncEntry"),
        ({"externs": 3}, "externs is 3"),
        ({"externs": {"f": 3}}, r"externs\['f'\] is 3 .*expected a function"),
        ({"output": 3}, "output, .* is 3"),
        ({"clock": 3}, "clock, .* is 3"),
        ({"name": 3}, "called by its name; found 3"),
        ({"name": []}, r"called by its name; found \[\]"),
    ],
)
def test_run_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(FieldError, match=message):
        core.run(**{"mod": RETURNS, **arguments})
