"""Random graphs of ONNX, made node by node: each is run when it is made, and may be refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import onnx
from ml_dtypes import bfloat16
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper

from relayish.errors import RelayishError
from relayish.frontend.onnx import from_onnx
from relayish.frontend.onnx.session import OnnxSession

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "uint8", "int8", "int16", "uint16", "uint32", "uint64")
SIZES = (0, 1, 1, 2, 2, 3, 4, 5, 7)
MOST_ELEMENTS = 400
LOCAL = "local"
"""The domain of the functions of a model."""

EXACT = frozenset({
    "Abs", "Neg", "Relu", "Identity", "Clip", "Add", "Sub", "Mul", "Max", "Min", "Sum",
    "ReduceSum", "ReduceMax", "ReduceMin", "MatMul", "Gemm", "Conv", "MaxPool", "Pad",
    "GlobalMaxPool", "Expand", "Tile", "Concat", "Split", "Slice", "Gather", "Reshape",
    "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Where", "GatherElements", "Cast",
    "CumSum", "DepthToSpace", "SpaceToDepth", "Trilu", "ScatterElements", "GatherND",
    "ConstantOfShape", "Shape", "Size", "Range", "OneHot", "TopK", "Compress", "EyeLike",
    "ReverseSequence", "ArgMax", "ArgMin", "NonZero", "ScatterND", "StringConcat",
    "QuantizeLinear", "DequantizeLinear", "ConvTranspose", "Einsum", "Floor", "Ceil", "Round",
    "Sign", "Not", "BitwiseNot", "IsNaN", "Hardmax", "Equal", "Less", "Greater",
    "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr",
    "BitwiseXor", "Mod",
})  # fmt: skip
"""Operators that give exact numbers, while these are small multiples of 1/64, of exact ones."""


class Value(NamedTuple):
    """A value of a graph: its name, what it is on the inputs of the model, whether it is exact."""

    name: str
    array: np.ndarray
    is_exact: bool


@dataclass
class Scope:
    """The nodes of a graph so far, and the values that later ones may take."""

    nodes: list[NodeProto]
    pool: list[Value]


class OnnxMaker:
    """Adds nodes to graphs, and knows what all values are."""

    def __init__(self, seed: int, size: int, opset: int, *, plain: bool) -> None:
        self.random = random.Random(f"onnx {seed} {size} {opset} {plain}")
        self.floats = ("float32",) if plain else FLOATS
        self.integers = ("int64",) if plain else INTEGERS
        self.rng = np.random.default_rng(seed)
        self.opset, self.count = opset, 0
        self.functions: list[onnx.FunctionProto] = []
        self.inputs: dict[str, np.ndarray] = {}
        self.initializers: list[TensorProto] = []
        self.symbols: list[list[str | int]] = []
        self.scope = Scope([], [])
        kinds = ["float32", "float32", self.random.choice(self.floats), "int64", "bool"]
        kinds += [self.random.choice(self.integers), self.random.choice(("float32", "object"))]
        for dtype in kinds:
            self.input(dtype)

    # what there is to build with

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def shape(self) -> tuple[int, ...]:
        rank = self.random.choice((1, 2, 2, 3, 3, 4))
        shape = tuple(self.random.choice(SIZES) for _ in range(rank))
        return shape if np.prod(shape) <= MOST_ELEMENTS else shape[:2]

    def numbers(self, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return small multiples of one quarter, or strings."""
        if dtype == "object":
            return self.rng.choice(np.array(["", "a", "É b", "line\n"], object), shape)
        if dtype == "bool":
            return self.rng.random(shape) < 0.5
        if dtype in FLOATS:
            drawn = self.rng.integers(-8, 9, shape) / 4
            return drawn.astype(bfloat16 if dtype == "bfloat16" else dtype)
        return self.rng.integers(0 if dtype.startswith("u") else -4, 5, shape).astype(dtype)

    def input(self, dtype: str) -> None:
        name, array = self.name(), self.numbers(dtype, self.shape())
        self.inputs[name] = array
        self.scope.pool.append(Value(name, array, True))
        self.symbols.append(
            [
                f"n{self.random.randrange(1000)}_{size}"
                if size and self.random.random() < 0.3
                else size
                for size in array.shape
            ]
        )

    def constant(self, scope: Scope, array: Any) -> Value:
        """Return a constant: an initializer, or a node of its own."""
        name, array = self.name(), np.asarray(array)
        tensor = numpy_helper.from_array(array, name)
        if scope is self.scope and self.random.random() < 0.7:
            self.initializers.append(tensor)
        else:
            scope.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        return Value(name, array, True)

    def pick(self, scope: Scope, test: Callable[[Value], bool] = lambda each: True) -> Value | None:
        fitting = [each for each in scope.pool if test(each)]
        return self.random.choice(fitting) if fitting else None

    def number(self, scope: Scope, *, exact: bool = False) -> Value | None:
        return self.pick(
            scope,
            lambda each: each.array.dtype.name not in ("bool", "object") and each.is_exact >= exact,
        )

    def like(self, scope: Scope, value: Value, *, exact: bool = False) -> Value:
        """Return a value that broadcasts with another: one that is there, or a constant."""
        found = self.pick(
            scope,
            lambda each: (
                each.array.dtype == value.array.dtype
                and each.is_exact >= exact
                and broadcasts(each.array.shape, value.array.shape)
            ),
        )
        if found is not None and self.random.random() < 0.6:
            return found
        shape = value.array.shape[self.random.randrange(value.array.ndim + 1) :]
        shape = tuple(self.random.choice((1, size)) for size in shape)
        return self.constant(scope, self.numbers(dtype_of(value), shape))

    # what takes a node

    def add(
        self,
        scope: Scope,
        operator: str,
        inputs: Iterable[Value | None],
        outputs: int = 1,
        captured: Iterable[Value] = (),
        domain: str = "",
        **attributes: Any,
    ) -> list[Value]:
        """Add a node if it can be run, and give its results to later ones."""
        inputs = list(inputs)
        known = {each.name: each for each in (*inputs, *captured) if each is not None}
        names = [self.name() for _ in range(outputs)]
        given = ["" if each is None else each.name for each in inputs]
        kept = {key: each for key, each in attributes.items() if each is not None}
        node = helper.make_node(operator, given, names, domain=domain, name=names[0], **kept)
        arrays = self.run([node], names, known)
        if arrays is None:
            return []
        is_exact = all(each.is_exact for each in known.values()) and (
            operator in EXACT or domain == LOCAL or bool(captured)
        )
        scope.nodes.append(node)
        made = [
            Value(name, array, is_exact and _is_grid(array))
            for name, array in zip(names, arrays, strict=True)
        ]
        scope.pool += made
        return made

    def run(
        self, nodes: list[NodeProto], names: list[str], known: dict[str, Value]
    ) -> list[np.ndarray] | None:
        """Return what nodes compute; nothing if they are refused, or give what is not finite."""
        graph = helper.make_graph(
            nodes,
            "g",
            [info_of(each.name, each.array) for each in known.values()],
            [onnx.ValueInfoProto(name=name) for name in names],
        )
        model = self.wrap(graph)
        try:
            with np.errstate(all="ignore"):
                arrays = OnnxSession(from_onnx(model)).run(
                    {each.name: each.array for each in known.values()}
                )
            del model.graph.output[:]
            model.graph.output.extend(map(info_of, names, arrays))
            onnx.checker.check_model(model, full_check=True)
        except (RelayishError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
            return None
        return arrays if all(map(_is_tame, arrays)) else None

    def wrap(self, graph: onnx.GraphProto) -> onnx.ModelProto:
        opsets = [helper.make_opsetid("", self.opset)]
        if self.functions:
            opsets.append(helper.make_opsetid(LOCAL, 1))
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=10, functions=self.functions
        )


