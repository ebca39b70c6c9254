"""Operators on elements of every type: written with what ONNX defines for these, or refused.

Here a sample is tried, in the soak every operator, element type and version of the operator set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import relayish as relay  # noqa: E402
from relayish.analysis import free_vars  # noqa: E402
from relayish.errors import PassError, RelayishError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.expr import Expr, Var  # noqa: E402
from relayish.transform import InferType, RaiseToOnnx  # noqa: E402
from tests.support.raised_calls import RAISED_CALLS, leaves, of_matrices  # noqa: E402
from tests.support.raised_composed import COMPOSED_CALLS  # noqa: E402
from tests.support.raised_dynamic import DYNAMIC_CALLS  # noqa: E402
from tests.support.raised_sound import SOUND_CALLS  # noqa: E402
from tests.support.seeds import SOAK  # noqa: E402

pytestmark = pytest.mark.references

DTYPES = (
    "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "uint16", "int32",
    "uint32", "int64", "uint64", "bool",
)  # fmt: skip
UNARY = """abs acos acosh asin asinh atan atanh bitwise_not ceil copy cos cosh erf exp floor isinf
    isnan log logical_not negative rsqrt sigmoid sign sin sinh sqrt tan tanh zeros_like ones_like"""
BINARY = """add subtract multiply divide trunc_divide floor_mod trunc_mod equal not_equal greater
    greater_equal less less_equal logical_and logical_or logical_xor maximum minimum power
    bitwise_and bitwise_or bitwise_xor"""


M, S, I = (2, 3), (1, 2, 3), (1, 2, 4, 4)  # noqa: E741 - matrices, a stack, images
nn = relay.nn
CALLS: dict[str, Callable[[str], Expr]] = {
    **{name: of_matrices(getattr(relay, name), M) for name in UNARY.split()},
    **{name: of_matrices(getattr(relay, name), M, M) for name in BINARY.split()},
    **{
        name: of_matrices(lambda x, name=name: getattr(relay, name)(x, axis=[1]), M)
        for name in ("sum", "mean", "max", "min", "prod")
    },
    "argmax": of_matrices(lambda x: relay.argmax(x, axis=1), M),
    "where": of_matrices(lambda x, y: relay.where(relay.less(x, y), x, y), M, M),
    "clip": of_matrices(lambda x: relay.clip(x, 0, 2), M),
    "dense": of_matrices(nn.dense, M, M),
    "matmul": of_matrices(lambda x, y: nn.matmul(x, relay.transpose(y)), M, M),
    "batch_matmul": of_matrices(nn.batch_matmul, S, S),
    "conv2d": of_matrices(
        lambda x, w: nn.conv2d(x, w, kernel_size=(3, 3), channels=2), I, (2, 2, 3, 3)
    ),
    "max_pool2d": of_matrices(lambda x: nn.max_pool2d(x, (2, 2), padding=(1, 1)), I),
    "avg_pool2d": of_matrices(lambda x: nn.avg_pool2d(x, (2, 2)), I),
    "global_avg_pool2d": of_matrices(nn.global_avg_pool2d, I),
    "global_max_pool2d": of_matrices(nn.global_max_pool2d, I),
    "relu": of_matrices(nn.relu, M),
    "leaky_relu": of_matrices(lambda x: nn.leaky_relu(x, 0.5), M),
    "softmax": of_matrices(lambda x: nn.softmax(x, 1), M),
    "pad": of_matrices(lambda x: nn.pad(x, ((1, 1), (0, 2)), 1), M),
    "bias_add": of_matrices(nn.bias_add, M, (3,)),
    "concatenate": of_matrices(lambda x, y: relay.concatenate((x, y), 1), M, M),
    "stack": of_matrices(lambda x, y: relay.stack((x, y), 1), M, M),
    "split": of_matrices(lambda x: relay.split(x, 3, 1)[0], M),
    "tile": of_matrices(lambda x: relay.tile(x, (2, 1)), M),
    "transpose": of_matrices(relay.transpose, M),
    "expand_dims": of_matrices(lambda x: relay.expand_dims(x, 1), M),
    "take": of_matrices(lambda x: relay.take(x, relay.const(np.array([1, 0])), 0), M),
    "strided_slice": of_matrices(lambda x: relay.strided_slice(x, [0, 1], [2, 3]), M),
    "broadcast_to": of_matrices(lambda x: relay.broadcast_to(x, (2, *M)), M),
    **RAISED_CALLS,
    **DYNAMIC_CALLS,
    **COMPOSED_CALLS,
    **SOUND_CALLS,
}
OPSETS = range(7, onnx.defs.onnx_opset_version() + 1) if SOAK else (17,)
TOLERANCES = {"float16": 2e-3, "bfloat16": 1e-2}


def value(param: Var, seed: int) -> Any:  # Any: an array
    """Return small numbers and large ones; of floats, such that a sum of some is exact."""
    rng, ty = np.random.default_rng(seed), param.type_annotation
    low, high = {"bool": (0, 2)}.get(ty.dtype, (0, 200) if ty.dtype[0] == "u" else (-100, 100))
    drawn = rng.integers(low, high, ty.concrete_shape)
    dtype = ml_dtypes.bfloat16 if ty.dtype == "bfloat16" else np.dtype(ty.dtype)
    return (drawn / 16 + 0.25).astype(dtype) if "float" in ty.dtype else drawn.astype(dtype)


def run(model: Any, inputs: dict[str, Any]) -> list[Any]:  # Any: a ModelProto; arrays
    """Return what onnxruntime computes, or we, where it has no kernel."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, inputs)
    except Exception:  # noqa: BLE001 - it has many
        return OnnxSession(from_onnx(model)).run(inputs)


