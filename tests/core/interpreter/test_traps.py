"""What evaluation of core refuses: what was found, and a note that names the node and its span."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from relayish import core
from relayish.core import FunctionScope, GlobalScope, as_type
from relayish.errors import (
    DivisionByZeroError,
    EvaluationError,
    LifetimeError,
    OutOfBoundsError,
    TypeConfusionError,
    UninitialisedReadError,
    UnsupportedError,
    notes_of,
)
from relayish.ir.nodes.span import Span

Fill = Callable[[FunctionScope], object]


def division(f: FunctionScope) -> None:
    f.retv(core.as_expr(f.a) / 0)


def remainder(f: FunctionScope) -> None:
    f.retv(core.as_expr(f.a) % 0)


def shift(f: FunctionScope) -> None:
    f.retv(core.Shl(core.as_expr(f.a), core.const(32)))


def unset_local(f: FunctionScope) -> None:
    f.retv(core.as_expr(f.local("x")))


def unset_register(f: FunctionScope) -> None:
    f.retv(core.as_expr(f.preg("int32", "r")))


def unset_element(f: FunctionScope) -> None:
    x = f.local("x", "int32[4]")
    f.store(core.element(x, 0), 1)
    f.retv(core.load(core.element(x, 1)))


def unset_through_address(f: FunctionScope) -> None:
    f.retv(core.load(core.Lda(f.local("x"))))


def element_outside(f: FunctionScope) -> None:
    x = f.local("x", "int32[4]")
    f.store(core.element(x, 4), 1)


def element_before(f: FunctionScope) -> None:
    x = f.local("x", "int32[4]")
    f.retv(core.load(core.element(x, -1)))


def null_pointer(f: FunctionScope) -> None:
    f.retv(core.load(core.Zero(as_type("int32*"))))


def element_of_null(f: FunctionScope) -> None:
    f.retv(core.load(core.element(core.Zero(as_type("int32*")), 2)))


def address_of_nothing(f: FunctionScope) -> None:
    f.retv(core.load(core.const(1 << 60, "int32*")))


def code_as_data(f: FunctionScope) -> None:
    p = f.local("p", "int32*")
    f.add(core.Sto(p, 0, core.Lda(f.self)))
    f.retv(core.load(core.as_expr(p)))


def data_as_code(f: FunctionScope) -> None:
    p = f.local("p", f.self.type.pointer_to())
    f.add(core.Sto(p, 0, core.Lda(f.local("x"))))
    f.call(core.as_expr(p), 1)


def null_function(f: FunctionScope) -> None:
    f.call(core.Zero(f.self.type.pointer_to()), 1)


def written_constant(f: FunctionScope) -> None:
    text = core.Ldca(core.Constant("ab"))
    f.store(text, core.const(1, "uint8"))


def no_value(f: FunctionScope) -> None:
    with f.if_(core.equal(f.a, 0)):
        f.retv(core.as_expr(f.call(f.self, 1)))


def invalid(f: FunctionScope) -> None:
    f.add(core.Invalid())


TRAPS: dict[Fill, tuple[type[Exception], str, str]] = {
    division: (DivisionByZeroError, "0 is divided by zero", "div(%0, 0)"),
    remainder: (DivisionByZeroError, "remainder of 0 by zero", "mod(%0, 0)"),
    shift: (EvaluationError, "shifted by 32 places; expected 0 to 31", "shl(%0, 32)"),
    unset_local: (UninitialisedReadError, "%x is read before", "ld(%x)"),
    unset_register: (UninitialisedReadError, "%r is read before", "ldp(%r)"),
    unset_element: (UninitialisedReadError, "bytes 4 to 7 of %x is read before", "ild(%0)"),
    unset_through_address: (UninitialisedReadError, "%x is read before", "ild(%0)"),
    element_outside: (OutOfBoundsError, "bytes 16 to 19 of %x would be written", "ist(%0, 1)"),
    element_before: (OutOfBoundsError, "bytes -4 to -1 of %x would be read", "ild(%0)"),
    null_pointer: (OutOfBoundsError, "null pointer", "ild("),
    element_of_null: (OutOfBoundsError, "null pointer, 8 bytes on", "ild(%0)"),
    address_of_nothing: (EvaluationError, "no address of anything", "ild("),
    code_as_data: (EvaluationError, "address of function main", "ild(%0)"),
    data_as_code: (EvaluationError, "no address of a function", "icall("),
    null_function: (EvaluationError, "function at a null pointer", "icall("),
    written_constant: (EvaluationError, "which is a constant", "ist(%0, 1)"),
    no_value: (EvaluationError, "main has ended without a value", "call("),
    invalid: (EvaluationError, "Invalid is reached", "invalid"),
}


@pytest.mark.parametrize("fill", TRAPS, ids=lambda fill: fill.__name__)
def test_trap_says_what_was_found_and_in_which_node(fill: Fill) -> None:
    scope = GlobalScope()
    with scope.function("main", {"a": "int32"}, "int32") as f:
        fill(f)
    kind, message, where = TRAPS[fill]
    with pytest.raises(kind) as raised:
        core.run(scope.module(), 0)
    assert message in str(raised.value)
    assert any(note.startswith(f"while visiting {where}") for note in notes_of(raised.value))


def test_trap_names_the_span_of_the_node() -> None:
    scope = GlobalScope()
    with scope.function("main", {"a": "int32"}, "int32") as f:
        divided = (core.as_expr(f.a) / 0).with_fields(span=Span("kernel.c", 12, 12, 7, 9))
        f.retv(divided)
    with pytest.raises(DivisionByZeroError) as raised:
        core.run(scope.module(), 1)
    assert any("kernel.c:12:7" in note for note in notes_of(raised.value))


def test_address_of_variable_of_function_that_was_left_is_refused() -> None:
    scope = GlobalScope()
    with scope.function("leak", {}, "int32*") as f:
        x = f.local("x")
        f.store(x, 1)
        f.retv(core.Lda(x))
    leak = f.self
    with scope.function("main", {}, "int32") as f:
        f.retv(core.load(core.as_expr(f.call(leak))))
    with pytest.raises(LifetimeError, match="a function which has been left"):
        core.run(scope.module())


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


def test_declared_function_without_extern_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"externs=\{'missing': ...\}"):
        core.run(_pass_on()[0].module(), 1)


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