def dtype_of(value: Value) -> str:
    return value.array.dtype.name


def tensor_type(dtype: str) -> int:
    return {"bfloat16": TensorProto.BFLOAT16, "object": TensorProto.STRING}.get(dtype) or int(
        helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    )


def info_of(name: str, array: np.ndarray, *, sizes: bool = True) -> onnx.ValueInfoProto:
    shape = list(array.shape) if sizes else [None] * array.ndim
    return helper.make_tensor_value_info(name, tensor_type(array.dtype.name), shape)


def broadcasts(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    try:
        return len(np.broadcast_shapes(one, other)) <= 5
    except ValueError:
        return False


def _is_tame(array: np.ndarray) -> bool:
    """Return whether it is of a size to go on with, and finite."""
    if array.size > MOST_ELEMENTS or array.ndim > 5:
        return False
    if array.dtype.name not in FLOATS:
        return True
    wide = array.astype("float64")
    return bool(np.isfinite(wide).all() and np.abs(wide).max(initial=0.0) < 1e3)


def _is_grid(array: np.ndarray) -> bool:
    """Return whether these are numbers that no order of sums and products rounds."""
    if array.dtype.name not in FLOATS:
        return True
    wide = array.astype("float64")
    steps = 16 if array.dtype.itemsize == 2 else 256
    most = 4 if array.dtype.name == "bfloat16" else 64
    return bool((wide * steps % 1 == 0).all() and np.abs(wide).max(initial=0.0) <= most)


def names_in(nodes: Iterable[NodeProto]) -> Iterator[str]:
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield from node.input
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                todo += attribute.g.node
                yield from (each.name for each in attribute.g.output)
