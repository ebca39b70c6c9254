"""Calls near well-typed ones: what has a type has a value of that type, all else is refused."""

from __future__ import annotations

import random

import numpy as np

from relayish.errors import EvaluationError, RelayishError, TypeInferenceError
from relayish.ir.relay.type import Any, FuncType, IncompleteType, SizeVar, TensorType, TupleType
from relayish.op import get_op, list_ops, make_attrs
from relayish.op.declaration.properties import attrs_type, evaluate, relation, rule
from tests.support.checking import evaluated
from tests.support.each import each
from tests.support.seeds import SOAK, many

SQUARE = {"channels": 4, "kernel_size": (2, 2)}
DEPTHWISE = {"channels": 4, "kernel_size": (2, 2), "groups": 4}
BLOCKED = {"data_layout": "NCHW2c", "kernel_layout": "OIHW2i2o", "out_layout": "NCHW4c"}
OF_DEPTHWISE = {"data_layout": "NCHW2c", "kernel_layout": "OIHW1i2o"}
IMAGE = (2, 4, 5, 6)
CASES = {
    **{
        f"nn.conv{n}d{kind}": [
            ({}, (2, 4, 5, 6, 4)[: 2 + n], (4, 4, 2, 2, 2)[: 2 + n]),
            ({"groups": 2}, (2, 4, 5, 6, 4)[: 2 + n], (4, 2, 2, 2, 2)[: 2 + n]),
        ]
        for n in (1, 2, 3)
        for kind in ("", "_transpose")
    },
    "nn.conv2d_backward_weight": [({"kernel_size": (2, 2)}, (2, 4, 4, 5), IMAGE)],
    "nn.bitserial_conv2d": [(SQUARE, IMAGE, (4, 4, 2, 2))],
    "nn.contrib_conv2d_NCHWc": [
        (SQUARE | BLOCKED, (2, 2, 5, 6, 2), (2, 2, 2, 2, 2, 2)),
    ],
    "nn.contrib_depthwise_conv2d_NCHWc": [
        (DEPTHWISE | OF_DEPTHWISE, (2, 2, 5, 6, 2), (2, 1, 2, 2, 1, 2)),
    ],
    "nn.contrib_conv2d_gemm_weight_transform": [({"tile_N": 3, "tile_K": 2}, (4, 4, 2, 2))],
    "nn.contrib_conv2d_gemm_without_weight_transform": [(SQUARE, IMAGE, (2, 8, 2, 2))],
    "nn.contrib_conv2d_winograd_nnpack_weight_transform": [
        ({"convolution_algorithm": 1}, (4, 4, 2, 2))
    ],
    "nn.contrib_conv2d_winograd_weight_transform": [({"tile_size": 2}, (4, 4, 2, 2))],
    "nn.contrib_conv2d_winograd_without_weight_transform": [
        (SQUARE | {"tile_size": 2}, IMAGE, (3, 3, 4, 4)),
    ],
    "nn.contrib_conv3d_winograd_weight_transform": [
        ({"tile_size": 2}, (4, 4, 3, 2, 2)),
        ({"tile_size": 2}, (4, 4, 2, 2, 2)),
    ],
    "nn.contrib_conv3d_winograd_without_weight_transform": [
        (
            {"tile_size": 2, "channels": 4, "kernel_size": (2, 2, 2)},
            (2, 4, 5, 6, 4),
            (3, 3, 2, 4, 4),
        ),
    ],
    "nn.deformable_conv2d": [
        ({}, IMAGE, (2, 8, 4, 5), (4, 4, 2, 2)),
        ({"deformable_groups": 2, "groups": 2}, IMAGE, (2, 16, 4, 5), (4, 2, 2, 2)),
    ],
    **{
        f"nn.{kind}_pool{n}d": [({"pool_size": (2,) * n}, (2, 4, 5, 6, 4)[: 2 + n])]
        for kind in ("max", "avg")
        for n in (1, 2, 3)
    },
    **{
        f"nn.adaptive_{kind}_pool{n}d": [({"output_size": (2,) * n}, (2, 4, 5, 6, 4)[: 2 + n])]
        for kind in ("max", "avg")
        for n in (1, 2, 3)
    },
    **{
        f"nn.{kind}_pool2d_grad": [({"pool_size": (2, 2)}, (2, 4, 4, 5), IMAGE)]
        for kind in ("max", "avg")
    },
    **{f"nn.global_{kind}_pool2d": [({}, IMAGE)] for kind in ("max", "avg")},
}
LAYOUTS = ("NCHW", "NHWC", "NCHW2c", "NCW", "NCDHW", "OIHW", "HWIO", "IOHW", "", "?", "NCHW0c")
ODD = (Any(), SizeVar("n", "int32"))


