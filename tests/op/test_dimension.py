"""Python's arithmetic on named dimensions, and which sizes are known to be equal."""

from __future__ import annotations

import operator
import random

import numpy as np
import pytest

import relayish as relay
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any, PrimExpr, PrimOp, SizeVar
from relayish.op.types.dimension import compare, floor_divide, show_dimension
from relayish.op.types.polynomial import difference, normal_form
from relayish.transform import InferType
from tests.support.seeds import SOAK, many

N, M = SizeVar("n"), SizeVar("m")
CASES = [
    ("n + 1", N + 1),
    ("1 + n", 1 + N),
    ("n + m", N + M),
    ("n - 1", N - 1),
    ("3 - n", 3 - N),
    ("2 * n", 2 * N),
    ("n * 6", N * 2 * 3),
    ("(2 * n) * 3", 2 * N * 3),
    ("n // 2", N // 2),
    ("7 // n", 7 // N),
    ("n % 3", N % 3),
    ("7 % n", 7 % N),
    ("n * -1", -N),
    ("n + 4", N + np.int32(4)),
    ("2 * m", np.int64(2) * M),
    ("n", N + 0),
    ("n", 1 * N),
    ("0", N * 0),
    ("?", N + Any()),
    ("?", 2 * Any()),
    ("n", N * 4 // 4),
    ("m * 2", (2 * N * M) // N),
    ("m + 1", (N + 1) * (M + 1) // (1 + N)),
    ("1", (N + 1) - N),
]


@pytest.mark.parametrize(("text", "size"), CASES)
def test_arithmetic_on_a_size_makes_another(text: str, size: object) -> None:
    assert show_dimension(size) == text


def test_size_is_the_operation_of_tvm() -> None:
    size = 2 * SizeVar("n", "int64")
    assert isinstance(size, PrimOp)
    assert (size.name, size.args[0], size.dtype) == ("tir.Mul", 2, "int64")


@pytest.mark.parametrize("other", [1.5, "a", True, None, relay.const(1)])
def test_size_beside_what_is_no_size_is_refused(other: object) -> None:
    for compute in (operator.add, operator.mul, operator.floordiv):
        with pytest.raises(TypeError, match=r"unsupported operand|multiply sequence"):
            compute(N, other)


def test_size_is_not_divided_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        floor_divide(N, 0)


@pytest.mark.parametrize(
    ("left", "right", "known"),
    [
        (N + 1, 1 + N, 0),
        (2 * (N + 1) - 2, N * 2, 0),
        (N * M, M * N, 0),
        ((N + M) * (N - M), N * N - M * M, 0),
        (N + 3, N + 1, 2),
        (N // 2 + 1, N // 2, 1),
        (N * 2, N, None),
        (N, M, None),
        (N, Any(), None),
        (PrimOp("tir.Add", (N, Any())), PrimOp("tir.Add", (N, Any())), None),
        (N % 3, M % 3, None),
    ],
)
def test_difference_of_sizes_is_known_where_their_normal_forms_tell(
    left: PrimExpr, right: PrimExpr, known: int | None
) -> None:
    assert difference(left, right) == known
    assert compare(left, right) is (None if known is None else known == 0)


def test_size_that_is_too_large_has_no_normal_form() -> None:
    size: PrimExpr = N
    for _ in range(100_000):
        size = PrimOp("tir.Add", (size, N))
    assert normal_form(size) is None
    assert compare(size, N) is None
    assert compare(size, size) is True


def test_normal_form_of_a_large_power_is_not_multiplied_out() -> None:
    size: object = N + M + 1
    for _ in range(40):
        size = size * (N + M + 1)
    assert normal_form(size) is None


OPERATIONS = (operator.add, operator.sub, operator.mul)


def test_random_sizes_have_the_value_that_their_operands_say() -> None:
    pick = random.Random(SOAK + 3)
    sizes: list[tuple[object, int]] = [(N, 5), (M, 7), (2, 2), (3, 3)]
    while len(sizes) < many(200):
        (left, one), (right, other) = pick.choice(sizes), pick.choice(sizes)
        operation = pick.choice((*OPERATIONS, operator.floordiv, operator.mod))
        if not any(isinstance(size, PrimExpr) for size in (left, right)):
            continue
        if (operation in (operator.floordiv, operator.mod) and other == 0) or abs(one) > 10**6:
            continue
        sizes.append((operation(left, right), operation(one, other)))
    for size, expected in sizes:
        assert value(size) == expected
        for other, number in sizes[:8]:
            known = difference(size, other)
            assert known is None or known == expected - number


def value(size: object) -> int:
    if isinstance(size, int):
        return size
    if isinstance(size, SizeVar):
        return {N: 5, M: 7}[size]
    assert isinstance(size, PrimOp)
    return OF[size.name](*map(value, size.args))


OF = {
    "tir.Add": operator.add,
    "tir.Sub": operator.sub,
    "tir.Mul": operator.mul,
    "tir.FloorDiv": operator.floordiv,
    "tir.FloorMod": operator.mod,
}


def result_type(func: Function) -> object:
    return InferType()(IRModule.from_expr(func))["main"].ret_type


def test_sizes_that_are_equal_broadcast_to_themselves() -> None:
    x, y = relay.var("x", shape=(N + 1, 4)), relay.var("y", shape=(1 + N, 1))
    assert str(result_type(Function([x, y], x + y))) == str(result_type(Function([x], x)))


def test_sizes_that_differ_by_a_number_are_refused_where_they_must_agree() -> None:
    x, y = relay.var("x", shape=(2, N + 1)), relay.var("y", shape=(3, N + 2))
    with pytest.raises(relay.TypeInferenceError):
        result_type(Function([x, y], relay.nn.dense(x, y)))
    y = relay.var("y", shape=(3, 1 + N))
    assert result_type(Function([x, y], relay.nn.dense(x, y))).shape == (2, 3)


def test_program_with_sizes_is_evaluated_and_read_back() -> None:
    x = relay.var("x", shape=(N + 1, 4))
    func = Function([x], relay.reshape(x, (-1, 2)))
    assert relay.evaluate(func, args=[np.ones((3, 4), "float32")]).shape == (6, 2)
    text = relay.astext(func)
    assert '"type_key": "IntImm", "attrs": {"dtype": "int32"' in text
    assert_structural_equal(relay.parse_expr(text), func)
