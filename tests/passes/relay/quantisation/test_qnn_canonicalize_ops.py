"""Plain operators compute the very integers that quantised ones do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.errors import OperatorError
from relayish.interpreter import create_executor
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Constant, Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType
from relayish.op import list_ops, qnn
from relayish.op.builders.call import relay_call
from relayish.op.declaration.rewriting import QNN_CANONICALIZE, legalizations
from relayish.passes.relay.quantisation.qnn_canonicalize_ops import qnn_canonicalize_ops
from relayish.testing import TempOpAttr
from relayish.transform import QnnLegalize, get_pass
from relayish.transform.qnn import CanonicalizeOps, Legalize
from tests.support.depth import DEPTH
from tests.support.quantised import integers
from tests.support.seeds import seeds

SEEDS = seeds(6)
BYTES = ("int8", "uint8")
INTEGERS = (*BYTES, "int16", "int32")
Made = tuple[list[Any], list[Expr], dict[str, object]]  # Any: arrays, and lists of them


class Draw:
    """Draws operands, scales and zero points."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def pick(self, *of: str) -> str:
        return str(self.rng.choice(of))

    def chance(self) -> bool:
        return bool(self.rng.random() < 0.5)

    def scale(self, count: int | None = None) -> Constant:
        found = np.exp2(self.rng.uniform(-12, 4, count)).astype("float32")
        return Constant(np.float32(found) if count is None else found)

    def zero(self, count: int | None = None) -> Constant:
        found = self.rng.integers(-100, 100, count) * self.chance()
        return Constant(np.asarray(found, "int32")[()])

    def pair(self, count: int | None = None) -> list[Expr]:
        return [self.scale(count), self.zero(count)]

    def integers(self, *shape: int, dtype: str) -> Any:  # Any: an array
        return integers(int(self.rng.integers(1 << 30)), *shape, dtype=dtype)

    def axis(self) -> tuple[int, int | None]:
        """Return an axis of a tensor (2, 3, 4), and its size where scales shall differ there."""
        axis = int(self.rng.integers(-3, 3))
        return axis, (2, 3, 4)[axis] if self.chance() else None


def quantize(draw: Draw) -> Made:
    axis, count = draw.axis()
    data = draw.rng.normal(size=(2, 3, 4)) * np.exp2(draw.rng.uniform(-8, 8))
    data.flat[:3] = [np.nan, np.inf, -np.inf]
    dtype = draw.pick(*INTEGERS, "uint16")
    given = data.astype(draw.pick("float32", "float16"))
    return [given], draw.pair(count), {"axis": axis, "out_dtype": dtype}


def dequantize(draw: Draw) -> Made:
    axis, count = draw.axis()
    data = draw.integers(2, 3, 4, dtype=draw.pick(*INTEGERS, "uint16"))
    return [data], draw.pair(count), {"axis": axis, "out_dtype": draw.pick("float32", "float16")}


def requantize(draw: Draw) -> Made:
    axis, count = draw.axis()
    data = draw.integers(2, 3, 4, dtype=draw.pick(*INTEGERS, "int64"))
    attrs: dict[str, object] = {
        "axis": axis,
        "rounding": draw.pick("None", "UPWARD", "TONEAREST"),
        "compute_dtype": draw.pick("None", "int64", "float32", "float64"),
        "out_dtype": draw.pick(*INTEGERS),
    }
    return [data], [*draw.pair(count), *draw.pair()], attrs


def binary(draw: Draw) -> Made:
    dtype = draw.pick(*INTEGERS, "uint16")
    (left, many), (right, more) = draw.axis(), draw.axis()
    data = [draw.integers(2, 3, 4, dtype=dtype) for _ in range(2)]
    parameters = [*draw.pair(many), *draw.pair(more), *draw.pair()]
    return data, parameters, {"lhs_axis": left, "rhs_axis": right}


def concatenate(draw: Draw) -> Made:
    dtype = draw.pick(*BYTES)
    parts = [draw.integers(2, 3, dtype=dtype), draw.integers(2, 4, dtype=dtype)]
    scales, zeros = (Tuple((make(), make())) for make in (draw.scale, draw.zero))
    return [parts], [scales, zeros, *draw.pair()], {"axis": 1}