EXAMPLES = many(40)


class Neighbour:
    """Draws calls that differ in a few places from a well-typed one."""

    def __init__(self, name):
        self.name = name
        self.pick = random.Random(f"{name} {SOAK}")

    def call(self):
        attributes, *shapes = self.pick.choice(CASES[self.name])
        attributes, shapes = dict(attributes), [list(shape) for shape in shapes]
        cls = attrs_type.get(get_op(self.name))
        for _ in range(self.pick.choice((0, 1, 1, 1, 2, 3))):
            if self.pick.random() < 0.6:
                field = self.pick.choice(cls.field_names)
                default = attributes.get(field, cls.defaults.get(field))
                attributes[field] = self.value(field, default)
            else:
                shape = self.pick.choice(shapes)
                self.change(shape)
        return attributes, shapes

    def change(self, shape):
        if shape and self.pick.random() < 0.8:
            shape[self.pick.randrange(len(shape))] = self.pick.choice((0, 1, 2, 3, 4, 8, 9))
        elif shape and self.pick.random() < 0.5:
            shape.pop()
        else:
            shape.append(2)

    def value(self, field, default):
        if "layout" in field:
            return self.pick.choice(LAYOUTS)
        if "type" in field:
            return self.pick.choice((None, "float32", "int32", "float64"))
        if isinstance(default, bool):
            return not default
        if isinstance(default, int):
            return self.pick.choice((-2, 0, 1, 2, 3, 4, 5))
        if self.pick.random() < 0.1 and field in ("channels", "kernel_size"):
            return None
        if isinstance(default, tuple):
            count = self.pick.choice((len(default),) * 4 + (1, 2, 3, 6))
            return tuple(self.pick.choice((-1, 0, 1, 1, 2, 2, 3, 9)) for _ in range(count))
        return self.pick.choice((None, -2, 0, 1, 2, 4, 8))


class Listener:
    def assign(self, unknown, found):
        assert isinstance(found, TensorType)


def typed(name, attrs, types):
    op = get_op(name)
    if op in rule:
        return rule.get(op)(attrs, *types)
    return relation.get(op)(attrs, tuple(types), Listener())


def data_of(shape, dtype="float32"):
    return (np.arange(int(np.prod(shape))) % 5 - 2).reshape(shape).astype(dtype)


def test_every_operator_is_asked():
    windows = {n for n in list_ops("relay") if n.startswith("nn.") and ("conv" in n or "pool" in n)}
    assert windows - {"nn.sparse_conv2d"} == set(CASES)


@each("name", sorted(CASES))
def test_what_has_a_type_has_a_value_of_that_type(name):
    neighbour, op = Neighbour(name), get_op(name)
    dtype = "int8" if "bitserial" in name else "float32"
    accepted = refused = 0
    for _ in range(EXAMPLES):
        attributes, shapes = neighbour.call()
        try:
            attrs = make_attrs(op, attributes)
        except RelayishError:
            continue
        try:
            found = typed(name, attrs, [TensorType(tuple(s), dtype) for s in shapes])
        except TypeInferenceError:
            refused += 1
            continue
        accepted += 1
        assert all(size >= 0 for size in found.shape)
        if op not in evaluate:
            continue
        try:
            evaluated(name, *(data_of(s, dtype) for s in shapes), **attributes)
        except EvaluationError:  # of these the weight, or how it is packed, has no part in the type
            assert any(part in name for part in ("winograd", "gemm", "NCHWc", "bitserial"))
    assert accepted > EXAMPLES / 8
    assert refused > EXAMPLES / 8 or name.endswith("nnpack_weight_transform")


@each("name", sorted(CASES))
def test_types_of_any_kind_are_accepted_or_refused(name):
    neighbour, op = Neighbour(name), get_op(name)
    pick = neighbour.pick
    for _ in range(EXAMPLES):
        attributes, shapes = neighbour.call()
        try:
            attrs = make_attrs(op, attributes)
        except RelayishError:
            continue
        types = []
        for shape in shapes:
            loose = [pick.choice(ODD) if pick.random() < 0.4 else size for size in shape]
            ty = TensorType(tuple(loose), "float32")
            other = (TupleType((ty,)), FuncType((ty,), ty), IncompleteType(), ty)
            types.append(ty if pick.random() < 0.7 else pick.choice(other))
        if op in rule:
            types = [TupleType(()) if isinstance(t, IncompleteType) else t for t in types]
        try:
            found = typed(name, attrs, types)
        except TypeInferenceError:
            continue
        assert found is None or isinstance(found, TensorType)
