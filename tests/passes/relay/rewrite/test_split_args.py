"""Concatenation in steps."""

from __future__ import annotations

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Call, Function, Tuple
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Any, TensorType
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.split_args import split_args
from tests.support.depth import DEPTH


def joined(count: int, *sizes: int | Any) -> Function:
    params = [var(f"x{at}", TensorType((2, *sizes), "float32")) for at in range(count)]
    return infer_type(Function(params, op.concatenate(params, axis=0)))


def steps(func: Function) -> list[int]:
    """Return how many tensors each concatenation takes, the first step first."""
    calls = [n for n in EXPRESSIONS.post_order(func) if type(n) is Call]
    kept_apart = [n for n in calls if n.op.name == "annotation.stop_fusion"]
    return [len(call.args[0].fields) for call in kept_apart]


@pytest.mark.parametrize(
    ("count", "limit", "expected"),
    [(5, 4, [3, 3]), (3, 4, [3]), (2, 4, []), (7, 4, [3, 3, 3]), (9, 3, [2] * 8), (100, 0, [])],
)
def test_no_step_takes_more_than_the_limit(count: int, limit: int, expected: list[int]) -> None:
    assert steps(split_args(joined(count), max_function_args=limit)) == expected


@pytest.mark.parametrize("limit", [1, 2])
def test_step_takes_two_tensors_whatever_the_limit(limit: int) -> None:
    assert steps(split_args(joined(4), max_function_args=limit)) == [2, 2, 2]


def test_unknown_dimensions_take_arguments_as_well() -> None:
    known, unknown = joined(6, 3), joined(6, Any())
    assert steps(split_args(known, max_function_args=16)) == []
    assert steps(split_args(unknown, max_function_args=16)) == [
        3,
        3,
        2,
    ]  # four each: a tensor, a size, two strides


def test_tuple_that_is_no_literal_stays() -> None:
    x = var("x", shape=(8,))
    func = infer_type(Function((x,), op.concatenate(op.split(x, 8).tuple_value, axis=0)))
    assert split_args(func, max_function_args=3) is func


@pytest.mark.deep
def test_thousands_of_tensors_are_split_without_recursion() -> None:
    tensors = min(DEPTH, 10_000)
    func = split_args(joined(tensors), max_function_args=3)
    assert len(steps(func)) == tensors - 1


def test_negative_limit_is_refused() -> None:
    with pytest.raises(PassError, match="must be 0 or more; found -1"):
        split_args(Tuple(()), max_function_args=-1)