def average(draw: Draw) -> Made:
    data, given = draw.integers(1, 2, 6, 7, dtype=draw.pick(*BYTES)), draw.pair()
    attrs = {
        "pool_size": (2, 3),
        "strides": (1, 2),
        "padding": (1, 1, 0, 1),
        "count_include_pad": draw.chance(),
    }
    return [data], [*given, *(given if draw.chance() else draw.pair())], attrs


def product(
    data: tuple[int, ...], weight: tuple[int, ...], count: int | None, **attrs: object
) -> Callable[[Draw], Made]:
    def make(draw: Draw) -> Made:
        left = draw.integers(*data, dtype=draw.pick(*BYTES))
        right = draw.integers(*weight, dtype=draw.pick(*BYTES))
        many = count if draw.chance() else None
        parameters = [draw.zero(), draw.zero(many), draw.scale(), draw.scale(many)]
        return [left, right], parameters, {"out_dtype": "int32", **attrs}

    return make


def unary(draw: Draw) -> Made:
    data = draw.integers(2, 3, 4, dtype=draw.pick(*BYTES))
    return [data], [*draw.pair(), *draw.pair()], {}


def leaky(draw: Draw) -> Made:
    data, parameters, _ = unary(draw)
    return data, parameters, {"alpha": float(draw.rng.uniform(-1, 2))}


def softmax(draw: Draw) -> Made:
    data = draw.integers(2, 3, 4, dtype="int8")
    scale = Constant(np.float32(np.exp2(draw.rng.uniform(-10, 1))))
    return [data], [scale, draw.zero(), *draw.pair()], {"axis": draw.axis()[0]}


WINDOW = {"kernel_size": (3, 3)}
CASES: dict[str, tuple[Callable[[Draw], Made], ...]] = {
    "qnn.quantize": (quantize,),
    "qnn.dequantize": (dequantize,),
    "qnn.requantize": (requantize,),
    **dict.fromkeys(("qnn.add", "qnn.subtract", "qnn.mul"), (binary,)),
    "qnn.concatenate": (concatenate,),
    "qnn.avg_pool2d": (average,),
    "qnn.conv2d": (
        product((1, 4, 6, 6), (6, 4, 3, 3), 6, channels=6, padding=(1, 1, 1, 1), **WINDOW),
        product((1, 6, 6, 4), (3, 3, 4, 6), 6, data_layout="NHWC", kernel_layout="HWIO", **WINDOW),
        product(
            (1, 6, 6, 4),
            (3, 3, 4, 2),
            8,
            channels=8,
            groups=4,
            data_layout="NHWC",
            kernel_layout="HWOI",
            **WINDOW,
        ),
    ),
    "qnn.conv2d_transpose": (
        product((1, 4, 5, 5), (4, 6, 3, 3), None, channels=6, strides=(2, 2), **WINDOW),
    ),
    "qnn.dense": (product((3, 8), (5, 8), 5, units=5),),
    "qnn.contrib_dense_pack": (product((3, 8), (2, 8, 4), 8, weight_layout="NC4n", units=8),),
    "qnn.batch_matmul": (
        product((2, 3, 4), (2, 5, 4), None, transpose_b=True),
        product((2, 4, 3), (2, 4, 5), None, transpose_a=True, transpose_b=False),
    ),
    "qnn.leaky_relu": (leaky,),
    "qnn.softmax": (softmax,),
    **dict.fromkeys(
        [
            f"qnn.{name}"
            for name in (
                "abs",
                "erf",
                "exp",
                "hardswish",
                "log",
                "rsqrt",
                "sigmoid",
                "sqrt",
                "tanh",
            )
        ],
        (unary,),
    ),
}
PLAIN = {"qnn.simulated_quantize", "qnn.simulated_dequantize"}
"""Those that compute floating point numbers, and are plain themselves."""


