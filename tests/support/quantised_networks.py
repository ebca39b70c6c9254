"""Random fake-quantised networks, and how far from them integers may be.

A network is determined by its seed. Beside each tensor stands the bound of the error that integers
make, as rules for errors of rounding give it, whatever the pass does:

* a byte that is quantised again is off by half a quantum of its new scale;
* an average that is cut off is off by a quantum, of the scale in which it is taken;
* products of integers, and whatever moves or chooses numbers, are exact;
* what is off at an operand counts by the slope of the operator, and sums of these add up.

Where a region of ``error`` ends at a scale, both programs round, but for integers that are rounded
already: they differ by no more than ``error / scale`` quanta and a half for each that rounds. That
is one quantum where what the region begins with is exact and nothing is averaged, whatever
operators stand in it: one that computes with numbers which another has rounded to the scale of the
result leaves the region in floating point.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op.builders.call import relay_call
from relayish.op.declaration.properties import evaluate

BYTES = ("int8", "uint8")
SLACK = 1e-2
"""What floating point adds, in quanta."""

Bound = Callable[[float], float]
"""From the scale of the region's result to an error, or to the scale that a tensor has."""


class Node(NamedTuple):
    """A tensor of a network.

    Attributes:
        expr: It, in floating point.
        value: Its value.
        error: How far integers may be from it.
        scale: The scale that the integers have.
        dtype: Their element type.
        stored: The largest numbers that regions up to here store at the scale of their result.
        is_rounded: Whether an operator has rounded it to the scale of the region's result.
        is_float: Whether it is computed with numbers that were, so that the region stays as it is.
    """

    expr: Expr
    value: Any  # Any: an array
    error: Bound
    scale: Bound
    dtype: str
    stored: float = 0.0
    is_rounded: bool = False
    is_float: bool = False


