"""Programs of mixed domains are evaluated by the handlers and interpreters of each."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish import core, tir
from relayish.analysis import TYPE_RULES
from relayish.core.interpreter import foreign
from relayish.domain import Handler, callable_of, register_handler, run, verify
from relayish.errors import (
    EndlessRecursionError,
    EvaluationError,
    TypeConfusionError,
    UnknownNameError,
    UnsupportedError,
)
from relayish.interpreter.evaluator import Run
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Tuple
from relayish.ir.relay.module import IRModule
from tests.support import mini
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH

DECLARED = declared_temporarily()
with DECLARED:
    relay.Domain("gauss")

    @node("norm", effect=relay.Effect.NONE, domain="gauss")
    class Norm(core.Expr):
        """``re * re + im * im``, among core's."""

        re: core.Expr
        im: core.Expr

        derive_type = attrgetter("re.type")

    @node("relay_norm", effect=relay.Effect.NONE, domain="gauss")
    class RelayNorm(Expr):
        """The same among Relay's."""

        re: Expr
        im: Expr

    @node("loop_norm", effect=relay.Effect.NONE, domain="gauss")
    class LoopNorm(tir.Expr):
        """The same among those of loops."""

        re: tir.Expr
        im: tir.Expr

        derive_type = attrgetter("re.type")

    @node("twice", effect=relay.Effect.NONE, domain="gauss")
    class Twice(Expr):
        """What is in it is evaluated twice, the values added."""

        body: Expr = field(scope=Runs.REPEATEDLY)

    class Evaluate(Handler, domain="gauss"):
        """One handler, whatever language the operators stand in."""

        def handle_norm(self, visitor: Any, norm: Any) -> Any:
            re, im = visitor.visit(norm.re), visitor.visit(norm.im)
            return re * re + im * im

        handle_relay_norm = handle_loop_norm = handle_norm

        def handle_twice(self, _visitor: Any, twice: Any) -> Iterator[Any]:
            first = yield Run(twice.body)
            second = yield Run(twice.body)
            return first + second

    register_handler("evaluate", Evaluate)
    TYPE_RULES.register(RelayNorm, lambda norm, infer: infer.type_of(norm.re))

_kinds = known_in_tests(DECLARED, mini.DECLARED)

FOUR = np.arange(4, dtype="float32")


def mixed() -> IRModule:
    """Relay's main calls loops, which double, and core, which squares in place or gives a norm."""
    scope = core.GlobalScope()
    with scope.function("norm", {"n": "int32"}, "int32") as f:
        f.retv(Norm(core.as_expr(f.n), core.const(1)))
    with scope.function("square", {"p": "float32[4]*"}) as f:
        i = f.local("i")
        with f.do_loop(i, 0, i < 4):
            at = core.element(core.as_expr(f.p), i)
            f.store(at, core.load(at) * core.load(at))
        f.ret()
    x, n = relay.var("x", shape=(4,)), relay.var("n", "int32")
    doubled = Call(GlobalVar("double"), [Call(GlobalVar("square"), [x])])
    body = Tuple([RelayNorm(doubled, x), Call(GlobalVar("norm"), [n])])
    mod = scope.module().with_function("double", double())
    return mod.with_function("main", Function([x, n], body))


def double() -> tir.LoweredFunc:
    a, b = tir.Buffer("_A", (4,)), tir.Buffer("_B", (4,))
    source, target = tir.Tensor("A", (4,), "float32", a), tir.Tensor("B", (4,), "float32", b)
    i = tir.Var("i")
    doubled = tir.Load(source, (i,)) + tir.Load(source, (i,))
    loop = tir.For(i, 0, 4, tir.Block((tir.Store(target, doubled, (i,)),)))
    return tir.LoweredFunc("double", (a, b), tir.Block((loop,)))


def test_relay_calls_loops_and_core_whose_statements_hold_expressions_of_a_package() -> None:
    norms, norm = run(mixed(), FOUR, 4)
    np.testing.assert_array_equal(norms, (2 * FOUR * FOUR) ** 2 + FOUR * FOUR)
    assert norm == 17
    np.testing.assert_array_equal(FOUR, np.arange(4))  # though core squares in place


