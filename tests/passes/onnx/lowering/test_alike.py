"""Keys of functions whose results have the same type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TensorType
from relayish.op.declaration.registry import get_op
from relayish.op.tensor.rearrangement import TransposeAttrs
from relayish.passes.onnx.lowering import handler
from relayish.passes.onnx.lowering.alike import Key, key_of_function
from relayish.transform import get_pass
from tests.support.large_onnx import begin, module

pytest.importorskip("onnx")

pytestmark = pytest.mark.references


def key(make: Any, shape: tuple[int, ...] = (2, 2), dtype: str = "float32") -> Key | None:
    """Return the key of the function of two tensors that ``make`` gives the body of."""
    params = [Var(name, TensorType(shape, dtype)) for name in "xy"]
    return key_of_function(Function(params, make(*params)))


def add(x: Expr, y: Expr) -> Call:
    return Call(get_op("add"), (x, y))


def transpose(x: Expr, *axes: int) -> Call:
    return Call(get_op("transpose"), (x,), TransposeAttrs(axes))


def test_functions_made_alike_have_one_key() -> None:
    one, other = [key(lambda x, y: transpose(add(x, y), 1, 0)) for _ in range(2)]
    assert one is not None
    assert one == other


DIFFERENT = {
    "operands": lambda x, y: add(y, x),
    "operand": lambda x, y: add(x, x),
    "operator": lambda x, y: Call(get_op("subtract"), (x, y)),
    "attributes": lambda x, y: transpose(add(x, y), 0, 1),
    "more attributes": lambda x, y: transpose(add(x, y), 1, 0),
    "tuple": lambda x, y: Tuple((x, y)),
    "field": lambda x, y: TupleGetItem(Tuple((x, y)), 0),
    "other field": lambda x, y: TupleGetItem(Tuple((x, y)), 1),
    "constant": lambda x, y: add(x, Constant(np.zeros(2, "float32"))),
    "shape": lambda x, y: add(x, Constant(np.zeros(1, "float32"))),
    "dtype": lambda x, y: add(x, Constant(np.zeros(2, "float64"))),
    "shared": lambda x, y: add(*[add(x, y)] * 2),
    "not shared": lambda x, y: add(add(x, y), add(x, y)),
}


def test_functions_made_otherwise_have_other_keys() -> None:
    keys = [key(add), *map(key, DIFFERENT.values())]
    assert None not in keys
    assert len(set(keys)) == len(keys)


def test_types_of_parameters_are_told_apart() -> None:
    keys = {key(add), key(add, (2, 3)), key(add, dtype="float64")}
    assert len(keys) == 3


def test_values_of_constants_are_not_told_apart() -> None:
    zeros, ones = [Constant(value(2, "float32")) for value in (np.zeros, np.ones)]
    assert key(lambda x, _: add(x, zeros)) == key(lambda x, _: add(x, ones))


@pytest.mark.parametrize(
    "make",
    [
        lambda x, y: If(Constant(np.bool_(True)), x, y),
        lambda x, y: add(x, Function((y,), y)),
        lambda x, _: add(x, Var("free")),
        lambda x, _: add(x, Constant((np.float32(1), np.float32(2)))),
        lambda x, y: Call(get_op("add"), (x, y), type_args=(x.type_annotation,)),
    ],
    ids=["branch", "function", "free variable", "no tensor", "type argument"],
)
def test_what_holds_more_has_none(make: Any) -> None:  # Any: makes a body
    assert key(make) is None


@pytest.mark.parametrize("count", [4, 40])
def test_nodes_that_are_alike_are_typed_once(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    typed: list[Function] = []
    infer_type = handler.infer_type

    def infer(function: Function) -> Function:
        typed.append(function)
        return infer_type(function)

    monkeypatch.setattr(handler, "infer_type", infer)
    x, b = begin()
    y = x
    for _ in range(count):
        y = b.node("Relu", b.node("Add", y, x))
    get_pass("LowerOnnx")(module(x, b, y))
    assert len(typed) == 2