class QuantisedNetwork:
    """A network, its arguments, and by how many quanta its result may differ in integers."""

    def __init__(self, seed: int, layers: int = 6) -> None:
        self._random = random.Random(f"quantised {seed}")
        self._rng = np.random.default_rng(seed)
        self._params: list[Var] = []
        self.arguments: list[Any] = []  # Any: arrays
        self._dtype = self._random.choice(BYTES)
        shape = (1, self._pick(2, 4), self._pick(4, 6), self._pick(4, 6))
        self._pool = [self._leaf(shape) for _ in range(2)]
        for _ in range(layers):
            made = self._step()
            if made is not None and np.all(np.isfinite(made.value)):
                self._pool.append(made)
            if self._random.random() < 0.3:
                self._pool.append(self._quantised(self._pool[-1])[1])
        result, _, self.bound = self._end(self._pool[-1])
        self.mod = IRModule.from_expr(Function(self._params, result))

    def _pick(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def _leaf(self, shape: Sequence[int], dtype: str = "") -> Node:
        dtype = dtype or self._dtype
        limits = np.iinfo(dtype)
        data = self._rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)
        var = Var(f"p{len(self._params)}", TensorType(tuple(shape), dtype))
        self._params.append(var)
        self.arguments.append(data)
        scale = float(np.float32(self._random.uniform(0.002, 0.05)))
        return self._dequantised(var, data, scale, self._zero_point(dtype))

    def _zero_point(self, dtype: str) -> int:
        if self._random.random() < 0.4 and dtype == "int8":
            return 0
        return self._pick(-20, 20) + (128 if dtype == "uint8" else 0)

    def _dequantised(
        self, expr: Expr, data: Any, scale: float, zero_point: int, error: float = 0.0
    ) -> Node:
        dtype = str(data.dtype)
        made = relay_call(
            "qnn.dequantize", expr, const(np.float32(scale)), const(zero_point), out_dtype="float32"
        )
        value = (data.astype("int32") - zero_point).astype("float32") * np.float32(scale)
        return Node(made, value, lambda _: error, lambda _: scale, dtype)

    def _end(self, node: Node) -> tuple[Expr, Node, int]:
        """Return ``node`` quantised, and the same dequantised, and by how much it may differ."""
        reach = max(node.stored, float(np.max(np.abs(node.value))), 1e-3)
        scale = float(np.float32(reach / self._random.choice((60, 80, 90))))
        dtype = self._dtype if self._random.random() < 0.8 else self._random.choice(BYTES)
        zero_point = self._zero_point(dtype)
        made = relay_call(
            "qnn.quantize",
            node.expr,
            const(np.float32(scale)),
            const(zero_point),
            axis=-1,
            out_dtype=dtype,
        )
        error = node.error(0.0 if node.is_float else scale)
        rounds = 0.5 if node.is_rounded and not node.is_float else 1.0
        quanta = int(error / scale + rounds + SLACK)
        data = np.rint(node.value / np.float32(scale)) + zero_point
        clipped = np.clip(data, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
        after = self._dequantised(made, clipped, scale, zero_point, quanta * scale)
        return made, after, quanta

    def _quantised(self, node: Node) -> tuple[Expr, Node]:
        made, after, _ = self._end(node)
        return made, after

    # Layers

    def _step(self) -> Node | None:
        layers = (
            self._convolution,
            self._convolution,
            self._binary,
            self._binary,
            self._with_constant,
            self._choice,
            self._function,
            self._limit,
            self._movement,
            self._average,
            self._concatenation,
        )
        return self._random.choice(layers)(self._random.choice(self._pool[-3:]))

    def _call(self, name: str, *args: Expr, values: Sequence[Any], **attrs: object) -> Any:
        """Return a call and its value. Any: a call, and an array."""
        call = relay_call(name, *args, **attrs)  # type: ignore[arg-type]  # attributes
        function = evaluate.get(call.op)
        assert function is not None
        with np.errstate(all="ignore"):
            return call, function(call.attrs, *values)

    def _convolution(self, node: Node) -> Node | None:
        if node.value.ndim != 4 or node.dtype not in BYTES or min(node.value.shape[2:]) < 2:
            return None
        channels, size = self._pick(1, 4), self._pick(1, 2)
        weight = self._rng.integers(-127, 127, (channels, node.value.shape[1], size, size), "int8")
        steps = self._rng.uniform(0.001, 0.01, channels).astype("float32")
        per_axis = self._random.random() < 0.3
        steps = steps if per_axis else np.float32(steps[0])
        zero = np.zeros(channels, "int32") if per_axis else np.int32(self._pick(-3, 3))
        kernel = relay_call(
            "qnn.dequantize",
            Constant(weight),
            Constant(steps),
            Constant(zero),
            axis=0,
            out_dtype="float32",
        )
        each = np.broadcast_to(steps, (channels,)).reshape(-1, 1, 1, 1)
        numbers = (weight - np.broadcast_to(zero, (channels,)).reshape(-1, 1, 1, 1)) * each
        call, value = self._call(
            "nn.conv2d",
            node.expr,
            kernel,
            values=(node.value, numbers.astype("float32")),
            channels=channels,
            kernel_size=(size, size),
            padding=(1, 1, 1, 1) if self._random.random() < 0.3 else (0, 0, 0, 0),
        )
        slope = float(np.max(np.sum(np.abs(numbers), axis=(1, 2, 3))))
        step = float(np.max(steps))
        made = Node(
            call,
            value,
            lambda s: node.error(s) * slope,
            lambda s: node.scale(s) * step,
            "int32",
            node.stored,
            is_float=node.is_float or node.is_rounded,
        )
        if self._random.random() < 0.6:
            bias = self._rng.normal(0, 0.3, channels).astype("float32")
            call, value = self._call("nn.bias_add", call, Constant(bias), values=(value, bias))
            made = made._replace(
                expr=call,
                value=value,
                error=lambda s: node.error(s) * slope + node.scale(s) * step / 2,
            )
        return made if per_axis and self._random.random() < 0.3 else self._quantised(made)[1]

    def _binary(self, node: Node) -> Node | None:
        name = self._random.choice(("add", "subtract", "multiply"))
        other = self._random.choice(self._pool[-3:])
        if other.value.shape != node.value.shape or {node.dtype, other.dtype} == {"int32"}:
            return None
        if name == "multiply" and "int32" in (node.dtype, other.dtype):
            return None
        call, value = self._call(name, node.expr, other.expr, values=(node.value, other.value))
        return self._combined(call, value, node, other, name == "multiply")

    def _combined(
        self, call: Expr, value: Any, node: Node, other: Node, product: bool
    ) -> Node:  # Any: an array
        wide = next((n for n in (node, other) if n.dtype == "int32"), None)
        large = [float(np.max(np.abs(n.value))) for n in (node, other)]
        ends: Bound = (lambda s: s) if wide is None else wide.scale

        def error(s: float) -> float:
            one, two = node.error(s), other.error(s)
            if product:
                return one * large[1] + two * large[0] + one * two + ends(s) / 2
            return one + two + ends(s)

        stored = max(node.stored, other.stored, 0 if wide else float(np.max(np.abs(value))))
        if not product and wide is None:
            stored = max(stored, *large)
        dtype = "int32" if wide else node.dtype
        is_float = any(n.is_float or n.is_rounded for n in (node, other))
        return Node(call, value, error, ends, dtype, stored, wide is None, is_float)

    def _with_constant(self, node: Node) -> Node | None:
        if node.dtype == "int32":
            return None
        name = self._random.choice(("add", "subtract", "multiply"))
        number = np.float32(self._random.uniform(-2, 2))
        call, value = self._call(name, node.expr, Constant(number), values=(node.value, number))
        off = abs(float(number)) / 127 / 2
        beside = Node(Constant(number), number, lambda _: off, lambda _: off, node.dtype)
        return self._combined(call, value, node, beside, name == "multiply")

    def _choice(self, node: Node) -> Node | None:
        name = self._random.choice(("minimum", "maximum"))
        other = self._random.choice(self._pool[-3:])
        if other.value.shape != node.value.shape or "int32" in (node.dtype, other.dtype):
            return None
        call, value = self._call(name, node.expr, other.expr, values=(node.value, other.value))
        large = [float(np.max(np.abs(n.value))) for n in (node, other)]
        return Node(
            call,
            value,
            lambda s: max(node.error(s), other.error(s)) + s / 2,
            lambda s: s,
            node.dtype,
            max(node.stored, other.stored, *large),
            True,
            node.is_float or other.is_float,
        )

    def _function(self, node: Node) -> Node | None:
        name = self._random.choice(("tanh", "sigmoid", "erf", "exp", "abs"))
        if node.dtype == "int32" or (name == "exp" and np.max(node.value) > 4):
            return None
        call, value = self._call(name, node.expr, values=(node.value,))
        function = evaluate.get(call.op)
        assert function is not None

        def error(s: float) -> float:
            off = np.float32(node.error(s))
            with np.errstate(all="ignore"):
                ends = [function(None, node.value + sign * off) for sign in (-1, 1)]
            slope = max(float(np.max(np.abs(end - value))) for end in ends)
            return (float(off) if name == "abs" else slope) + s / 2

        stored = max(node.stored, float(np.max(np.abs(value))))
        is_float = node.is_float or node.is_rounded
        return Node(call, value, error, lambda s: s, node.dtype, stored, True, is_float)

    def _limit(self, node: Node) -> Node:
        name = self._random.choice(("nn.relu", "clip"))
        attrs = {} if name == "nn.relu" else {"a_min": -0.5, "a_max": 1.5}
        call, value = self._call(name, node.expr, values=(node.value,), **attrs)
        return node._replace(
            expr=call, value=value, error=lambda s: node.error(s) + node.scale(s) / 2
        )

    def _movement(self, node: Node) -> Node | None:
        if node.value.ndim != 4 or min(node.value.shape[2:]) < 2:
            return None
        name, attrs = self._random.choice(
            (
                ("transpose", {"axes": (0, 1, 3, 2)}),
                ("nn.max_pool2d", {"pool_size": (2, 2), "strides": (1, 1)}),
                ("strided_slice", {"begin": (0, 0, 1, 0), "end": (9,) * 4, "strides": (1,) * 4}),
            )
        )
        call, value = self._call(name, node.expr, values=(node.value,), **attrs)
        return node._replace(expr=call, value=value)

    def _average(self, node: Node) -> Node | None:
        if node.value.ndim != 4 or node.dtype == "int32" or min(node.value.shape[2:]) < 2:
            return None
        call, value = self._call(
            "nn.avg_pool2d", node.expr, values=(node.value,), pool_size=(2, 2), strides=(1, 1)
        )
        return node._replace(
            expr=call,
            value=value,
            error=lambda s: node.error(s) + max(node.scale(s), 1.5 * s),
            is_float=node.is_float or node.is_rounded,
        )

    def _concatenation(self, node: Node) -> Node | None:
        others = [n for n in self._pool[-3:] if n.value.shape[2:] == node.value.shape[2:]]
        other = self._random.choice(others)
        if "int32" in (node.dtype, other.dtype) or node.dtype != other.dtype:
            return None
        parts = (node.value, other.value)
        call, value = self._call(
            "concatenate", Tuple((node.expr, other.expr)), values=(parts,), axis=1
        )
        return Node(
            call,
            value,
            lambda s: max(node.error(s), other.error(s)) + s / 2,
            lambda s: s,
            node.dtype,
            max(node.stored, other.stored, float(np.max(np.abs(value)))),
            True,
            node.is_float or other.is_float,
        )


def is_in_integers(mod: IRModule) -> bool:
    """Return whether nothing in ``main`` is dequantised."""
    return "qnn.dequantize" not in str(mod["main"])