def test_mixed_program_is_well_typed_across_languages() -> None:
    assert verify(mixed()) == ()
    typed = relay.transform.InferType()(mixed())["main"].checked_type
    assert str(typed) == "fn (Tensor[(4), float32], int32) -> (Tensor[(4), float32], int32)"


def test_wrong_argument_of_a_function_of_another_language_is_a_type_error() -> None:
    x = relay.var("x", shape=(5,))
    wrong = IRModule({"main": Function([x], Call(GlobalVar("double"), [x]))})
    (found,) = verify(wrong.with_function("double", double()))
    assert "Tensor[(4), float32]" in found.message


def test_functions_of_all_languages_are_run_alike() -> None:
    mod = mixed()
    assert run(mod, 3, name="norm") == 10
    np.testing.assert_array_equal(run(mod, FOUR, name="double"), 2 * FOUR)
    np.testing.assert_array_equal(run(mod, FOUR, name="square"), FOUR * FOUR)
    assert callable_of(mod, "norm")(2) == 5


def test_executor_of_relay_calls_other_languages() -> None:
    norms, _ = relay.create_executor(mod=mixed()).evaluate()(FOUR, 4)  # type: ignore[operator]
    assert norms.shape == (4,)


def test_handler_of_a_package_evaluates_its_kinds_among_loops() -> None:
    i = tir.Var("i")
    assert tir.evaluate(LoopNorm(i, i + 1), {i: 3}) == 25


def test_handler_that_is_a_generator_runs_scopes() -> None:
    x = relay.var("x", "int32")
    assert run(IRModule({"main": Function([x], Twice(RelayNorm(x, x)))}), 2) == 16


def test_handler_given_to_the_interpreter_takes_the_place_of_the_registered_one() -> None:
    class Zero(Evaluate):
        def handle_norm(self, visitor: Any, norm: Any) -> Any:
            return 0

    assert core.interpreter.Interpreter(mixed(), Zero).call("norm", 4) == 0


def test_too_few_values_for_a_function_of_loops_are_refused() -> None:
    with pytest.raises(EvaluationError, match="takes 1 values"):
        run(mixed(), name="double")


def test_definition_of_a_language_that_says_nothing_of_calls_is_refused_when_called() -> None:
    x = relay.var("x")
    mod = IRModule({"main": Function([x], Call(GlobalVar("other"), [x]))})
    mod = mod.with_function("other", mini.sum_of_squares())
    with pytest.raises(EvaluationError, match=r"relayish\.domain\.CALLABLES"):
        run(mod, 1)
    assert "main" in mod


def test_unknown_function_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        run(IRModule(), name="missing")


@pytest.mark.deep
def test_deep_expressions_of_a_package_are_evaluated() -> None:
    depth = min(DEPTH, 20_000)
    e: Expr = relay.const(1)
    for _ in range(depth):
        e = RelayNorm(e, relay.const(0))
    assert run(IRModule({"main": Function([], e)})) == 1
    scope = core.GlobalScope()
    with scope.function("deep", {}, "int32") as f:
        value: core.Expr = core.const(1)
        for _ in range(depth):
            value = Norm(value, core.const(0))
        f.retv(value)
    assert run(scope.module(), name="deep") == 1


# Functions of core that call those of other languages


def scaling() -> tir.LoweredFunc:
    """Return a function of loops that doubles four numbers."""
    given, made = (tir.Buffer(name, (4,), "float32") for name in ("_A", "_B"))
    a, b = tir.Tensor("A", (4,), "float32", given), tir.Tensor("B", (4,), "float32", made)
    i = tir.Var("i")
    body = tir.Block((tir.For(i, 0, 4, tir.Block((tir.Store(b, a[i] * 2.0, (i,)),))),))
    io = (tir.ArgumentIO.INPUT, tir.ArgumentIO.OUTPUT)
    return tir.LoweredFunc("scale", (given, made), body, args_io=io)