def program(
    name: str, made: Made, *, when_run: bool = False
) -> tuple[Function, list[Any]]:  # Any: arrays
    """Return a call, and values for its parameters; with ``when_run`` scales are among these."""
    operands, parameters, attrs = made
    values: list[Any] = []  # Any: arrays
    params: list[Var] = []

    def parameter(value: Any) -> Expr:  # Any: an array, or a list of them
        if isinstance(value, list):
            return Tuple(tuple(map(parameter, value)))
        params.append(Var(f"x{len(params)}", TensorType(value.shape, str(value.dtype))))
        values.append(value)
        return params[-1]

    def known_later(expr: Expr) -> Expr:
        if isinstance(expr, Tuple):
            return Tuple(tuple(map(known_later, expr.fields)))
        return parameter(np.asarray(expr.data)) if isinstance(expr, Constant) else expr

    data = [parameter(value) for value in operands]
    if when_run:
        parameters = list(map(known_later, parameters))
    call = relay_call(name, *data, *parameters, **attrs)  # type: ignore[arg-type]  # attributes
    return infer_type(Function(params, call)), values


def run(func: Function, values: list[Any]) -> Any:  # Any: an array
    with np.errstate(all="ignore"):
        return np.asarray(create_executor(mod=IRModule.from_expr(func)).evaluate()(*values))


def operators_left(func: Function) -> list[str]:
    text = str(func)
    return [name for name in CASES if f"{name}(" in text]


@pytest.mark.parametrize("name", CASES)
def test_canonical_form_gives_every_bit_of_the_operator(name: str) -> None:
    for seed in SEEDS:
        for make in CASES[name]:
            func, values = program(name, make(Draw(seed)))
            plain = qnn_canonicalize_ops(func)
            assert not operators_left(plain)
            assert infer_type(plain).ret_type == func.ret_type or plain.ret_type is None
            before, after = run(func, values), run(plain, values)
            assert before.dtype == after.dtype
            assert before.tobytes() == after.tobytes(), seed


def test_every_quantised_operator_has_a_canonical_form() -> None:
    names = {name for name in list_ops("relay") if name.startswith("qnn.")}
    assert names == CASES.keys() | PLAIN


def test_ratio_beyond_the_shifts_of_32_bits_is_computed_as_well() -> None:
    data = np.array([-3, 0, 2], "int8")
    for scale in (2.0**-40, 2.0**33):
        pairs = [const(value) for value in (np.float32(scale), 0, np.float32(1), 0)]
        func, values = program("qnn.requantize", ([data], pairs, {"axis": 0}))
        plain = qnn_canonicalize_ops(func)
        assert run(func, values).tobytes() == run(plain, values).tobytes()


@pytest.mark.parametrize("name", CASES)
def test_scales_that_are_known_when_it_runs_give_every_bit_too(name: str) -> None:
    for seed in SEEDS[:2]:
        for make in CASES[name]:
            func, values = program(name, make(Draw(seed)), when_run=True)
            plain = qnn_canonicalize_ops(func)
            assert not operators_left(plain)
            before, after = run(func, values), run(plain, values)
            assert before.dtype == after.dtype
            assert before.tobytes() == after.tobytes(), seed


@pytest.mark.parametrize("compute_dtype", ["int64", "float32", "float64"])
@pytest.mark.parametrize("rounding", ["UPWARD", "TONEAREST"])
def test_ratios_that_are_known_when_it_runs_are_taken_apart(
    rounding: str, compute_dtype: str
) -> None:
    x = var("x", shape=(64,), dtype="int32")
    scale, to = (var(name, shape=(), dtype="float32") for name in "st")
    call = qnn.requantize(
        x, scale, const(0), to, const(0), rounding=rounding, compute_dtype=compute_dtype
    )
    func = infer_type(Function((x, scale, to), call))
    plain = qnn_canonicalize_ops(func)
    data = integers(5, 64, dtype="int32")
    near = np.nextafter(np.float32(1), np.float32(0))
    for ratio in (1, near, 2.0**-40, 2.0**33, 0.0, -0.75, 2**-31, 2**-62, 1e-30, 3.0):
        values = [data, np.float32(ratio), np.float32(1)]
        assert run(func, values).tobytes() == run(plain, values).tobytes(), ratio


