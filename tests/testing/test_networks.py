"""Networks compute what they should, in every layout, and are well typed in every form."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import testing
from relayish.analysis import well_formed
from relayish.errors import FieldError, TypeInferenceError
from relayish.interpreter import create_executor
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any, TensorType
from relayish.transform import InferType
from tests.support.each import each


def result_type(net):
    typed = InferType()(IRModule.from_expr(net))["main"]
    assert well_formed(typed)
    assert all(isinstance(p.checked_type, TensorType) for p in typed.params)
    ty = typed.ret_type
    return ty.shape, ty.dtype


FORMS = {
    "mlp by default": (lambda: testing.mlp.get_net(1), (1, 10), "float32"),
    "mlp": (lambda: testing.mlp.get_net(2, 5, (3, 8, 8), "float16"), (2, 5), "float16"),
    "dqn": (lambda: testing.dqn.get_net(2), (2, 18), "float32"),
    "dqn nhwc": (
        lambda: testing.dqn.get_net(2, 6, (84, 84, 4), layout="NHWC"),
        (2, 6),
        "float32",
    ),
    "dcgan nhwc": (
        lambda: testing.dcgan.get_net(2, 7, (64, 64, 3), 8, layout="NHWC"),
        (2, 64, 64, 3),
        "float32",
    ),
    "resnet 34": (lambda: testing.resnet.get_net(1, 10, 34), (1, 10), "float32"),
    "resnet 50 nhwc": (
        lambda: testing.resnet.get_net(2, 10, 50, (224, 224, 3), "NHWC"),
        (2, 10),
        "float32",
    ),
    "resnet 101": (lambda: testing.resnet.get_net(1, 10, 101), (1, 10), "float32"),
    "resnet 152": (lambda: testing.resnet.get_net(1, 10, 152), (1, 10), "float32"),
    "resnet 200": (lambda: testing.resnet.get_net(1, 10, 200), (1, 10), "float32"),
    "resnet 269": (lambda: testing.resnet.get_net(1, 10, 269), (1, 10), "float32"),
    "small resnet 20": (
        lambda: testing.resnet.get_net(1, 10, 20, (3, 28, 28)),
        (1, 10),
        "float32",
    ),
    "small resnet 164": (
        lambda: testing.resnet.get_net(1, 10, 164, (3, 28, 28)),
        (1, 10),
        "float32",
    ),
    "resnet_3d 18": (lambda: testing.resnet_3d.get_net(1, 10, 18), (1, 10), "float32"),
    "resnet_3d 50 ndhwc": (
        lambda: testing.resnet_3d.get_net(1, 10, 50, (16, 112, 112, 3), "NDHWC"),
        (1, 10),
        "float32",
    ),
    "small resnet_3d": (
        lambda: testing.resnet_3d.get_net(1, 10, 20, (3, 8, 28, 28)),
        (1, 10),
        "float32",
    ),
    "mobilenet half": (
        lambda: testing.mobilenet.mobile_net(10, (1, 3, 64, 64), alpha=0.5, is_shallow=True),
        (1, 10),
        "float32",
    ),
    "mobilenet nhwc": (
        lambda: testing.mobilenet.mobile_net(10, (1, 64, 64, 3), layout="NHWC"),
        (1, 10),
        "float32",
    ),
    "densenet 161": (lambda: testing.densenet.get_net(1, 10, 161), (1, 10), "float32"),
    "densenet 169": (lambda: testing.densenet.get_net(1, 10, 169), (1, 10), "float32"),
    "densenet 201": (lambda: testing.densenet.get_net(1, 10, 201), (1, 10), "float32"),
    "squeezenet 1.1": (
        lambda: testing.squeezenet.get_net(1, num_classes=10, version="1.1"),
        (1, 10),
        "float32",
    ),
    "vgg 11": (lambda: testing.vgg.get_net(1, num_classes=10), (1, 10), "float32"),
    "vgg 13": (lambda: testing.vgg.get_net(1, num_layers=13), (1, 1000), "float32"),
    "vgg 16": (lambda: testing.vgg.get_net(1, num_layers=16), (1, 1000), "float32"),
    "vgg 19": (
        lambda: testing.vgg.get_net(1, num_layers=19, batch_norm=True),
        (1, 1000),
        "float32",
    ),
    "synthetic cast": (
        lambda: testing.synthetic.get_net((2, 4, 6, 8), "float32", "float16"),
        (2, 4, 6, 8),
        "float32",
    ),
    "lstm": (lambda: testing.lstm.get_net(3, 5, 2), (2, 5), "float32"),
    "lstm of no steps": (lambda: testing.lstm.get_net(0, 5, 2), (2, 5), "float32"),
}


@each("form", FORMS)
def test_network_is_well_typed(form):
    build, shape, dtype = FORMS[form]
    assert result_type(build()) == (shape, dtype)


@pytest.mark.parametrize("layers", [18, 34, 50, 101, 152, 200])
def test_resnet_has_as_many_layers_as_it_says(layers):
    found = testing.count_ops(testing.resnet.get_net(1, 10, layers))
    shortcuts = 4  # one a stage, which are not counted among the layers
    assert found["nn.conv2d"] - shortcuts + found["nn.dense"] == layers


@each(
    ("build", "message"),
    [
        (lambda: testing.resnet.get_net(1, 10, 51), "no residual network of 51 layers"),
        (lambda: testing.resnet.get_net(1, 10, 21, (3, 28, 28)), "6n \\+ 2 below 164"),
        (
            lambda: testing.resnet.resnet((1,), 2, (1, 2), 10, (1, 3, 64, 64)),
            "2 stages need as many units",
        ),
        (lambda: testing.densenet.get_net(1, densenet_size=7), "expected one of 121, 161"),
        (lambda: testing.vgg.get_net(1, num_layers=12), "expected one of 11, 13"),
        (lambda: testing.squeezenet.get_net(1, version="2"), "no version '2'"),
        (lambda: testing.mobilenet.mobile_net(layout="CNHW"), "no layout 'CNHW'"),
        (lambda: testing.mobilenet.mobile_net(alpha=0.01), "leaves no channel"),
        (lambda: testing.dcgan.get_net(1, oshape=(3, 32, 32)), "64 high and wide"),
        (lambda: testing.dcgan.get_net(1, oshape=(3, 64, 64), layout="CNHW"), "no layout"),
        (lambda: testing.synthetic.get_net((1, 3)), "4 axes"),
        (lambda: testing.layers.conv_kernel_layout("NHWC4c"), "no layout 'NHWC4c'"),
        (
            lambda: testing.layers.conv_kernel_layout("NCDHW", is_depthwise=True),
            "for depthwise convolution; expected one of NCHW, NHWC",
        ),
    ],
)
def test_a_network_that_does_not_exist_is_an_error(build, message):
    with pytest.raises(FieldError, match=message):
        build()


def evaluated(mod, params, **data):
    return create_executor(mod=mod).evaluate()(**data, **params)


def images(*shape):
    return np.random.default_rng(0).random(shape, "float32")


class Lively(testing.init.Initializer):
    """Fills everything with random numbers, so that no layer hides what another one does."""

    def __call__(self, desc, arr):
        drawn = self.rng.standard_normal(arr.shape)
        if desc.endswith("weight"):
            arr[...] = drawn / np.sqrt(arr[0].size)
        else:
            arr[...] = 1 + abs(drawn) / 4


NETS = {
    "resnet": lambda layout, shape: testing.resnet.get_net(1, 7, 20, shape, layout),
    "wide resnet": lambda layout, shape: testing.resnet.resnet(
        (1, 1), 2, (4, 8, 8), 7, (1, *shape), True, layout
    ),
    "mobilenet": lambda layout, shape: testing.mobilenet.mobile_net(
        7, (1, *shape), alpha=0.25, is_shallow=True, layout=layout
    ),
}


@pytest.mark.parametrize("name", NETS)
def test_layouts_compute_the_same(name):
    data = images(1, 3, 28, 28)
    mod, params = testing.create_workload(NETS[name]("NCHW", (3, 28, 28)), Lively())
    other = InferType()(IRModule.from_expr(NETS[name]("NHWC", (28, 28, 3))))
    moved = {}
    for param in other["main"].params[1:]:
        array = params[param.name_hint]
        if array.ndim == 4:
            is_depthwise = "separable" in param.name_hint and "conv2" not in param.name_hint
            array = array.transpose((2, 3, 0, 1) if is_depthwise else (2, 3, 1, 0))
        assert array.shape == param.checked_type.shape
        moved[param.name_hint] = array
    expected = evaluated(mod, params, data=data)
    found = evaluated(other, moved, data=data.transpose(0, 2, 3, 1))
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-6)
    assert np.ptp(expected) > 0.01


@pytest.mark.references
def test_mlp_computes_what_torch_does():
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    mod, params = testing.mlp.get_workload(3, 5, (2, 4, 4))
    data = images(3, 2, 4, 4)
    w = {name: torch.from_numpy(array) for name, array in params.items()}
    hidden = torch.from_numpy(data).flatten(1)
    for layer in ("fc1", "fc2"):
        hidden = functional.linear(hidden, w[f"{layer}_weight"], w[f"{layer}_bias"]).relu()
    expected = functional.linear(hidden, w["fc3_weight"], w["fc3_bias"]).softmax(1)
    np.testing.assert_allclose(evaluated(mod, params, data=data), expected, rtol=1e-5)


@pytest.mark.references
def test_dqn_computes_what_torch_does():
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    mod, params = testing.dqn.get_workload(1)
    data = images(1, 4, 84, 84)
    w = {name: torch.from_numpy(array) for name, array in params.items()}
    hidden = torch.from_numpy(data)
    for index, stride in enumerate((4, 2, 1), 1):
        kernel, bias = w[f"conv{index}_weight"], w[f"conv{index}_bias"]
        hidden = functional.conv2d(hidden, kernel, bias, stride=stride).relu()
    hidden = functional.linear(hidden.flatten(1), w["dense1_weight"], w["dense1_bias"]).relu()
    expected = functional.linear(hidden, w["dense2_weight"], w["dense2_bias"])
    found = evaluated(mod, params, data=data)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.references
def test_lstm_cell_computes_what_torch_does():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    cell = testing.lstm.lstm_cell(4, 3)
    values = [rng.standard_normal((3, 4)).astype("float32") for _ in range(3)]
    weights = [rng.standard_normal(s).astype("float32") for s in ((16, 4), (16,)) * 2]
    inputs, hidden, kept = values
    found = create_executor(mod=IRModule.from_expr(cell)).evaluate()(
        inputs, (hidden, kept), *weights
    )
    reference = torch.nn.LSTMCell(4, 4)
    i2h_weight, i2h_bias, h2h_weight, h2h_bias = map(torch.from_numpy, weights)
    with torch.no_grad():
        reference.weight_ih.copy_(i2h_weight)
        reference.bias_ih.copy_(i2h_bias)
        reference.weight_hh.copy_(h2h_weight)
        reference.bias_hh.copy_(h2h_bias)
        pair = reference(torch.from_numpy(inputs), tuple(map(torch.from_numpy, (hidden, kept))))
    output, (next_h, next_c) = found
    np.testing.assert_allclose(output, pair[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(next_h, pair[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(next_c, pair[1], rtol=1e-4, atol=1e-6)


def test_generator_starts_from_the_code_it_is_given():
    code = Var("mine", TensorType((1, 9)))
    net = testing.dcgan.get_net(1, 9, ngf=4, code=code)
    assert net.params[0] is code
    assert result_type(net) == ((1, 3, 64, 64), "float32")


def test_weights_are_the_same_for_the_same_seed_only():
    net = testing.mlp.get_net(1)
    _, first = testing.create_workload(net)
    _, again = testing.create_workload(net)
    _, other = testing.create_workload(net, seed=1)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["fc1_weight"], other["fc1_weight"])


def test_weights_are_those_numpy_draws_from_the_seed():
    _, params = testing.create_workload(testing.mlp.get_net(1), seed=3)
    state = np.random.RandomState(3)
    for name in ("fc1_weight", "fc2_weight", "fc3_weight"):
        units, features = params[name].shape
        scale = np.sqrt(3 / ((units + features) / 2))
        drawn = state.uniform(-scale, scale, (units, features)).astype("float32")
        assert np.array_equal(params[name], drawn)


def test_a_parameter_of_unknown_size_is_an_error():
    x = Var("weight", TensorType((2, Any())))
    with pytest.raises(TypeInferenceError, match="parameter %weight"):
        testing.create_workload(Function((x,), x))
