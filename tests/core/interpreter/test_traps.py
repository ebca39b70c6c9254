"""What evaluation of core refuses: what was found, and a note that names the node and its span."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import core
from relayish.core import GlobalScope
from relayish.errors import (
    DivisionByZeroError,
    EvaluationError,
    TypeConfusionError,
    notes_of,
)
from relayish.ir.nodes.span import Span


def test_trap_names_the_span_of_the_node() -> None:
    scope = GlobalScope()
    with scope.function("main", {"a": "int32"}, "int32") as f:
        divided = (core.as_expr(f.a) / 0).with_fields(span=Span("kernel.c", 12, 12, 7, 9))
        f.retv(divided)
    with pytest.raises(DivisionByZeroError) as raised:
        core.run(scope.module(), 1)
    assert any("kernel.c:12:7" in note for note in notes_of(raised.value))


def test_machine_can_go_on_after_a_trap() -> None:
    scope = GlobalScope()
    with scope.function("main", {"a": "int32"}, "int32") as f:
        f.retv(core.const(8) / f.a)
    running = core.Interpreter(scope.module())
    with pytest.raises(DivisionByZeroError):
        running.call("main", 0)
    assert running.call("main", 2) == 4
    assert running.machine.parents == ()


def _pass_on() -> tuple[GlobalScope, core.Global]:
    scope = GlobalScope()
    missing = scope.declare("missing", ["int32"], "int32")
    with scope.function("main", {"a": "int32"}, "int32") as f:
        f.retv(core.as_expr(f.call(missing, f.a)))
    return scope, missing


def test_extern_that_returns_another_type_is_refused() -> None:
    with pytest.raises(TypeConfusionError, match="the result of missing is given 'x'"):
        core.run(_pass_on()[0].module(), 1, externs={"missing": lambda _a: "x"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "takes 1 arguments and is given 0"),
        ((1.5,), "a is given 1.5 (float)"),
        ((1 << 40,), "out of range of int32"),
        ((True,), "a is given True (bool)"),
    ],
)
def test_arguments_of_other_types_are_refused(given: tuple[object, ...], message: str) -> None:
    with pytest.raises(TypeConfusionError) as raised:
        core.run(_pass_on()[0].module(), *given, externs={"missing": lambda a: a})
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros(3, "int32"), "array of int32; expected float32"),
        (np.zeros(6, "float32")[::2], "not side by side"),
    ],
)
def test_arrays_of_other_elements_are_refused(data: np.ndarray, message: str) -> None:
    scope = GlobalScope()
    with scope.function("main", {"p": "float32*"}) as f:
        f.ret()
    with pytest.raises(TypeConfusionError) as raised:
        core.run(scope.module(), data)
    assert message in str(raised.value)


def test_array_that_is_read_only_is_not_written() -> None:
    scope = GlobalScope()
    with scope.function("main", {"p": "float32*"}) as f:
        f.store(core.as_expr(f.p), 1.0)
        f.ret()
    data = np.zeros(2, "float32")
    data.flags.writeable = False
    with pytest.raises(EvaluationError, match="p would be written"):
        core.run(scope.module(), data)
