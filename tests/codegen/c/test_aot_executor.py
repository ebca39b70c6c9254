"""The executor that compiles, asked in all the ways in which the interpreter is."""

import numpy as np
import pytest

import relayish as relay
from relayish import tvm
from relayish.errors import EvaluationError, TypeConfusionError
from tests.support.each import each

MODULE = relay.parse(
    """#[version = "0.0.5"]
    def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { add(%x, 1f) }
    def @twice(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { multiply(@main(%x), 2f) }
    def @count(%n: int32, %all: (int32, (int32, bool))) -> int32 {
      if (less(%n, 1)) { add(%all.0, %all.1.0) } else {
        @count(subtract(%n, 1), (add(%all.0, %n), %all.1)) } }
    """
)
X = relay.var("x", shape=(2,))
A, B = np.array([1, -2], "float32"), np.array([0.5, 3], "float32")


def free(name):
    return MODULE.get_global_var(name)


@each(
    ("expr", "args"),
    [
        ("twice", (A,)),
        (free("twice"), (A,)),
        (relay.Function([X], free("main")(free("twice")(X))), (A,)),
        ("count", (3, (10, (100, True)))),
        (free("count"), (np.int32(2), (np.int32(1), (np.int32(0), np.bool_(False))))),
    ],
)
def test_functions_give_what_the_interpreter_gives(expr, args):
    wanted = relay.create_executor("debug", MODULE).evaluate(expr)(*args)
    found = relay.create_executor("aot", MODULE).evaluate(expr)(*args)
    assert np.array_equal(found, wanted)


def test_free_variables_take_what_they_are_bound_to():
    y = relay.var("y", shape=(2,))
    binds = {y: B}
    add = relay.Function([X], X + y)
    for executor in (tvm.create_executor("aot", MODULE), tvm.create_executor("graph", MODULE)):
        assert np.array_equal(executor.evaluate(X + y, {X: A, **binds}).numpy(), A + B)
        assert np.array_equal(executor.evaluate(add, binds)(A).numpy(), A + B)


@each("given", [(1, 2, 3), (1, (2,)), (1, 2), 5])
def test_tuples_of_another_form_are_refused(given):
    count = relay.create_executor("aot", MODULE).evaluate("count")
    with pytest.raises(TypeConfusionError, match="argument 'all' must be of type"):
        count(1, given)


def test_arguments_in_tuples_are_given_by_name():
    count = relay.create_executor("aot", MODULE).evaluate("count")
    assert count(all=(1, (2, True)), n=1) == 4
    with pytest.raises(EvaluationError, match="argument 'all' is missing"):
        count(1)