def compare(found: Any, expected: Any) -> None:  # Any: arrays
    """Assert that two results are the same, floats as far as their type goes."""
    assert found.dtype == expected.dtype
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(found, expected)
        return
    exact = TOLERANCES.get(expected.dtype.name, 1e-5)
    pair = found.astype("float64"), expected.astype("float64")
    np.testing.assert_allclose(*pair, rtol=exact, atol=exact)


def check(name: str, dtype: str, opset: int) -> bool:
    """Compare a call with what it is written as; return whether it is."""
    try:
        body = CALLS[name](dtype)
        params = sorted(free_vars(body), key=lambda param: param.name_hint)
        mod = InferType()(relay.IRModule.from_expr(relay.Function(params, body)))
    except RelayishError:  # not defined
        return False
    try:
        raised = RaiseToOnnx(opset=opset)(mod)
    except PassError:
        return False
    try:
        inputs = {each.name_hint: value(each, seed) for seed, each in enumerate(params)}
        if name == "power":
            inputs["x1"] = np.asarray(inputs["x1"] % 2, inputs["x1"].dtype)
        with np.errstate(all="ignore"):
            expected = relay.create_executor("debug", mod).evaluate()(*inputs.values())
    except RelayishError:  # not defined
        return False
    model = to_onnx(raised)
    onnx.checker.check_model(model, full_check=True)
    with np.errstate(all="ignore"):
        results = run(model, inputs)
    for found, wanted in zip(results, leaves(expected), strict=True):
        compare(np.asarray(found), wanted)
    return True


@pytest.mark.parametrize("name", CALLS)
def test_call_is_written_as_what_onnx_has_for_its_types(name: str) -> None:
    place = list(CALLS).index(name)
    dtypes = DTYPES if SOAK else [DTYPES[(place + step) % len(DTYPES)] for step in (0, 4, 9)]
    for opset in OPSETS:
        for dtype in dtypes:
            try:
                check(name, dtype, opset)
            except Exception as error:
                raise AssertionError(f"{name} of {dtype} in version {opset}: {error}") from error