def test_zero_point_that_is_no_constant_is_subtracted() -> None:
    x, zero = var("x", shape=(3, 2), dtype="int8"), var("z", shape=(2,), dtype="int32")
    call = qnn.dequantize(x, const(np.float32(0.5)), zero)
    func = infer_type(Function((x, zero), call))
    plain = qnn_canonicalize_ops(func)
    assert not operators_left(plain)
    values = [integers(1, 3, 2), np.array([3, -4], "int32")]
    assert run(func, values).tobytes() == run(plain, values).tobytes()


@pytest.mark.parametrize("compute_dtype", ["int64", "float32"])
def test_configuration_says_how_halves_are_rounded_where_calls_do_not(compute_dtype: str) -> None:
    data, one, two = np.array([-3, -1, 1, 3], "int8"), const(np.float32(1)), const(np.float32(2))
    func, values = program("qnn.requantize", ([data], [one, const(0), two, const(0)], {"axis": 0}))
    for rounding, expected in (("UPWARD", [-1, 0, 1, 2]), ("TONEAREST", [-2, -1, 1, 2])):
        with relay.qnn.op.requantize_config(rounding=rounding, compute_dtype=compute_dtype):
            plain = qnn_canonicalize_ops(func)
            assert run(func, values).tolist() == expected
        assert run(plain, values).tolist() == expected
    assert run(func, values).tolist() == [-1, 0, 1, 2]


def test_configuration_of_nothing_known_is_refused() -> None:
    config = relay.qnn.requantize_config(rounding="NEAREST")
    with (
        pytest.raises(OperatorError, match="no rounding 'NEAREST'; did you mean"),
        config,
    ):
        pass


def test_simulated_quantisation_has_a_scale_for_each_place_of_an_axis() -> None:
    mod = relay.parse(
        """#[version = "0.0.5"]
        def @main(%x: Tensor[(1, 2), float32], %s: Tensor[(2), float32], %z: Tensor[(2), int32]) {
          qnn.simulated_quantize(%x, 1, %s, %z, axis=1)
        }"""
    )
    values = [np.array([[8, 8]], "float32"), np.array([2, 4], "float32"), np.array([0, 1], "int32")]
    assert run(infer_type(mod)["main"], values).tolist() == [[4.0, 3.0]]


def test_what_is_registered_for_quantised_operators_comes_first() -> None:
    x = var("x", shape=(3,), dtype="int8")
    one, zero = const(np.float32(1)), const(0)
    mod = IRModule.from_expr(Function((x,), qnn.abs(x, one, zero, one, zero)))
    table = legalizations("FTVMQnnLegalize")
    assert table is not None

    def positive(attrs: object, inputs: list[Expr], types: object) -> Expr:
        return relay_call("abs", inputs[0])

    with TempOpAttr("qnn.abs", table, positive):
        assert QnnLegalize()(mod)["main"].body.op is intern_op("abs")


def test_passes_go_by_their_names_in_relay() -> None:
    assert CanonicalizeOps().info.name == get_pass("QnnCanonicalizeOps").info.name
    assert Legalize().info.name == "QnnLegalize"
    assert legalizations(QNN_CANONICALIZE) is not None


def test_legalization_by_the_name_of_canonical_forms_loads_them_and_no_other_does() -> None:
    script = """
import sys
import relayish as relay
from relayish.op.builders.call import relay_call
from relayish.transform import InferType, Legalize
x = relay.var("x", shape=(2,), dtype="int8")
scale, zero = relay.const(0.5), relay.const(3)
call = relay_call("qnn.dequantize", x, scale, zero, out_dtype="float32", axis=-1)
mod = InferType()(relay.IRModule.from_expr(relay.Function([x], call)))
for options in ({}, {"legalize_map_attr_name": "FTVMQnnCanonicalize"}):
    made = Legalize(**options)(mod)
    print("relayish.passes.relay.quantisation.canonical" in sys.modules, made is mod)
"""
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["False", "True", "True", "False"]


@pytest.mark.deep
def test_chains_are_as_deep_as_one_likes() -> None:
    x = var("x", shape=(2,), dtype="int8")
    one, zero, body = const(np.float32(1)), const(0), x
    for _ in range(min(DEPTH, 20_000)):
        body = qnn.tanh(body, one, zero, one, zero)
    plain = qnn_canonicalize_ops(infer_type(Function((x,), body)))
    assert plain.body.op is intern_op("take")
