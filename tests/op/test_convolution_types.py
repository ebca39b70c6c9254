"""Types of convolutions and pools: what is inferred of weights, and what is refused."""

from __future__ import annotations

import pytest

from relayish.ir.relay.type import Any, IncompleteType, SizeVar, TensorType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import relation, rule
from relayish.op.types.dimension import show_shape


class Reporter:
    """Keeps what a relation tells of types it did not know."""

    def __init__(self):
        self.told = {}

    def assign(self, unknown, found):
        self.told[unknown] = found


def tensor(*shape, dtype="float32"):
    return TensorType(shape, dtype)


def related(name, *types, **attributes):
    """Return the type of the result, and what was told of the weight."""
    op = get_op(name)
    attrs = make_attrs(op, attributes)
    if op in rule:
        return rule.get(op)(attrs, *types), None
    reporter = Reporter()
    result = relation.get(op)(attrs, types, reporter)
    return result, reporter.told.get(types[-1])


WEIGHTS = [
    ("nn.conv1d", (1, 4, 9), {"kernel_size": (3,)}, (6, 4, 3), (1, 6, 7)),
    ("nn.conv1d", (1, 4, 9), {"kernel_size": (3,), "groups": 2}, (6, 2, 3), (1, 6, 7)),
    ("nn.conv2d", (1, 4, 9, 9), {"kernel_size": (3, 2)}, (6, 4, 3, 2), (1, 6, 7, 8)),
    ("nn.conv2d", (1, 4, 9, 9), {"kernel_size": (3, 2), "groups": 2}, (6, 2, 3, 2), (1, 6, 7, 8)),
    ("nn.conv2d", (1, 6, 9, 9), {"kernel_size": (3, 3), "groups": 6}, (6, 1, 3, 3), (1, 6, 7, 7)),
    (
        "nn.conv2d",
        (1, 9, 9, 4),
        {"kernel_size": (3, 3), "data_layout": "NHWC", "kernel_layout": "HWIO"},
        (3, 3, 4, 6),
        (1, 7, 7, 6),
    ),
    (
        "nn.conv2d",
        (1, 9, 9, 6),
        {"kernel_size": (3, 3), "data_layout": "NHWC", "kernel_layout": "HWOI", "groups": 6},
        (3, 3, 6, 1),
        (1, 7, 7, 6),
    ),
    (
        "nn.conv2d",
        (1, 2, 9, 9, 2),
        {
            "kernel_size": (3, 3),
            "data_layout": "NCHW2c",
            "kernel_layout": "OIHW2i3o",
            "out_layout": "NCHW3c",
        },
        (2, 2, 3, 3, 2, 3),
        (1, 2, 7, 7, 3),
    ),
    ("nn.conv3d", (1, 4, 5, 5, 5), {"kernel_size": (1, 2, 3)}, (6, 4, 1, 2, 3), (1, 6, 5, 4, 3)),
    ("nn.conv1d_transpose", (1, 4, 5), {"kernel_size": (3,)}, (4, 6, 3), (1, 6, 7)),
    (
        "nn.conv2d_transpose",
        (1, 4, 5, 5),
        {"kernel_size": (4, 4), "strides": (2, 2), "padding": (1, 1), "groups": 2},
        (4, 3, 4, 4),
        (1, 6, 10, 10),
    ),
    (
        "nn.conv3d_transpose",
        (1, 4, 2, 2, 2),
        {"kernel_size": (2, 2, 2), "strides": (2, 2, 2), "output_padding": (1, 1, 1)},
        (4, 6, 2, 2, 2),
        (1, 6, 5, 5, 5),
    ),
    (
        "nn.contrib_depthwise_conv2d_NCHWc",
        (1, 3, 9, 9, 2),
        {
            "kernel_size": (3, 3),
            "groups": 6,
            "data_layout": "NCHW2c",
            "kernel_layout": "OIHW1i2o",
        },
        (3, 1, 3, 3, 1, 2),
        (1, 3, 7, 7, 2),
    ),
]


