from __future__ import annotations

import pytest

from relayish import testing
from relayish.analysis import free_vars
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Function, Var
from relayish.testing import layers


def parameters(layer):
    """Return the shapes of the parameters of a layer, by name, and the shape of its result."""
    typed = testing.run_infer_type(Function(free_vars(layer), layer))
    found = {p.name_hint: p.checked_type.shape for p in typed.params}
    return found, typed.ret_type.shape


@pytest.mark.parametrize(
    ("build", "rank", "layout", "kernel"),
    [
        (layers.conv1d, 1, "NCW", "OIW"),
        (layers.conv2d, 2, "NCHW", "OIHW"),
        (layers.conv3d, 3, "NCDHW", "OIDHW"),
        (layers.conv2d_transpose, 2, "NCHW", "IOHW"),
    ],
)
def test_weight_of_a_convolution_is_made_and_its_size_inferred(build, rank, layout, kernel):
    data = var("data", shape=(1, 3, *(8,) * rank))
    layer = build(data, name="layer", channels=5, kernel_size=3, padding=1)
    assert layer.attrs.data_layout == layout
    sizes = {"O": 5, "I": 3}
    shapes, result = parameters(layer)
    assert shapes["layer_weight"] == tuple(sizes.get(axis, 3) for axis in kernel)
    assert result == (1, 5, *(8,) * rank)


def test_convolution_without_padding_says_so_for_every_side():
    layer = layers.conv2d(Var("data"), name="c", channels=2, kernel_size=3)
    assert layer.attrs.padding == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "build", [layers.conv1d, layers.conv2d, layers.conv3d, layers.conv2d_transpose]
)
def test_weight_that_is_given_is_used(build):
    weight = Var("mine")
    assert build(Var("data"), weight, name="c", channels=2, kernel_size=3).args[1] is weight


def test_dense_layer_has_a_weight_and_a_bias():
    layer = layers.dense_add_bias(var("data", shape=(4, 7)), units=3, name="fc")
    shapes, result = parameters(layer)
    assert shapes == {"data": (4, 7), "fc_weight": (3, 7), "fc_bias": (3,)}
    assert result == (4, 3)


def test_dense_layer_takes_its_size_from_its_weight():
    weight, bias = var("w", shape=(5, 7)), Var("b")
    layer = layers.dense_add_bias(var("data", shape=(4, 7)), weight, bias, name="fc")
    shapes, result = parameters(layer)
    assert shapes["b"] == (5,)
    assert result == (4, 5)


def test_normalisation_has_four_parameters_and_one_result():
    layer = layers.batch_norm_infer(
        var("data", shape=(1, 8, 8, 3)), name="bn", axis=3, epsilon=0.5, scale=False
    )
    shapes, result = parameters(layer)
    names = ("gamma", "beta", "moving_mean", "moving_var")
    assert shapes == {"data": (1, 8, 8, 3), **{f"bn_{name}": (3,) for name in names}}
    assert result == (1, 8, 8, 3)
    attrs = layer.tuple_value.attrs
    assert (attrs.axis, attrs.epsilon, attrs.scale, attrs.center) == (3, 0.5, False, True)


def test_parameters_of_a_normalisation_that_are_given_are_used():
    given = [Var(name) for name in "gbmv"]
    layer = layers.batch_norm_infer(Var("data"), *given, name="bn")
    assert list(layer.tuple_value.args[1:]) == given


@pytest.mark.parametrize(
    ("layout", "is_depthwise", "kernel"),
    [
        ("NCHW", False, "OIHW"),
        ("NCHW", True, "OIHW"),
        ("NHWC", False, "HWIO"),
        ("NHWC", True, "HWOI"),
        ("NCDHW", False, "OIDHW"),
        ("NDHWC", False, "DHWIO"),
    ],
)
def test_kernels_are_laid_out_by_convention(layout, is_depthwise, kernel):
    assert layers.conv_kernel_layout(layout, is_depthwise) == kernel


def test_dropout_keeps_the_shape_and_drops_the_mask():
    layer = layers.dropout(var("data", shape=(2, 3)), rate=0.25)
    assert parameters(layer) == ({"data": (2, 3)}, (2, 3))
    assert layer.tuple_value.attrs.rate == 0.25
