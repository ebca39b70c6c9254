"""Random nodes of ONNX, by family: element by element, of parts, shapes, layers, products."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import NodeProto, numpy_helper

from tests.support.onnx_maker import (
    FLOATS,
    OnnxMaker,
    Scope,
    Value,
    broadcasts,
    dtype_of,
    tensor_type,
)

SMOOTH = (
    "Abs", "Neg", "Relu", "Identity", "Clip", "LeakyRelu", "HardSigmoid", "HardSwish",
    "PRelu", "Exp", "Tanh", "Sigmoid", "Erf", "Softplus", "Softsign", "Elu", "Selu", "Celu",
    "Gelu", "Mish", "Sqrt", "Reciprocal", "Log", "Sin", "Cos", "Atan", "Asinh", "Softmax",
    "LogSoftmax", "ThresholdedRelu",
)  # fmt: skip
STEPS = (
    "Floor", "Ceil", "Round", "Sign", "Not", "BitwiseNot", "IsNaN", "Hardmax",
)  # fmt: skip
BROADCAST = (
    "Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Sum", "Mean",
)  # fmt: skip
COMPARISONS = (
    "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor",
    "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mod",
)  # fmt: skip
LAYERS = (
    "Conv", "Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool",
    "GlobalMaxPool", "BatchNormalization", "InstanceNormalization", "LayerNormalization",
    "LpNormalization", "DepthToSpace", "Resize",
)  # fmt: skip
REDUCTIONS = (
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
    "ReduceSumSquare", "ReduceLogSumExp",
)  # fmt: skip


class Families(OnnxMaker):
    """Makes nodes that hold no other graphs."""

    # the families

    def make_unary(self, scope: Scope) -> list[Value]:
        operator = self.random.choice(SMOOTH)
        x = self.number(scope)
        if x is None:
            return []
        attributes: dict[str, Any] = {}
        inputs: list[Value | None] = [x]
        if operator == "Clip":
            low, high = sorted(self.numbers(dtype_of(x), (2,)).tolist())
            ends = [self.constant(scope, np.asarray(each, x.array.dtype)) for each in (low, high)]
            inputs += [each if self.random.random() < 0.7 else None for each in ends]
        if operator == "PRelu":
            inputs.append(self.like(scope, x))
        if operator in ("LeakyRelu", "Elu", "Celu", "ThresholdedRelu", "HardSigmoid"):
            attributes["alpha"] = self.random.choice((None, 0.5, 0.25, 1.0))
        if operator in ("Softmax", "LogSoftmax"):
            attributes["axis"] = self.random.randrange(-1, max(x.array.ndim, 1))
        if operator == "ThresholdedRelu" and not x.is_exact:
            return []
        if operator == "Gelu":
            attributes["approximate"] = self.random.choice(("none", "tanh"))
        return self.add(scope, operator, inputs, **attributes)

    def make_step(self, scope: Scope) -> list[Value]:
        x = self.pick(scope, lambda each: each.is_exact)
        return [] if x is None else self.add(scope, self.random.choice(STEPS), [x])

    def make_binary(self, scope: Scope) -> list[Value]:
        x = self.number(scope)
        if x is None:
            return []
        operands = [x, self.like(scope, x)]
        if self.random.random() < 0.3:
            operands.reverse()
        return self.add(scope, self.random.choice(BROADCAST), operands)

    def make_comparison(self, scope: Scope) -> list[Value]:
        x = self.pick(scope, lambda each: each.is_exact)
        if x is None:
            return []
        other = self.like(scope, x, exact=True)
        operator = self.random.choice(COMPARISONS)
        fmod = int(dtype_of(x) in FLOATS) if operator == "Mod" else None
        return self.add(scope, operator, [x, other], fmod=fmod)

    def make_chain(self, scope: Scope) -> None:
        """Several nodes one behind the other, as fusion looks for them."""
        x = self.number(scope)
        for _ in range(self.random.randrange(2, 5)):
            if x is None:
                return
            operator = self.random.choice(
                ("Mul", "Add", "Div", "Sub", "Relu", "Transpose", "Identity")
            )
            if operator in ("Relu", "Identity"):
                made = self.add(scope, operator, [x])
            elif operator == "Transpose":
                made = self.add(scope, operator, [x], perm=self.permutation(x) or None)
            else:
                made = self.add(scope, operator, [x, self.like(scope, x)])
            x = made[0] if made else x

    def permutation(self, x: Value) -> list[int]:
        return self.random.sample(range(x.array.ndim), x.array.ndim)

    def make_reduction(self, scope: Scope) -> list[Value]:
        x = self.number(scope)
        if x is None:
            return []
        axes = self.random.sample(range(x.array.ndim), self.random.randrange(x.array.ndim + 1))
        axes = [axis - self.random.choice((0, x.array.ndim)) for axis in axes]
        given = (
            [self.constant(scope, np.array(axes, "int64"))] if self.random.random() < 0.8 else []
        )
        return self.add(
            scope,
            self.random.choice(REDUCTIONS),
            [x, *given],
            keepdims=self.random.choice((None, 0, 1)),
            noop_with_empty_axes=self.random.choice((None, 0, 1)),
        )

    def make_place(self, scope: Scope) -> list[Value]:
        x = self.number(scope, exact=True)
        if x is None or not x.array.ndim:
            return []
        axis = self.random.randrange(-x.array.ndim, x.array.ndim)
        operator = self.random.choice(("ArgMax", "ArgMin", "TopK", "NonZero", "CumSum"))
        if operator == "NonZero":
            return self.add(scope, operator, [x])
        if operator == "CumSum":
            place = self.constant(scope, np.array(axis, "int64"))
            flags = {key: self.random.choice((0, 1)) for key in ("exclusive", "reverse")}
            return self.add(scope, operator, [x, place], **flags)
        if operator == "TopK":
            k = self.constant(scope, np.array([self.random.randrange(3)], "int64"))
            return self.add(scope, operator, [x, k], 2, axis=axis)
        flags = {key: self.random.choice((0, 1)) for key in ("keepdims", "select_last_index")}
        return self.add(scope, operator, [x], axis=axis, **flags)

    def make_view(self, scope: Scope) -> list[Value]:
        x = self.pick(scope)
        if x is None:
            return []
        operator = self.random.choice(
            (
                "Reshape",
                "Transpose",
                "Squeeze",
                "Unsqueeze",
                "Flatten",
                "Expand",
                "Tile",
                "Identity",
            )
        )
        shape = x.array.shape
        if operator == "Transpose":
            return self.add(scope, operator, [x], perm=self.permutation(x) or None)
        if operator == "Flatten":
            return self.add(scope, operator, [x], axis=self.random.randrange(-1, x.array.ndim + 1))
        if operator == "Identity":
            return self.add(scope, operator, [x])
        found: list[int] = {
            "Reshape": self.random.choice(
                ([-1], [*shape[:1], -1], [0, -1], [*shape, 1], [1, *shape])
            ),
            "Squeeze": [axis for axis, size in enumerate(shape) if size == 1],
            "Unsqueeze": [self.random.randrange(x.array.ndim + 1)],
            "Expand": [self.random.choice((1, 2)), *[self.random.choice((1, n)) for n in shape]],
            "Tile": [self.random.choice((0, 1, 1, 2)) for _ in shape],
        }[operator]
        if operator == "Reshape" and self.random.random() < 0.3:
            sizes = self.add(scope, "Shape", [x])
            return self.add(scope, operator, [x, *sizes])
        return self.add(scope, operator, [x, self.constant(scope, np.array(found, "int64"))])

    def make_part(self, scope: Scope) -> list[Value]:
        x = self.pick(scope, lambda each: each.array.ndim > 0)
        if x is None:
            return []
        axis = self.random.randrange(-x.array.ndim, x.array.ndim)
        size = x.array.shape[axis]
        operator = self.random.choice(
            ("Slice", "Gather", "Split", "Concat", "Pad", "GatherElements")
        )
        if operator == "Slice":
            step = self.random.choice((1, 1, 2, -1, -2))
            ends = (
                self.random.randrange(-size - 2, size + 3),
                self.random.randrange(-size - 2, size + 3),
            )
            given = [*([each] for each in ends), [axis], [step]]
            return self.add(
                scope, operator, [x, *(self.constant(scope, np.array(g, "int64")) for g in given)]
            )
        if operator in ("Gather", "GatherElements"):
            if not size:
                return []
            shape = (
                x.array.shape
                if operator == "GatherElements"
                else self.random.choice(((), (2,), (1, 3)))
            )
            places = self.rng.integers(-size, size, shape)
            return self.add(scope, operator, [x, self.constant(scope, places)], axis=axis)
        if operator == "Split":
            count = self.random.randrange(1, 4)
            cuts = np.diff(
                [0, *sorted(self.random.randrange(size + 1) for _ in range(count - 1)), size]
            )
            return self.add(
                scope, operator, [x, self.constant(scope, cuts.astype("int64"))], count, axis=axis
            )
        if operator == "Concat":
            return self.add(
                scope,
                operator,
                [x, *[self.like(scope, x)], x][: self.random.randrange(1, 4)],
                axis=axis,
            )
        pads = [self.random.choice((0, 0, 1, 2, -1)) for _ in range(2 * x.array.ndim)]
        mode = self.random.choice(("constant", "edge", "reflect"))
        return self.add(
            scope, operator, [x, self.constant(scope, np.array(pads, "int64"))], mode=mode
        )

    def make_select(self, scope: Scope) -> list[Value]:
        condition = self.pick(scope, lambda each: dtype_of(each) == "bool")
        x = self.pick(
            scope,
            lambda each: (
                condition is not None and broadcasts(each.array.shape, condition.array.shape)
            ),
        )
        if condition is None or x is None:
            return []
        return self.add(scope, "Where", [condition, x, self.like(scope, x)])

    def make_cast(self, scope: Scope) -> list[Value]:
        x = self.pick(scope, lambda each: each.is_exact and dtype_of(each) != "object")
        if x is None:
            return []
        dtype = self.random.choice((*self.floats, *self.integers, "bool"))
        if dtype.startswith("u") and x.array.dtype != bool and (x.array < 0).any():
            return []  # what becomes of it is left open
        return self.add(scope, "Cast", [x], to=tensor_type(dtype))

    def make_shape(self, scope: Scope) -> list[Value]:
        x = self.pick(scope)
        if x is None:
            return []
        operator = self.random.choice(("Shape", "Size", "ConstantOfShape", "Range"))
        if operator == "Range":
            ends = [
                self.constant(scope, np.array(n, "int64")) for n in (0, self.random.randrange(5), 1)
            ]
            return self.add(scope, operator, ends)
        if operator != "ConstantOfShape":
            start = self.random.choice((None, 0, 1, -1)) if operator == "Shape" else None
            return self.add(scope, operator, [x], start=start)
        sizes = self.add(scope, "Shape", [x])
        value = numpy_helper.from_array(
            self.numbers(self.random.choice(("float32", "int64", "bool")), (1,))
        )
        return self.add(scope, operator, sizes, value=value)

    def make_network(self, scope: Scope) -> list[Value]:
        """A layer with weights, on an image that is made of what there is."""
        dtype = self.random.choice(("float32", *self.floats))
        x = self.pick(
            scope,
            lambda each: dtype_of(each) == dtype and each.array.ndim == 4 and each.array.size > 0,
        )
        if x is None:
            x = self.constant(scope, self.numbers(dtype, (1, 2, 4, 5)))
            lifted = self.pick(
                scope, lambda each: dtype_of(each) == dtype and each.array.ndim in (0, 1)
            )
            if lifted is not None and lifted.array.size == 1:
                x = next(iter(self.add(scope, "Add", [x, lifted])), x)
        channels = x.array.shape[1]
        operator = self.random.choice(LAYERS)
        kernel = [self.random.randrange(1, 4), self.random.randrange(1, 4)]
        pads = [self.random.randrange(2) if side >= 2 or kernel[0] > 1 else 0 for side in range(4)]
        strides = [self.random.choice((1, 1, 2)) for _ in range(2)]
        if operator in ("Conv", "ConvTranspose"):
            group = channels if self.random.random() < 0.3 else 1
            outside = self.random.randrange(1, 4)
            shape = (
                (outside * group, channels // group, *kernel)
                if operator == "Conv"
                else (channels, outside, *kernel)
            )
            w = self.constant(scope, self.numbers(dtype, shape))
            b = self.constant(scope, self.numbers(dtype, (outside * group,)))
            inputs = [x, w, b][: self.random.choice((2, 3))]
            return self.add(scope, operator, inputs, pads=pads, strides=strides, group=group)
        if operator in ("MaxPool", "AveragePool"):
            ceil = self.random.choice((None, 0, 1))
            include = self.random.choice((None, 0, 1)) if operator == "AveragePool" else None
            return self.add(scope, operator, [x], kernel_shape=[2, 2], pads=pads, strides=strides,
                            ceil_mode=ceil, count_include_pad=include)  # fmt: skip
        if operator in ("BatchNormalization", "InstanceNormalization"):
            many = 4 if operator == "BatchNormalization" else 2
            vectors = [self.numbers(dtype, (channels,)) for _ in range(many)]
            vectors[-1] = (
                np.abs(vectors[-1]) + vectors[-1].dtype.type(1) if many == 4 else vectors[-1]
            )
            return self.add(scope, operator, [x, *(self.constant(scope, each) for each in vectors)])
        if operator == "LayerNormalization":
            scale = self.constant(scope, self.numbers(dtype, x.array.shape[-1:]))
            return self.add(scope, operator, [x, scale])
        if operator == "LpNormalization":
            return self.add(
                scope, operator, [x], axis=self.random.randrange(4), p=self.random.choice((1, 2))
            )
        if operator == "DepthToSpace":
            return self.add(scope, operator, [x], blocksize=1 if channels % 4 else 2)
        if operator == "Resize":
            scales = self.constant(
                scope, np.array([1, 1, 2, self.random.choice((1, 2))], "float32")
            )
            return self.add(
                scope, operator, [x, None, scales], mode=self.random.choice(("nearest", "linear"))
            )
        return self.add(scope, operator, [x])

    def make_product(self, scope: Scope) -> list[Value]:
        x = self.pick(scope, lambda each: dtype_of(each) in FLOATS and each.array.ndim >= 2)
        if x is None:
            return []
        w = self.constant(
            scope, self.numbers(dtype_of(x), (x.array.shape[-1], self.random.randrange(1, 4)))
        )
        if x.array.ndim == 2 and self.random.random() < 0.5:
            bias = [self.constant(scope, self.numbers(dtype_of(x), (w.array.shape[1],)))]
            return self.add(
                scope,
                "Gemm",
                [x, w, *bias[: self.random.randrange(2)]],
                alpha=self.random.choice((None, 0.5)),
            )
        return self.add(scope, "MatMul", [x, w])

    def make_string(self, scope: Scope) -> list[Value]:
        x = self.pick(scope, lambda each: dtype_of(each) == "object")
        if x is None:
            return []
        return self.add(
            scope, self.random.choice(("StringConcat", "Equal")), [x, self.like(scope, x)]
        )

    def make_repeat(self, scope: Scope) -> None:
        """A node that is there already, once more."""
        node = self.random.choice(scope.nodes) if scope.nodes else None
        pool = {each.name: each for each in scope.pool}
        if node is None or any(
            not name or name not in pool for name in (*node.input, *node.output)
        ):
            return
        if node.op_type in ("Constant", "If", "Loop"):
            return
        copy = NodeProto()
        copy.CopyFrom(node)
        names = [self.name() for _ in node.output]
        copy.output[:] = names
        copy.name = names[0]
        scope.nodes.append(copy)
        scope.pool += [
            pool[old]._replace(name=new) for old, new in zip(node.output, names, strict=True)
        ]