def calling(
    callee: str, held: str, *args: Any, params: dict[str, str], result: str, **others: Any
) -> IRModule:
    """Return a module whose ``main``, of core, gives what ``callee`` does."""
    scope = core.GlobalScope()
    with scope.function("main", params, result) as f:
        register = f.preg(result)
        given = [f.formal(arg) if isinstance(arg, str) else arg for arg in args]
        f.add(core.Call(core.Global(callee, held), map(core.as_expr, given), register))
        f.retv(register)
    return scope.module().with_functions(others)


def test_core_calls_relay_which_calls_loops() -> None:
    x = relay.var("x", shape=(4,))
    rectified = Function([x], relay.nn.relu(Call(GlobalVar("scale"), (x,))))
    held = "(float32[4]*) -> float32[4]"
    mod = calling(
        "rectified", held, "a", params={"a": "float32[4]*"}, result="float32[4]",
        rectified=rectified, scale=scaling(),
    )  # fmt: skip
    assert verify(mod) == ()
    given = np.array([1, -2, 3, -4], "float32")
    np.testing.assert_array_equal(run(mod, given), [2, 0, 6, 0])
    np.testing.assert_array_equal(given, [1, -2, 3, -4])


def test_core_calls_loops() -> None:
    held = "(float32[4]*) -> float32[4]"
    mod = calling(
        "scale", held, "a", params={"a": "float32[4]*"}, result="float32[4]", scale=scaling()
    )
    np.testing.assert_array_equal(run(mod, np.arange(4, dtype="float32")), [0, 2, 4, 6])


def test_core_calls_relay_with_numbers_and_by_entry_point() -> None:
    x, y = relay.var("x", shape=(), dtype="int32"), relay.var("y", shape=(), dtype="int32")
    held = "(int32, int32) -> int32"
    others = {
        "difference": Function([x, y], x - y),
        "alias": core.Entry(core.Global("difference", held)),
    }
    for callee in others:
        mod = calling(
            callee, held, "a", core.const(2), params={"a": "int32"}, result="int32", **others
        )
        assert run(mod, 7) == 5


def test_core_calls_relay_by_address() -> None:
    x = relay.var("x", shape=(), dtype="int32")
    scope = core.GlobalScope()
    with scope.function("main", {"a": "int32"}, "int32") as f:
        register = f.preg("int32")
        address = core.Lda(core.Global("twice", "(int32) -> int32"))
        f.add(core.Icall(address, (core.Ld(f.a),), register))
        f.retv(register)
    mod = scope.module().with_functions({"twice": Function([x], x + x)})
    assert run(mod, 21) == 42


@pytest.mark.parametrize("levels", [0, 1, 40])
def test_core_and_relay_call_one_another(levels: int) -> None:
    n = relay.var("n", shape=(), dtype="int32")
    main = GlobalVar("main")
    step = relay.If(relay.less(n, relay.const(1)), n, Call(main, (n - relay.const(1),)))
    mod = calling(
        "step", "(int32) -> int32", "a", params={"a": "int32"}, result="int32",
        step=Function([n], step, relay.scalar_type("int32")),
    )  # fmt: skip
    assert run(mod, levels) == 0


def test_endless_calls_of_core_and_relay_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "MOST_NESTED", 50)
    n = relay.var("n", shape=(), dtype="int32")
    mod = calling(
        "step", "(int32) -> int32", "a", params={"a": "int32"}, result="int32",
        step=Function([n], Call(GlobalVar("main"), (n,))),
    )  # fmt: skip
    with pytest.raises(EndlessRecursionError, match="@step is called by core within 50 calls"):
        run(mod, 1)


@pytest.mark.parametrize(
    ("held", "error", "message"),
    [
        ("(int32) -> int64", TypeConfusionError, "the result of @same is given"),
        ("(int32) -> struct p", TypeConfusionError, "the result of @same is given"),
    ],
)
def test_value_that_is_not_of_the_type_of_the_call_is_refused(
    held: str, error: Any, message: str
) -> None:
    x = relay.var("x", shape=(), dtype="int32")
    mod = calling(
        "same", held, core.const(1), params={}, result=held.split("-> ")[1],
        same=Function([x], relay.const(1.5)), p=core.StructDef((("x", "int32"),)),
    )  # fmt: skip
    with pytest.raises(error, match=message):
        run(mod)


