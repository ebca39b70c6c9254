"""What is inferred of arguments that nobody annotated."""

from __future__ import annotations

import pytest

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import Any, IncompleteType, SizeVar, TensorType, TupleType
from relayish.op import get_op, list_ops, make_attrs
from relayish.op.declaration.properties import evaluate, relation, rule


class Found:
    """A reporter that keeps what a relation tells it."""

    def __init__(self):
        self.types = {}

    def assign(self, unknown, found):
        self.types[unknown] = found


def related(name, *types, **options):
    """Return the type of the result and what was assigned, in the order of the arguments."""
    op, reporter = get_op(name), Found()
    result = relation.get(op)(make_attrs(op, options), types, reporter)
    return result, [reporter.types.get(ty) for ty in types[1:]]


def unknown(count):
    return [IncompleteType() for _ in range(count)]


DATA = TensorType((2, 3, 5), "float16")


@pytest.mark.parametrize(
    ("name", "options", "shape", "result"),
    [
        ("nn.dense", {"units": 7}, (7, 5), (2, 3, 7)),
        ("nn.matmul", {"units": 7}, (5, 7), (2, 3, 7)),
        ("nn.matmul", {"units": 7, "transpose_a": True}, (3, 7), (2, 5, 7)),
        ("nn.matmul", {"units": 7, "transpose_b": True}, (7, 5), (2, 3, 7)),
        ("nn.bias_add", {"axis": 1}, (3,), (2, 3, 5)),
        ("nn.bias_add", {"axis": -1}, (5,), (2, 3, 5)),
        ("nn.prelu", {"axis": 1}, (3,), (2, 3, 5)),
    ],
)
def test_second_operand_takes_its_type_from_the_data(name, options, shape, result):
    found, assigned = related(name, DATA, *unknown(1), **options)
    assert found.shape == result
    assert found.dtype == "float16"
    assert [(ty.shape, ty.dtype) for ty in assigned] == [(shape, "float16")]


@pytest.mark.parametrize(
    ("name", "count"),
    [("nn.batch_norm", 4), ("nn.layer_norm", 2), ("nn.instance_norm", 2), ("nn.group_norm", 2)],
)
@pytest.mark.parametrize(("axis", "size"), [(1, 3), (-1, 5), (0, 2)])
def test_vectors_of_norms_are_as_long_as_the_axis(name, count, axis, size):
    found, assigned = related(name, DATA, *unknown(count), axis=axis)
    assert [(ty.shape, ty.dtype) for ty in assigned] == [((size,), "float16")] * count
    if name == "nn.batch_norm":
        assert isinstance(found, TupleType)
        assert [ty.shape for ty in found.fields] == [(2, 3, 5), (size,), (size,)]
    else:
        assert found == DATA


RELATED = [
    ("nn.dense", 1, {"units": 7}),
    ("nn.matmul", 1, {"units": 7}),
    ("nn.bias_add", 1, {}),
    ("nn.prelu", 1, {}),
    ("nn.batch_norm", 4, {}),
    ("nn.layer_norm", 2, {}),
    ("nn.instance_norm", 2, {}),
    ("nn.group_norm", 2, {}),
    ("nn.bitserial_dense", 1, {"units": 7}),
]


@pytest.mark.parametrize(("name", "count", "options"), RELATED)
def test_nothing_is_said_before_the_data_is_known(name, count, options):
    found, assigned = related(name, *unknown(count + 1), **options)
    assert found is None
    assert assigned == [None] * count


@pytest.mark.parametrize(("name", "count", "options"), RELATED)
def test_data_that_is_no_tensor_is_refused(name, count, options):
    with pytest.raises(TypeInferenceError, match=r"(data|tensor_a) must be a tensor"):
        related(name, TupleType(()), *unknown(count), **options)


def test_dense_without_units_waits_for_its_weight():
    assert related("nn.dense", DATA, *unknown(1))[0] is None
    found, _ = related("nn.dense", DATA, TensorType((7, 5), "float16"))
    assert found.shape == (2, 3, 7)


def test_stacks_of_two_element_types_need_one_for_the_result():
    op = get_op("nn.batch_matmul")
    types = TensorType((1, 2, 3), "uint8"), TensorType((1, 3, 4), "int8")
    with pytest.raises(TypeInferenceError, match="uint8 and int8"):
        rule.get(op)(make_attrs(op, {}), *types)
    assert rule.get(op)(make_attrs(op, {"out_dtype": "int32"}), *types).dtype == "int32"


def test_dimensions_known_by_name_reach_the_operands():
    n, k = SizeVar("n"), SizeVar("k")
    found, assigned = related("nn.dense", TensorType((n, k)), *unknown(1), units=7)
    assert found.shape == (n, 7)
    assert assigned[0].shape == (7, k)
    found, _ = related("nn.dense", TensorType((n, Any())), TensorType((7, 5)))
    assert found.shape == (n, 7)


def test_every_operator_of_the_families_has_a_type_and_a_value():
    kinds = ("conv", "pool")
    named = {n for n in list_ops("relay") if n.startswith("nn.") and not any(k in n for k in kinds)}
    assert all(get_op(n) in rule or get_op(n) in relation for n in named)
    assert {n for n in named if get_op(n) not in evaluate} == set()
