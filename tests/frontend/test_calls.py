"""Calls of front ends as TVM has them say what to write."""

from __future__ import annotations

import linecache
from types import SimpleNamespace

import pytest

import relayish
from relayish.errors import ModelError
from relayish.frontend.calls import explain_calls
from tests.support.each import each

SHAPE = {"image": (1, 3, 8, 8)}


@explain_calls("write it otherwise")
def read(model, *, names=()):
    """Return one thing that can be iterated, as a module can."""
    return [model, *names]


def run(statement):
    """Run a statement whose source can be had, as that of a file or a cell."""
    linecache.cache[statement] = (
        len(statement),
        None,
        [*statement.splitlines(keepends=True)],
        statement,
    )
    exec(
        compile(statement, statement, "exec"), {"read": read, "reader": SimpleNamespace(read=read)}
    )


@each(
    "statement",
    [
        "mod, params = read(1)",
        "mod, params = reader.read(\n  1)",
        "mod, params = read(1, names=(2,))",  # would have come apart
        "mod, params = read(*[1])",
        "mod, params = read(**{'model': 1})",
        "[mod, params] = read(1)",
    ],
)
def test_what_is_one_thing_and_unpacked_says_what_to_write(statement):
    with pytest.raises(ModelError, match=r"^read\(model, names\) .* 2 are unpacked; write it oth"):
        run(statement)


def test_a_call_that_has_often_been_made_is_looked_at_as_the_first_is():
    for _ in range(1000):  # Python writes other instructions for what runs often
        with pytest.raises(ModelError, match="2 are unpacked"):
            _mod, _params = read(1)


@each(
    "statement",
    [
        "mod = read(1)",
        "mod, *params = read(1)",
        "mod, params = 1, read(1)",
        "mod, params = list(read(1, names=(2,)))",
        "mod, params = read(1)[0], 2",
        "made = read(1, names=(2,)); mod, params = made",
        "mod = (lambda: read(1))()",
        "mod = max(map(read, [1]))",
        "mod, params = list(map(read, [1, 2]))",  # the next step unpacks, but another's result
        "mod, params = max(map(read, [1, 2]), key=len) * 2",
    ],
)
def test_what_is_taken_as_one_thing_is_given(statement):
    run(statement)


def test_without_its_source_a_call_is_left_to_fail_as_it_does():
    with pytest.raises(ValueError, match="not enough values to unpack"):
        exec("mod, params = read(1)", {"read": read})


@each(
    ("call", "told"),
    [
        ("read(1, 2)", "^too many positional arguments; expected read.model, names.; write it"),
        ("read(1, shape=2)", "^got an unexpected keyword argument 'shape'; expected read"),
        ("read()", "^missing a required argument: 'model'; expected read"),
    ],
)
def test_other_arguments_say_which_there_are_and_what_to_write(call, told):
    with pytest.raises(ModelError, match=told):
        eval(call, {"read": read})


def test_an_error_within_is_the_function_s_own():
    @explain_calls("write it otherwise")
    def fails(model):
        raise TypeError(model)

    with pytest.raises(TypeError, match=r"^own$"):
        fails("own")


@each(
    "call",
    [
        "from_onnx('model.onnx', SHAPE)",
        "from_onnx('model.onnx', shape=SHAPE, dtype='float32')",
        "from_onnx('model.onnx', opset=11)",
        "from_onnx('model.onnx', convert_config={})",
    ],
)
def test_from_onnx_called_as_that_of_tvm_names_the_one_of_tvm(call):
    with pytest.raises(ModelError, match=r"write relayish\.tvm\.frontend\.from_onnx\(model, shape"):
        eval(f"relayish.frontend.{call}", {"relayish": relayish, "SHAPE": SHAPE})


def test_front_ends_that_give_a_module_say_so_where_a_pair_is_expected():
    with pytest.raises(ModelError, match=r"write relayish\.tvm\.frontend\.from_onnx\(model, shape"):
        _mod, _params = relayish.frontend.from_onnx("model.onnx")
    with pytest.raises(ModelError, match=r"write from_torch\(torch\.export\.export\(module, args"):
        _mod, _params = relayish.frontend.from_torch(None, [("x", (1, 3))])
    with pytest.raises(ModelError, match=r"write from_torch\(torch\.export\.export\(module, args"):
        _mod, _params = relayish.frontend.from_torch(None)