def test_addresses_whose_arrays_have_no_size_are_not_given_to_others() -> None:
    x = relay.var("x", shape=(4,))
    mod = calling(
        "same", "(float32*) -> float32", "a", params={"a": "float32*"}, result="float32",
        same=Function([x], relay.const(1.5)),
    )  # fmt: skip
    with pytest.raises(UnsupportedError, match=r"how large it is: 'float32\[4\]\*'"):
        run(mod, np.zeros(4, "float32"))


# Functions of loops that call those of other languages


def loops_calling(callee: str, size: int = 4, dtype: str = "float32") -> tir.LoweredFunc:
    """Return a function of loops that has ``callee`` make its result of two arguments."""
    given, made = tir.Buffer("_A", (4,), "float32"), tir.Buffer("_B", (size,), dtype)
    a, b = tir.Tensor("A", (4,), "float32", given), tir.Tensor("B", (size,), dtype, made)
    n = tir.Var("n")
    call = tir.Call("void", callee, (a, n), (b,), tir.CallType.CINN)
    io = (tir.ArgumentIO.INPUT, tir.ArgumentIO.INPUT, tir.ArgumentIO.OUTPUT)
    return tir.LoweredFunc("loops", (given, n, made), tir.Block((call,)), args_io=io)


def scaled(*body: Any) -> Function:
    x, n = relay.var("x", shape=(4,)), relay.var("n", shape=(), dtype="int32")
    result = body[0](x, n) if body else x * relay.cast(n, "float32")
    return Function([x, n], result)


def test_loops_call_relay_which_calls_core() -> None:
    scope = core.GlobalScope()
    with scope.function("next", {"n": "int32"}, "int32") as f:
        f.retv(f.n + 1)
    by_next = scaled(lambda x, n: x * relay.cast(Call(GlobalVar("next"), (n,)), "float32"))
    mod = scope.module().with_functions({"loops": loops_calling("by_next"), "by_next": by_next})
    assert verify(mod) == ()
    given = np.array([1, -2, 3, -4], "float32")
    np.testing.assert_array_equal(run(mod, given, 2, name="loops"), given * 3)


def test_relay_core_and_loops_call_one_another() -> None:
    mod = calling(
        "loops", "(float32[4]*, int32) -> float32[4]", "a", core.const(5),
        params={"a": "float32[4]*"}, result="float32[4]",
        loops=loops_calling("scaled"), scaled=scaled(),
    )  # fmt: skip
    assert verify(mod) == ()
    np.testing.assert_array_equal(run(mod, np.ones(4, "float32")), [5, 5, 5, 5])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda x, n: Tuple((x, x)), "gives 2 values, and its call writes 1"),
        (lambda x, n: n, r"gives \(\) of int32; its call writes \(4,\) of float32"),
        (lambda x, n: relay.reshape(x, (2, 2)), r"an array of shape \(2, 2\)"),
    ],
)
def test_what_does_not_fit_into_what_loops_write_is_refused(body: Any, message: str) -> None:
    mod = IRModule({"loops": loops_calling("scaled"), "scaled": scaled(body)})
    with pytest.raises(TypeConfusionError, match=message):
        run(mod, np.ones(4, "float32"), 1, name="loops")


def test_endless_calls_of_loops_and_relay_are_refused() -> None:
    again = scaled(lambda x, n: Call(GlobalVar("loops"), (x, n)))
    mod = IRModule({"loops": loops_calling("again"), "again": again})
    with pytest.raises(EndlessRecursionError, match="@again is called by loops"):
        run(mod, np.ones(4, "float32"), 1, name="loops")


def test_call_of_a_language_that_says_nothing_of_calls_is_refused() -> None:
    mod = IRModule({"loops": loops_calling("number"), "number": core.GlobalVariable("int32")})
    with pytest.raises(UnsupportedError, match=r"CALLABLES\.register\(GlobalVariable"):
        run(mod, np.ones(4, "float32"), 1, name="loops")
