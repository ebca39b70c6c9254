"""What single operators become in integers, and that these stand for the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.interpreter import create_executor
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.passes.relay.quantisation.fake_quantization_to_integer import (
    fake_quantization_to_integer,
)
from tests.support.quantised import integers

SHAPE = (2, 3, 4, 6)
half, zero = const(np.float32(0.5)), const(0)


def to_space(data: Expr) -> Expr:
    found: Expr = op.nn.depth_to_space(op.reshape(data, newshape=(2, 12, 2, 3)), 2)
    return found


class Program:
    """A function over fake-quantised parameters, and arguments for it."""

    def __init__(self) -> None:
        self.params: list[Var] = []
        self.values: list[Any] = []  # Any: arrays

    def given(
        self,
        *shape: int,
        dtype: str = "int8",
        axis: int | None = None,
        scale: float = 0.5,
        zero_point: int = 3,
    ) -> Expr:
        """Return a dequantised parameter, with scales that differ along an axis, if one is said."""
        var = Var(f"p{len(self.params)}", TensorType(shape, dtype))
        self.params.append(var)
        self.values.append(integers(len(self.params), *shape, dtype=dtype))
        scales, points = parameters(shape, axis, scale, zero_point)
        attrs = {"axis": -1 if axis is None else axis, "out_dtype": "float32"}
        found: Expr = op.qnn.dequantize(var, scales, points, **attrs)
        return found

    def run(self, func: Function) -> Any:  # Any: an array
        found = create_executor(mod=IRModule.from_expr(func)).evaluate()(*self.values)
        return np.asarray(found)

    def check(self, result: Expr, off: int = 0) -> Function:
        """Check that ``result`` becomes integers, off by no more than ``off``, and return these."""
        before = infer_type(Function(tuple(self.params), result))
        after = infer_type(fake_quantization_to_integer(before, hard_fail=True))
        assert "qnn.dequantize" not in str(after)
        assert after.ret_type.dtype == before.ret_type.dtype
        ends = [self.run(func).astype(int) for func in (before, after)]
        assert np.max(np.abs(ends[0] - ends[1])) <= off
        return after

    def refuse(self, result: Expr) -> None:
        """Check that ``result`` stays in floating point."""
        before = infer_type(Function(tuple(self.params), result))
        assert fake_quantization_to_integer(before) is before


def parameters(
    shape: tuple[int, ...], axis: int | None, scale: float = 0.5, zero_point: int = 3
) -> tuple[Constant, Constant]:
    """Return a scale and a zero point, or as many of them as there are along an axis."""
    if axis is None:
        return const(np.float32(scale)), const(zero_point)
    steps = np.float32(scale) * np.arange(1, shape[axis] + 1, dtype="float32")
    points = zero_point + np.arange(shape[axis], dtype="int32")
    return Constant(steps), Constant(points)


def quantize(data: Expr, scale: float = 0.5, zero_point: int = 3, dtype: str = "int8") -> Expr:
    found: Expr = op.qnn.quantize(data, const(np.float32(scale)), const(zero_point), -1, dtype)
    return found


ROWS = ((0, 0), (0, 0), (1, 1), (0, 0))
MOVED: dict[str, tuple[Any, int]] = {  # Any: a function from an expression to one
    "transpose": (lambda x: op.transpose(x, axes=(0, 2, 1, 3)), 1),
    "transpose, all": (lambda x: op.transpose(x, axes=None), 1),
    "reshape": (lambda x: op.reshape(x, newshape=(2, 1, 3, 24)), 1),
    "expand_dims": (lambda x: op.expand_dims(x, axis=0, num_newaxis=2), 1),
    "expand_dims behind": (lambda x: op.expand_dims(x, axis=-1), 1),
    "squeeze": (lambda x: op.squeeze(op.reshape(x, newshape=(1, 2, 3, 24)), axis=(0,)), 1),
    "strided_slice": (lambda x: op.strided_slice(x, (0, 0, 1, 0), (9, 9, 3, 9)), 1),
    "nn.max_pool2d": (lambda x: op.nn.max_pool2d(x, pool_size=(2, 2)), 1),
    "nn.batch_flatten": (op.nn.batch_flatten, 0),
    "max": (lambda x: op.max(x, axis=(0, 2)), 1),
    "min": (lambda x: op.min(x, axis=(1,), keepdims=True, exclude=True), 1),
    "broadcast_to": (lambda x: op.broadcast_to(x, shape=(5, *SHAPE)), 1),
    "take": (lambda x: op.take(x, const(np.array([[1, 0], [1, 1]])), axis=0), 1),
    "nn.pad": (
        lambda x: op.nn.pad(x, ROWS, pad_mode="edge"),
        1,
    ),
    "topk": (lambda x: op.topk(x, k=2, axis=2, ret_type="values"), 1),
    "split": (lambda x: op.split(x, 2, axis=2)[1], 1),
    "clip": (lambda x: op.clip(x, -20.0, 20.0), 1),
    "nn.relu": (op.nn.relu, 1),
}
"""What keeps an axis along which scales differ, and which axis of the operand that is."""


@pytest.mark.parametrize("name", MOVED)
def test_scales_of_an_axis_follow_it(name: str) -> None:
    make, axis = MOVED[name]
    made = Program()
    made.check(quantize(make(made.given(*SHAPE, axis=axis)), 1.0), off=1)


LOST: dict[str, Any] = {  # Any: as above
    "reshape": lambda x: op.reshape(x, newshape=(6, 24)),
    "strided_slice": lambda x: op.strided_slice(x, (0, 1, 0, 0), (9, 9, 9, 9)),
    "backwards": lambda x: op.strided_slice(x, (0, 2, 0, 0), (9, -9, 9, 9), (1, -1, 1, 1)),
    "nn.depth_to_space": to_space,
    "max": lambda x: op.max(x, axis=(1,)),
    "max of all": op.max,
    "take": lambda x: op.take(x, const(np.array([2, 0])), axis=1),
    "take of all": lambda x: op.take(x, const(np.array([2, 0])), axis=None),
    "topk": lambda x: op.topk(x, k=2, axis=1, ret_type="values"),
    "split": lambda x: op.split(x, 3, axis=1)[1],
    "nn.pad": lambda x: op.nn.pad(x, pad_width=((0, 0), (1, 1), (0, 0), (0, 0))),
    "mean": lambda x: op.mean(x, axis=(1,)),
    "concatenate": lambda x: op.concatenate((x, x), axis=1),
}
"""What loses it."""


@pytest.mark.parametrize("name", LOST)
def test_program_stays_where_an_axis_of_scales_is_lost(name: str) -> None:
    made = Program()
    made.refuse(quantize(LOST[name](made.given(*SHAPE, axis=1))))


SINGLE: dict[str, tuple[Any, int]] = {  # Any: as above
    "nn.depth_to_space": (
        to_space,
        0,
    ),
    "image.resize2d": (lambda x: op.image.resize2d(x, (8, 12), method="nearest_neighbor"), 0),
    "linear": (lambda x: op.image.resize2d(x, size=(3, 5)), 1),
    "nn.pad": (lambda x: op.nn.pad(x, ROWS), 0),
    "nn.global_avg_pool2d": (op.nn.global_avg_pool2d, 1),
    "nn.avg_pool2d": (lambda x: op.nn.avg_pool2d(x, pool_size=(2, 2), padding=(1, 1)), 1),
    "mean": (lambda x: op.mean(x, axis=(2, 3)), 1),
    "nn.leaky_relu": (lambda x: op.nn.leaky_relu(x, alpha=0.25), 1),
    "sigmoid": (op.sigmoid, 1),
    "add": (lambda x: op.add(x, const(np.float32(1.5))), 0),
    "multiply, below the scale": (lambda x: op.multiply(x, const(np.float32(0.03))), 1),
    "minimum": (lambda x: op.minimum(const(np.float32(2.0)), x), 0),
}
"""What is computed at one scale, and by how many quanta integers may be off."""


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("name", SINGLE)
def test_integers_stand_for_the_same_numbers(name: str, dtype: str) -> None:
    make, off = SINGLE[name]
    made = Program()
    zero_point = 100 if dtype == "uint8" else 3
    made.check(
        quantize(
            make(made.given(*SHAPE, dtype=dtype, zero_point=zero_point)), 0.5, zero_point, dtype
        ),
        off=off,
    )


@pytest.mark.parametrize("other", ["int8", "uint8"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "minimum", "maximum"])
def test_operands_may_be_bytes_of_either_kind(name: str, other: str) -> None:
    made = Program()
    one = made.given(3, 4, scale=0.1)
    two = made.given(3, 4, dtype=other, scale=0.07, zero_point=100 if other == "uint8" else -5)
    made.check(quantize(getattr(op, name)(one, two), 0.7, -2), off=2)


def test_product_adds_to_bytes_at_its_own_scale() -> None:
    made = Program()
    one = op.nn.dense(made.given(3, 4, scale=0.1), made.given(5, 4, scale=0.01), units=5)
    made.check(quantize(op.add(one, made.given(3, 5, scale=0.05)), 0.3), off=1)


def test_weight_whose_scales_differ_along_another_axis_stays() -> None:
    made = Program()
    made.refuse(quantize(op.nn.dense(made.given(3, 4), made.given(4, 4, axis=1), units=4)))


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_convolution_has_scales_for_each_channel_in_any_layout(layout: str) -> None:
    made = Program()
    data = made.given(*((1, 3, 5, 5) if layout == "NCHW" else (1, 5, 5, 3)), scale=0.1)
    form, kernel = ("OIHW", (4, 3, 2, 2)) if layout == "NCHW" else ("HWIO", (2, 2, 3, 4))
    weight = made.given(*kernel, axis=form.index("O"), scale=0.01, zero_point=0)
    call = op.nn.conv2d(
        data, weight, channels=4, kernel_size=(2, 2), data_layout=layout, kernel_layout=form
    )
    made.check(quantize(op.nn.relu(call), 0.3), off=1)


def test_bias_of_a_product_is_quantised_for_each_channel() -> None:
    made = Program()
    weight = made.given(4, 3, 2, 2, axis=0, scale=0.01, zero_point=0)
    call = op.nn.conv2d(made.given(1, 3, 5, 5, scale=0.1), weight, channels=4, kernel_size=(2, 2))
    bias = const(np.array([2.0, -0.4, 0.3, 0.01], "float32"))
    made.check(quantize(op.nn.bias_add(call, bias), 0.3), off=1)


def test_bias_of_bytes_stays_for_their_sum_is_no_byte() -> None:
    made = Program()
    made.refuse(quantize(op.nn.bias_add(made.given(2, 3), const(np.ones(3, "float32")))))


def test_region_stays_that_computes_with_numbers_cut_off_at_the_range_of_the_result() -> None:
    """In Relay these are [7]: nothing says what range they have, so they get that of the result."""
    made = Program()
    sixty = const(np.float32(60))
    there = op.add(made.given(1, zero_point=0), sixty)
    made.values = [np.array([40], "int8")]
    func = infer_type(Function(tuple(made.params), quantize(op.subtract(there, sixty), 0.5, 0)))
    assert made.run(func).tolist() == [40]
    assert fake_quantization_to_integer(func) is func


def test_products_of_batches_keep_how_operands_lie() -> None:
    made = Program()
    left, right = made.given(2, 3, 4, scale=0.1), made.given(2, 4, 5, scale=0.1)
    made.check(quantize(op.nn.batch_matmul(left, right, transpose_b=False), 0.9), off=1)


def test_leaky_rectifier_is_applied_once_to_what_is_negative() -> None:
    """TVM's rule leaves one of plain integers below its own: -40 becomes less than -10."""
    made = Program()
    data = made.given(1, zero_point=0)
    made.values = [np.array([-40], "int8")]
    func = made.check(quantize(op.nn.leaky_relu(data, alpha=0.25), zero_point=0))
    assert made.run(func).tolist() == [-10]
    (x,) = func.params
    pair = (half, zero, half, zero)
    twice = op.qnn.leaky_relu(op.nn.leaky_relu(x, alpha=0.25), 0.25, *pair)
    assert made.run(Function((x,), twice)).tolist() != [-10]


def test_join_of_parts_at_their_own_scales_moves_each() -> None:
    made = Program()
    parts = Tuple((made.given(2, 3, scale=0.1), made.given(2, 4, scale=0.3, zero_point=-7)))
    made.check(quantize(op.concatenate(parts, axis=1), 0.2), off=1)


def test_pad_by_a_quantised_number_moves_its_scale() -> None:
    made = Program()
    data, value = made.given(2, 3), made.given(scale=0.25)
    made.check(quantize(op.nn.pad(data, ((0, 0), (1, 1)), value)), off=1)


def test_resize_that_goes_beyond_its_data_stays() -> None:
    made = Program()
    made.refuse(quantize(op.image.resize2d(made.given(*SHAPE), size=(8, 12), method="cubic")))


def test_average_that_counts_padding_stays_where_zero_is_no_integer_0() -> None:
    made = Program()
    call = op.nn.avg_pool2d(made.given(*SHAPE), (2, 2), padding=(1, 1), count_include_pad=True)
    made.refuse(quantize(call))
