from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.errors import BuilderError
from relayish.frontend import foreach, while_loop
from relayish.transform import InferType


def countdown():
    i = relay.var("i", "int32")
    return while_loop(
        lambda i: relay.greater(i, relay.const(0)), [i], lambda i: [i - relay.const(1)]
    )


def test_loop_runs_as_long_as_its_condition_holds():
    assert relay.evaluate(countdown()(relay.const(9))) == (0,)
    assert relay.evaluate(countdown()(relay.const(-3))) == (-3,)


def test_loop_of_many_turns_uses_no_stack():
    assert relay.evaluate(countdown()(relay.const(20_000))) == (0,)


def test_loop_is_well_typed():
    mod = InferType()(relay.IRModule.from_expr(countdown()(relay.const(3))))
    (field,) = mod["main"].ret_type.fields
    assert (field.shape, field.dtype) == ((), "int32")


def test_variables_of_a_loop_are_fresh():
    i = relay.var("i", "int32")
    seen = []
    while_loop(lambda v: seen.append(v) or relay.const(False), [i], lambda v: [v])
    assert seen[0] is not i
    assert seen[0].name_hint == "i"


def test_loop_that_gives_another_number_of_values_is_refused():
    i = relay.var("i", "int32")
    with pytest.raises(BuilderError, match=r"a loop over 1 variables gives 1 values .*; found 2"):
        while_loop(lambda v: relay.const(True), [i], lambda v: [v, v])


def test_foreach_goes_along_the_first_axis():
    rows = np.arange(6, dtype="float32").reshape(3, 2)
    total = foreach(relay.const(rows), relay.const(np.zeros(2, "float32")), relay.add)
    np.testing.assert_array_equal(relay.evaluate(total), rows.sum(axis=0))


def test_foreach_is_well_typed():
    rows = relay.var("rows", shape=(3, 2))
    total = foreach(rows, relay.zeros((2,), "float32"), lambda x, state: x + state)
    mod = InferType()(relay.IRModule.from_expr(relay.Function([rows], total)))
    assert mod["main"].ret_type.concrete_shape == (2,)
