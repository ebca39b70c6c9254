"""Operators of Relay on small floats, narrow integers and truth values, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.codegen.c import build_network, find_toolchain
from relayish.ir.values.dtype import numpy_dtype
from tests.support.compiled_loops import QUICK, skip_without_compiler

FLOATS = ("float8_e4m3fn", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn")
BITS = {"int4": 4, "uint4": 4, "int2": 2, "float4_e2m1fn": 4, "bool": 1}
ANY: dict[str, Callable[..., Any]] = {
    "maximum": relay.maximum,
    "minimum": relay.minimum,
    "max": lambda x, _: relay.max(x, 1),
    "min": lambda x, _: relay.min(x, 0),
    "argmax": lambda x, _: relay.argmax(x, 1),
    "sum": lambda x, _: relay.sum(x, 1),
    "prod": lambda x, _: relay.prod(x, 0),
    "sort": lambda x, _: relay.sort(x),
    "argsort": lambda x, _: relay.argsort(x),
    "equal": relay.equal,
    "less": relay.less,
    "where": lambda x, y: relay.where(relay.greater(x, y), x, y),
    "concatenate": lambda x, y: relay.concatenate(
        [x, relay.transpose(relay.reshape(y, (6, 4)))], 0
    ),
    "add": relay.add,
    "multiply": relay.multiply,
    "matmul": lambda x, y: relay.nn.matmul(x, relay.transpose(y)),
    "take": lambda x, _: relay.take(x, relay.const(np.array([2, 0])), axis=0),
    "is": lambda x, _: relay.cast(x, "bool"),
    "wide": lambda x, _: relay.cast(x, "float16"),
}
NUMBERS: dict[str, Callable[..., Any]] = {
    "subtract": relay.subtract,
    "negative": lambda x, _: relay.negative(x),
    "abs": lambda x, _: relay.abs(x),
    "sign": lambda x, _: relay.sign(x),
    "round": lambda x, _: relay.round(x),
    "mean": lambda x, _: relay.mean(x, 1),
    "relu": lambda x, _: relay.nn.relu(x),
    "clip": lambda x, _: relay.clip(x, 0, 1),
}
REAL: dict[str, Callable[..., Any]] = {
    "divide": relay.divide,
    "sqrt": lambda x, _: relay.sqrt(x),
    "isnan": lambda x, _: relay.isnan(x),
}
WHOLE: dict[str, Callable[..., Any]] = {
    "left_shift": relay.left_shift,
    "right_shift": relay.right_shift,
    "bitwise_and": relay.bitwise_and,
    "bitwise_not": lambda x, _: relay.bitwise_not(x),
    "of_floats": lambda x, _: relay.cast(relay.cast(x, "float32") * relay.const(3.3), "uint2"),
}


def operators_of(dtype: str) -> dict[str, Callable[..., Any]]:
    if dtype == "bool":
        return ANY
    return ANY | NUMBERS | (REAL if dtype in FLOATS else WHOLE)


def values(dtype: str, seed: int) -> Any:
    codes = np.random.default_rng(seed).integers(0, 1 << BITS.get(dtype, 8), (4, 6))
    if dtype == "bool":
        return codes == 1
    found = codes.astype("uint8").view(numpy_dtype(dtype))
    if dtype != "float4_e2m1fn" and dtype in FLOATS:
        found[seed, 3] = np.nan
    return found


@pytest.mark.slow("compiles many functions")
@pytest.mark.parametrize("dtype", [*FLOATS, "int4", "uint4", "int2", "bool"])
def test_operators_on_small_types_are_those_of_numpy(dtype: str) -> None:
    skip_without_compiler()
    x, y = (relay.var(name, shape=(4, 6), dtype=dtype) for name in "xy")
    made = {name: make(x, y) for name, make in operators_of(dtype).items()}
    body = relay.Function([x, y], relay.Tuple(list(made.values())))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(body))
    given = values(dtype, 0), values(dtype, 1)
    with np.errstate(all="ignore"):
        expected = relay.create_executor(mod=mod).evaluate()(*given)
        found = build_network(mod, exact=True, toolchain=find_toolchain(QUICK))(*given)
        wrong = []
        arrays = [[np.asarray(each) for each in held] for held in (expected, found)]
        for name, one, other in zip(made, *arrays, strict=True):
            number = ~(np.isnan(one.astype("float32")) & np.isnan(other.astype("float32")))
            is_same = one.dtype == other.dtype and one.shape == other.shape
            if not is_same or one[number].tobytes() != other[number].tobytes():
                wrong.append(f"{name}: expected {one}, found {other}")
    assert wrong == []
