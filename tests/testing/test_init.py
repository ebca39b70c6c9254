from __future__ import annotations

import numpy as np
import pytest

from relayish import testing
from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Function
from relayish.testing.init import Constant, Initializer, Xavier


def filled(initializer, name, *shape):
    array = np.full(shape, 77, "float32")
    initializer(name, array)
    return array


@pytest.mark.parametrize(
    ("name", "value"),
    [("fc_bias", 0), ("bn_gamma", 1), ("bn_beta", 0), ("bn_moving_mean", 0), ("bn_moving_var", 1)],
)
def test_what_is_no_weight_becomes_a_constant(name, value):
    assert (filled(Xavier(), name, 3) == value).all()


def test_a_name_that_says_nothing_is_an_error():
    with pytest.raises(FieldError, match="parameter 'state'"):
        filled(Xavier(), "state", 3)


def test_a_weight_of_one_axis_is_an_error():
    with pytest.raises(FieldError, match="it needs 2 axes"):
        filled(Xavier(), "weight", 3)


@pytest.mark.parametrize(("factor", "fan"), [("in", 30 * 9), ("out", 20 * 9), ("avg", 25 * 9)])
@pytest.mark.parametrize("kind", ["uniform", "gaussian"])
def test_weights_vary_by_what_they_connect(factor, fan, kind):
    initializer = Xavier(kind, factor, 2)
    array = filled(initializer, "conv_weight", 20, 30, 3, 3)
    scale = np.sqrt(2 / fan)
    if kind == "uniform":
        assert abs(array).max() <= scale
        assert array.std() == pytest.approx(scale / np.sqrt(3), rel=0.05)
    else:
        assert array.std() == pytest.approx(scale, rel=0.05)
    assert abs(array.mean()) < scale / 10


def test_depthwise_weights_connect_one_window():
    array = filled(Xavier(magnitude=9), "depthwise_conv_weight", 64, 1, 3, 3)
    assert 0.9 < abs(array).max() <= 1


@pytest.mark.parametrize("given", [{"rnd_type": "normal"}, {"factor_type": "both"}])
def test_an_unknown_distribution_is_an_error(given):
    with pytest.raises(FieldError, match=r"found '(normal|both)'"):
        Xavier(**given)


def test_constant_weights_are_constant():
    assert (filled(Constant(0.5), "weight", 2, 2) == 0.5).all()
    assert (filled(Constant(0.5), "bias", 2) == 0).all()


def test_an_initializer_that_does_not_say_what_weights_become_is_an_error():
    with pytest.raises(
        FieldError, match=r"Initializer does not say how weight .*define init_weight"
    ):
        filled(Initializer(), "weight", 2, 2)


def test_reseeding_starts_from_the_beginning():
    initializer = Xavier()
    first = filled(initializer, "weight", 3, 3)
    second = filled(initializer, "weight", 3, 3)
    assert not np.array_equal(first, second)
    initializer.reseed(0)
    assert np.array_equal(filled(initializer, "weight", 3, 3), first)


def test_any_function_may_initialise():
    x, state = var("data", shape=(2,)), var("state", shape=(3,), dtype="int8")

    def ones(name, array):
        assert name == "state"
        array[...] = 1

    _, params = testing.create_workload(Function((x, state), state), ones)
    assert params["state"].tolist() == [1, 1, 1]
    assert params["state"].dtype == "int8"
    assert "data" not in params


def test_a_subclass_says_what_its_parameters_become():
    class Counting(Constant):
        def init_default(self, name, arr):
            arr[...] = len(name)

    x = var("state", shape=(2,))
    _, params = testing.create_workload(Function((x,), x), Counting(0))
    assert params["state"].tolist() == [5, 5]
