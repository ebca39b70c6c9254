"""What follows from facts that are alike is found once, and never of facts that are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from relayish.ir.relay.expr import Constant, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.type import TensorType
from relayish.onnx.calls import make_call
from relayish.onnx.operator_sets import identify
from relayish.onnx.operators import find_operator
from relayish.onnx.propagation import Fact, calls, propagate
from relayish.onnx.propagation.fact import LARGEST_EVALUATED, Partial

pytest.importorskip("onnx")

pytestmark = pytest.mark.references

FLOATS = TensorType((4, 6), "float32")


def call(operator: str, inputs: Sequence[Expr | None], **attributes: object) -> Expr:
    identity = identify(operator, 20)
    return make_call(find_operator(identity.name, identity.since_version), inputs, attributes)


def facts_of(*values: Expr, params: Sequence[Var]) -> list[Fact]:
    """Return the facts of values that one function binds."""
    bound = [Var(f"v{place}") for place in range(len(values))]
    body: Expr = Tuple(bound)
    for var, value in zip(reversed(bound), reversed(values), strict=True):
        body = Let(var, value, body)
    found = propagate(Function(tuple(params), body))
    return [found.fact_of(each) for each in bound]


def shapes_of(*values: Expr, params: Sequence[Var]) -> list[Any]:
    return [getattr(each.type, "shape", None) for each in facts_of(*values, params=params)]


def integers(*values: int) -> Constant:
    return Constant(np.array(values, np.int64))


class TestInference:
    def test_is_asked_once_for_calls_that_are_alike(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[object] = []
        infer = calls.infer_results

        def count(op: Any, *others: Any) -> Any:  # Any: as the function has it
            asked.append(op)
            return infer(op, *others)

        monkeypatch.setattr(calls, "infer_results", count)
        x = Var("x", FLOATS)
        chain: list[Expr] = [call("Relu", (x,)) for _ in range(50)]
        chain += [call("Softmax", (x,), axis=1) for _ in range(50)]
        facts_of(*chain, params=(x,))
        assert len(asked) == 2

    def test_tells_attributes_apart(self) -> None:
        x = Var("x", FLOATS)
        values = [call("Transpose", (x,), perm=perm) for perm in ((0, 1), (1, 0))]
        assert shapes_of(*values, params=(x,)) == [(4, 6), (6, 4)]

    def test_tells_types_of_inputs_apart(self) -> None:
        x, y = Var("x", FLOATS), Var("y", TensorType((4, 6), "float64"))
        found = facts_of(call("Relu", (x,)), call("Relu", (y,)), params=(x, y))
        assert [each.type.dtype for each in found] == ["float32", "float64"]  # type: ignore[attr-defined]  # tensors

    def test_tells_values_apart_that_shapes_follow_from(self) -> None:
        x = Var("x", FLOATS)
        values = [call("Reshape", (x, integers(*to))) for to in ((3, 8), (8, 3), (-1, 1))]
        assert shapes_of(*values, params=(x,)) == [(3, 8), (8, 3), (24, 1)]

    def test_tells_floats_apart_where_shapes_follow_from_them(self) -> None:
        x = Var("x", FLOATS)
        scales = [Constant(np.array(each, np.float32)) for each in ((1, 2), (2, 1))]
        values = [call("Resize", (x, None, each)) for each in scales]
        assert shapes_of(*values, params=(x,)) == [(4, 12), (8, 6)]

    def test_tells_computed_values_apart_to_the_bit(self) -> None:
        x = Var("x", FLOATS)
        zeros = [Constant(np.float32(zero)) for zero in (0.0, -0.0)]
        found = facts_of(*[call("Neg", (zero,)) for zero in zeros], params=(x,))
        assert [bool(np.signbit(each.value)) for each in found if each.value is not None] == [
            True,
            False,
        ]

    def test_tells_an_input_that_is_missing_from_one_of_which_nothing_is_known(self) -> None:
        x, unknown = Var("x", FLOATS), Var("unknown")
        values = [call("Clip", (x, None)), call("Clip", (x, unknown))]
        assert shapes_of(*values, params=(x, unknown))[0] == (4, 6)

    def test_tells_elements_apart_of_which_some_are_known(self) -> None:
        size, x = Var("size", TensorType((1,), "int64")), Var("x", FLOATS)
        targets = [call("Concat", (size, integers(n)), axis=0) for n in (4, 6)]
        bound = [Var("a"), Var("b")]
        values = [call("Reshape", (x, each)) for each in bound]
        body: Expr = Tuple(values)
        for var, value in zip(bound, targets, strict=True):
            body = Let(var, value, body)
        found = propagate(Function((size, x), body))
        assert [getattr(found.type_of(each), "shape", ())[1:] for each in values] == [(4,), (6,)]


class TestAlike:
    """Which facts are alike."""

    @staticmethod
    def told(value: object, dtype: str = "float32", *, exactly: bool) -> object:
        array = np.asarray(value, dtype)
        return Fact(TensorType(array.shape, dtype), array).alike(exactly=exactly)

    def test_floats_are_unless_told_apart_exactly(self) -> None:
        assert self.told([1.0], exactly=False) == self.told([2.0], exactly=False)
        assert self.told([1.0], exactly=True) != self.told([2.0], exactly=True)

    @pytest.mark.parametrize("exactly", [False, True])
    def test_integers_are_if_they_are_equal(self, exactly: bool) -> None:
        assert self.told([1], "int64", exactly=exactly) == self.told([1], "int64", exactly=exactly)
        assert self.told([1], "int64", exactly=exactly) != self.told([2], "int64", exactly=exactly)

    def test_many_integers_are_not(self) -> None:
        count = LARGEST_EVALUATED
        few, many = np.zeros(count), np.zeros(count + 1)
        assert self.told(few, "int64", exactly=True) == self.told(few, "int64", exactly=True)
        assert self.told(many, "int64", exactly=True) != self.told(many, "int64", exactly=True)

    def test_many_floats_are_since_nothing_is_computed_of_them(self) -> None:
        many = np.zeros(LARGEST_EVALUATED + 1)
        assert self.told(many, exactly=True) == self.told(many + 1, exactly=True)

    def test_texts_are_not_for_what_they_are_is_elsewhere(self) -> None:
        ty, texts = TensorType((1,), "string"), np.array(["a"], object)
        assert Fact(ty, texts).alike(exactly=True) != Fact(ty, texts.copy()).alike(exactly=True)

    def test_a_value_is_not_like_one_that_is_unknown(self) -> None:
        ty = TensorType((1,), "int64")
        part = Fact(ty, None, Partial((1,), (None,)))
        told = [each.alike(exactly=True) for each in (Fact(ty), part, Fact(ty, np.array([0])))]
        assert len(set(told)) == len(told)
