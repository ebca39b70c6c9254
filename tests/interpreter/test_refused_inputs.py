"""What cannot be evaluated is refused where it is given, and said in words of evaluation."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import relayish as relay
from relayish.codegen import run_as_python, to_python
from relayish.errors import EvaluationError
from relayish.interpreter import evaluate
from relayish.text import parse
from tests.support.each import each

X: Final = relay.var("x", shape=(2,))
F: Final = relay.Function([X], relay.nn.relu(X))
MOD: Final = relay.IRModule.from_expr(F)
ODD: Final = object()


def executor(kind: str, *args: Any, **named: Any) -> Any:  # Any: whatever is given
    return relay.create_executor(kind, MOD).evaluate(*args, **named)


# Any: of every type but those that are taken
CASES: Final[dict[str, Any]] = {
    "None is no expression": lambda: relay.evaluate(None),
    "'x' (str) is no expression and has no value; read text with parse_expr": (
        lambda: relay.evaluate("x")
    ),
    "3 (int) is no expression and has no value; write const(3)": lambda: relay.evaluate(3),
    "a IRModule is no expression and has no value; give one of its functions": (
        lambda: relay.evaluate(MOD)
    ),
    "mod is 'x' (str), which is no module; give an IRModule, or none": (
        lambda: relay.evaluate(F, "x")
    ),
    "mod is a Function, which is no module; make one with IRModule.from_expr(expr)": (
        lambda: relay.create_executor("debug", F)
    ),
    "mod is 3 (int), which is no module": lambda: relay.create_executor("graph", 3),
    "args is 3 (int); expected a sequence of arguments": lambda: relay.evaluate(F, args=3),
    "args is 'ab' (str); expected a sequence of arguments": lambda: relay.evaluate(F, args="ab"),
    "max_depth is 'a' (str); expected a number of calls": (
        lambda: relay.evaluate(F, max_depth="a")
    ),
    "max_depth is -1 (int); expected a number of calls": lambda: relay.evaluate(F, max_depth=-1),
    "max_calls is True (bool); expected a number of calls, or None for any": (
        lambda: relay.create_executor("debug", MOD, max_calls=True)
    ),
    "there is no executor of kind 3; use 'debug'": lambda: relay.create_executor(3, MOD),
    "params is 3 (int); expected values by the names of parameters": (
        lambda: relay.create_executor("debug", MOD, params=3)
    ),
    "params has a value for 1 (int); expected the names of parameters": (
        lambda: relay.create_executor("graph", MOD, params={1: 2.0})
    ),
    "parameter 'x': a constant holds a number": (
        lambda: relay.create_executor("graph", MOD, params={"x": ODD})
    ),
    "binds is 3 (int); expected values by variables": lambda: executor("debug", X, 3),
    "binds has a value for 'x' (str); expected variables": (
        lambda: executor("graph", X, {"x": 1.0})
    ),
    "the value of %x: a constant holds a number": lambda: executor("graph", X, {X: ODD}),
    "4 (int) is no expression and has no value; write const(4)": lambda: executor("graph", 4),
    "5 (int) is no expression and has no value; write const(5)": lambda: executor("debug", 5),
    "mod is 4 (int), which is no module": lambda: to_python(F, 4),
    "main(x) is called with other arguments: missing a required argument: 'x'": run_as_python(F),
    "main(x) is called with other arguments: too many positional arguments": (
        lambda: run_as_python(F)(1.0, 2.0)
    ),
    "main(x) is called with other arguments: ": lambda: run_as_python(F)(y=1.0),
    "argument 'x': a constant holds a number, an array": lambda: run_as_python(F)(ODD),
}


@each("message", CASES)
def test_what_is_no_input_is_refused(message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        CASES[message]()
    assert str(caught.value).startswith(message)


def test_function_in_python_takes_arguments_by_place_and_by_name() -> None:
    value = np.array([-1.0, 1.0], "float32")
    assert run_as_python(F)(value).tolist() == run_as_python(F)(x=value).tolist() == [0.0, 1.0]


LISTS = """#[version = "0.0.5"]
type L[A] { C(A, L[A]), N, }
def @make(%x: int32) -> L[int32] { C(%x, N) }
def @main(%l: L[int32]) -> int32 { match? (%l) { C(%h, C(_, _)) => { %h } } }"""


def test_value_of_the_data_type_of_another_module_is_said_to_be_one():
    one, other = (parse(LISTS) for _ in range(2))
    value = evaluate(one["make"], one, (3,))
    with pytest.raises(EvaluationError, match="no clause of the match covers"):
        evaluate(one["main"], one, (value,))
    with pytest.raises(EvaluationError, match="that another module defines, whose C is not the"):
        evaluate(other["main"], other, (value,))
