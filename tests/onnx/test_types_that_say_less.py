"""Types of any rank, and of nothing, stand for others where they meet in type inference."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import TypeInferenceError
from relayish.ir.relay.expr import Function, If, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx.types import UnknownType, UnrankedTensorType

BOOL = TensorType((), "bool")


def result_of(one: Type, other: Type) -> Type:
    c, x, y = Var("c", BOOL), Var("x", one), Var("y", other)
    func = relay.transform.InferType()(IRModule.from_expr(Function([c, x, y], If(c, x, y))))["main"]
    assert isinstance(func, Function)
    assert func.body.checked_type is not None
    return func.body.checked_type


@pytest.mark.parametrize("wider", [UnrankedTensorType("float32"), UnknownType()])
def test_the_wider_type_is_the_result_whichever_side_it_is_on(wider: Type) -> None:
    narrow = TensorType((2, 3), "float32")
    assert type(result_of(wider, narrow)) is type(wider)
    assert type(result_of(narrow, wider)) is type(wider)


def test_elements_have_to_be_the_same() -> None:
    with pytest.raises(TypeInferenceError, match="branches of if"):
        result_of(UnrankedTensorType("float32"), TensorType((2, 3), "int64"))
    with pytest.raises(TypeInferenceError, match="branches of if"):
        result_of(UnrankedTensorType("float32"), UnrankedTensorType("int64"))