WRITTEN = {
    "sum": ("int8", "uint8", "int16", "uint16", "bfloat16"),
    "mean": ("int8", "uint16"),
    "max": ("bool", "int16"),
    "max_pool2d": ("int32", "uint16", "bool"),
    "where": ("bool", "uint32"),
    "logical_and": ("float32", "int8"),
    "dense": ("int8", "uint16"),
    "pad": ("int8", "bfloat16", "bool"),
    "trunc_divide": ("float32", "float16", "int32"),
    "not_equal": ("float64", "uint8"),
}
"""By operator: types that ONNX has it for in no version, or lacked it for, which casts serve."""


@pytest.mark.parametrize("name", WRITTEN)
def test_casts_serve_where_onnx_has_an_operator_for_other_types(name: str) -> None:
    for dtype in WRITTEN[name]:
        assert check(name, dtype, 17), dtype


REFUSED = {
    "add": ("bool", "A has type tensor.bool"),  # ONNX has no sum of truth values
    "avg_pool2d": ("int8", "X has type tensor.int8"),  # a sum that wraps around is divided
    "conv2d": ("int16", "X has type tensor.int16"),  # only integers of 8 bits become wider ones
    "grid_sample": ("int8", "Relay weighs integers by integers"),
    "exp": ("int32", "input has type tensor.int32"),  # Relay rounds each in its own way
    "left_shift": ("float32", "float32 has no bits to move"),
    "right_shift": ("bool", "bool has no bits to move"),
    "max_pool2d": ("int64", "X has type tensor.int64"),  # no floats hold these integers
    "bitwise_and": ("int32", "version 17 of the operator set has no BitwiseAnd"),
}
"""By operator: an element type that no cast serves for, and what is said of it."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_cast_serves_for_is_refused_by_name(name: str) -> None:
    dtype, why = REFUSED[name]
    body = CALLS[name](dtype)
    mod = InferType()(relay.IRModule.from_expr(relay.Function(free_vars(body), body)))
    with pytest.raises(PassError, match=f"cannot be written with operators of ONNX: .*{why}"):
        RaiseToOnnx(opset=17)(mod)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        ("int8", -128, 255),
        ("uint8", -1, 10),
        ("int32", -1e10, 1e10),
        ("uint16", 2.7, 9.9),
        ("uint8", 300, 400),
    ],
)
def test_bounds_of_integers_that_these_do_not_hold_bind_nothing(
    dtype: str, low: float, high: float
) -> None:
    x, values = relay.var("x", shape=(4,), dtype=dtype), np.array([3, 120, 100, 7], dtype)
    mod = relay.IRModule.from_expr(relay.Function([x], relay.clip(x, low, high)))
    expected = relay.create_executor("debug", mod).evaluate()(values)
    model = to_onnx(RaiseToOnnx(opset=17)(InferType()(mod)))
    (found,) = OnnxSession(from_onnx(model)).run({"x": values})
    np.testing.assert_array_equal(found, expected)


def test_products_of_small_integers_are_refused() -> None:
    x = relay.var("x", shape=(4,), dtype="uint8")
    mod = InferType()(relay.IRModule.from_expr(relay.Function([x], relay.prod(x))))
    with pytest.raises(PassError, match="prod"):
        RaiseToOnnx(opset=17)(mod)


@pytest.mark.parametrize("exclude", [False, True])
@pytest.mark.parametrize("name", ["sum", "max", "mean"])
def test_no_axes_are_all_of_them(name: str, exclude: bool) -> None:
    x, values = relay.var("x", shape=(2, 3)), np.arange(6, dtype="float32").reshape(2, 3)
    reduced = getattr(relay, name)(x, axis=(), exclude=exclude)
    mod = relay.IRModule.from_expr(relay.Function([x], reduced))
    expected = relay.create_executor("debug", mod).evaluate()(values)
    model = to_onnx(RaiseToOnnx(opset=17)(InferType()(mod)))
    (found,) = OnnxSession(from_onnx(model)).run({"x": values})
    np.testing.assert_array_equal(found, expected)