@pytest.mark.parametrize(("name", "data", "attributes", "weight", "result"), WEIGHTS)
def test_weight_is_inferred_from_data_and_attributes(name, data, attributes, weight, result):
    unknown = IncompleteType()
    given = tensor(*data, dtype="int8")
    found, told = related(name, given, unknown, channels=6, out_dtype="int32", **attributes)
    assert (told.shape, told.dtype) == (weight, "int8")
    assert (found.shape, found.dtype) == (result, "int32")
    of_weight = {n: v for n, v in attributes.items() if n != "kernel_size"}
    found, told = related(name, given, tensor(*weight, dtype="uint8"), **of_weight)
    assert (found.shape, found.dtype, told) == (result, "int8", None)
    loose = TensorType((Any(),) * len(weight), "uint8")
    found, told = related(name, given, loose, channels=6, **attributes)
    assert (told.shape, told.dtype, found.shape) == (weight, "uint8", result)


def test_nothing_is_said_before_enough_is_known():
    unknown, data = IncompleteType(), tensor(1, 4, 9, 9)
    for name, types in (
        ("nn.conv2d", (unknown, tensor(4, 4, 3, 3))),
        ("nn.conv2d", (data, unknown)),
        ("nn.conv2d_transpose", (data, unknown)),
        ("nn.conv2d_transpose", (unknown, unknown)),
        ("nn.contrib_conv2d_NCHWc", (unknown, unknown)),
        ("nn.deformable_conv2d", (unknown, unknown, unknown)),
        ("nn.deformable_conv2d", (data, unknown, unknown)),
    ):
        assert related(name, *types) == (None, None)
    assert related("nn.conv2d", data, unknown, channels=4) == (None, None)
    assert related("nn.conv2d", data, unknown, kernel_size=(3, 3)) == (None, None)


def test_weight_of_several_outputs_a_channel_is_not_guessed():
    data, options = tensor(1, 4, 9, 9), {"channels": 8, "kernel_size": (3, 3), "groups": 4}
    assert related("nn.conv2d", data, IncompleteType(), **options) == (None, None)
    for weight in (tensor(8, 1, 3, 3), tensor(4, 2, 3, 3)):
        found, told = related("nn.conv2d", data, weight, **options)
        assert (found.shape, told) == ((1, 8, 7, 7), None)


def test_offset_and_weight_of_a_deformable_convolution_are_inferred():
    op = get_op("nn.deformable_conv2d")
    attrs = make_attrs(
        op, {"channels": 6, "kernel_size": (3, 2), "deformable_groups": 2, "padding": (1, 1)}
    )
    offset, weight, reporter = IncompleteType(), IncompleteType(), Reporter()
    found = relation.get(op)(attrs, (tensor(1, 4, 9, 9), offset, weight), reporter)
    assert found.shape == (1, 6, 9, 10)
    assert reporter.told[offset].shape == (1, 24, 9, 10)
    assert reporter.told[weight].shape == (6, 4, 3, 2)


def test_unknown_and_named_dimensions_go_through():
    n = SizeVar("n", "int32")
    found, _ = related("nn.conv2d", tensor(n, 3, Any(), n), tensor(8, 3, 3, 3), strides=(2, 2))
    assert found.shape[:2] == (n, 8)
    assert isinstance(found.shape[2], Any)
    assert show_shape(found.shape[3:]) != "(?,)"
    found, _ = related("nn.max_pool2d", tensor(n, 3, Any(), 7), pool_size=(2, 2), strides=(2, 2))
    assert found.shape[::3] == (n, 3)
    found, _ = related("nn.conv2d", tensor(1, Any(), 8, 8), tensor(8, 3, 3, 3), padding=(1,))
    assert found.shape == (1, 8, 8, 8)
    found, told = related(
        "nn.conv2d", tensor(1, Any(), 8, 8), IncompleteType(), channels=4, kernel_size=(1, 1)
    )
    assert found.shape == (1, 4, 8, 8)
    assert (told.shape[0], told.shape[2:]) == (4, (1, 1))
    assert isinstance(told.shape[1], Any)


D2 = tensor(1, 4, 8, 8)


def test_pool_in_ceiling_mode_counts_a_window_that_hangs_over():
    options = {"pool_size": (3,), "strides": (2,)}
    for size, floor, ceiling in ((7, 3, 3), (8, 3, 4), (2, None, 1)):
        if floor is not None:
            assert related("nn.max_pool1d", tensor(1, 1, size), **options)[0].shape[2] == floor
        found, _ = related("nn.max_pool1d", tensor(1, 1, size), ceil_mode=True, **options)
        assert found.shape[2] == ceiling


def test_out_layout_of_a_pool_is_not_looked_at():
    found, _ = related("nn.max_pool2d", D2, pool_size=(2, 2), out_layout="NHWC")
    assert found.shape == (1, 4, 7, 7)
