"""Models of ONNX of any length, to put through passes: what these look for, again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Final

import numpy as np

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.onnx import info
from relayish.onnx.calls import make_call
from relayish.onnx.operator_sets import identify
from relayish.onnx.operators import find_operator

OPSET: Final = 20
ROOMS: Final = ("onnx.rewrite", "onnx.fuse", "onnx.shapes", "onnx.opset", "onnx.lowering")
"""Where passes over models of ONNX live."""


class Builder:
    """Binds one node after the other."""

    def __init__(self) -> None:
        self.bindings: list[tuple[Var, Expr]] = []
        self.calls = 0
        self.constants: dict[object, Var] = {}

    def bind(self, value: Expr) -> Var:
        var = Var(f"v{len(self.bindings)}")
        self.bindings.append((var, value))
        return var

    def constant(self, value: object, dtype: str = "float32") -> Var:
        """Bind an initializer."""
        return self.bind(Constant(np.asarray(value, dtype)))

    def ints(self, *values: int) -> Var:
        """Bind an initializer of integers, each once."""
        if values not in self.constants:
            self.constants[values] = self.constant(values, "int64")
        return self.constants[values]

    def node(self, name: str, *inputs: Expr | None, outputs: int = 1, **attributes: object) -> Var:
        self.calls += 1
        return self.bind(call(name, inputs, outputs, **attributes))

    def split(self, x: Var) -> tuple[Var, Var]:
        parts = self.node("Split", x, outputs=2, axis=1, num_outputs=2)
        return self.bind(TupleGetItem(parts, 0)), self.bind(TupleGetItem(parts, 1))


def call(name: str, inputs: Sequence[Expr | None], outputs: int = 1, **attributes: object) -> Call:
    identity = identify(name, OPSET)
    op = find_operator(identity.name, identity.since_version)
    return make_call(op, inputs, attributes, outputs=outputs)


def module(param: Var, body: Builder, *results: Var) -> IRModule:
    image: Expr = results[0] if len(results) == 1 else Tuple(results)
    for var, value in reversed(body.bindings):
        image = Let(var, value, image)
    opsets = {info.OPSETS: DictAttrs({"": OPSET})}
    return IRModule({"main": Function((param,), image)}, attrs=DictAttrs(opsets))


Step = Callable[[Builder, Var], Var]
"""Takes a tensor of (1, 4, 8, 8) and gives one."""


def affine(b: Builder, x: Var) -> Var:
    scaled = b.node("Mul", x, b.constant(2.0))
    return b.node("Add", b.node("Add", scaled, b.constant(1.0)), b.constant(0.5))


def convolution(b: Builder, x: Var) -> Var:
    """A convolution of padded data, with batch normalisation and a scale."""
    padded = b.node("Pad", x, b.ints(0, 0, 1, 1, 0, 0, 1, 1))
    y = b.node("Conv", padded, b.constant(np.full((4, 4, 3, 3), 0.01)), b.constant(np.zeros(4)))
    four = [b.constant(np.ones(4)) for _ in range(4)]
    y = b.node("BatchNormalization", y, *four, outputs=1)
    return b.node("Mul", y, b.constant(np.full((1, 4, 1, 1), 0.5)))


def gelu(b: Builder, x: Var) -> Var:
    turned = b.node("Erf", b.node("Div", x, b.constant(np.sqrt(2))))
    product = b.node("Mul", x, b.node("Add", turned, b.constant(1.0)))
    return b.node("Mul", product, b.constant(0.5))


def layer_normalization(b: Builder, x: Var) -> Var:
    centred = b.node("Sub", x, b.node("ReduceMean", x, b.ints(-1), keepdims=1))
    square = b.node("Pow", centred, b.constant(2.0))
    variance = b.node("ReduceMean", square, b.ints(-1), keepdims=1)
    deviation = b.node("Sqrt", b.node("Add", variance, b.constant(1e-5)))
    return b.node("Div", centred, deviation)


def hard_swish(b: Builder, x: Var) -> Var:
    shifted = b.node("Add", x, b.constant(3.0))
    cut = b.node("Clip", shifted, b.constant(0.0), b.constant(6.0))
    return b.node("Div", b.node("Mul", x, cut), b.constant(6.0))


def product(b: Builder, x: Var) -> Var:
    flat = b.node("Reshape", x, b.ints(32, 8))
    turned = b.node("Transpose", flat, perm=(1, 0))
    weight = b.constant(np.eye(32))
    y = b.node("Add", b.node("MatMul", turned, weight), b.constant(np.zeros(32)))
    return b.node("Reshape", b.node("Transpose", y, perm=(1, 0)), b.ints(1, 4, 8, 8))


def slices(b: Builder, x: Var) -> Var:
    """Slices of slices, put together again."""
    inner = b.node("Slice", x, b.ints(0), b.ints(8), b.ints(2), b.ints(1))
    first = b.node("Slice", inner, b.ints(0), b.ints(4), b.ints(2), b.ints(1))
    second = b.node("Slice", inner, b.ints(4), b.ints(8), b.ints(2), b.ints(1))
    left, right = b.split(b.node("Concat", first, second, axis=2))
    return b.node("Concat", left, right, axis=1)


def no_ops(b: Builder, x: Var) -> Var:
    y = b.node("Identity", b.node("Cast", b.node("Dropout", x), to=1))
    y = b.node("Clip", b.node("Clip", y, b.constant(0.0)), None, b.constant(6.0))
    y = b.node("Squeeze", b.node("Unsqueeze", y, b.ints(0)), b.ints(0))
    return b.node("Add", y, b.constant(np.zeros(1)))


def transposes(b: Builder, x: Var) -> Var:
    y = b.node("Relu", b.node("Transpose", x, perm=(0, 2, 3, 1)))
    y = b.node("Transpose", y, perm=(0, 3, 1, 2))
    return b.node("Reshape", b.node("Transpose", y, perm=(0, 1, 2, 3)), b.ints(1, 4, 8, 8))


def shapes(b: Builder, x: Var) -> Var:
    """A Reshape by a shape that is computed of shapes."""
    first, second = (b.node("Gather", b.node("Shape", x), b.ints(at)) for at in (0, 1))
    flat = b.node("Concat", first, b.node("Mul", second, b.ints(64)), axis=0)
    y = b.node("Relu", b.node("Reshape", x, flat))
    return b.node("Reshape", y, b.node("Shape", x))


def gathered(b: Builder, x: Var) -> Var:
    kept = b.node("Gather", x, b.ints(0), axis=0)
    dropped = b.node("Gather", x, b.constant(0, "int64"), axis=0)
    return b.node("Add", kept, b.node("Unsqueeze", dropped, b.ints(0)))


def sequences(b: Builder, x: Var) -> Var:
    held = b.node("SequenceConstruct", x, b.node("Neg", x))
    return b.node("SequenceAt", held, b.constant(1, "int64"))


def decided(b: Builder, x: Var) -> Var:
    """A branch whose condition is constant."""
    return branch(b, x, b.node("Constant", value=np.array(True)))


def branch(b: Builder, x: Var, condition: Var) -> Var:
    names = {"then_branch": "Relu", "else_branch": "Neg"}
    graphs = {}
    for name, operator in names.items():
        inner = Var("x")
        graphs[name] = Function((inner,), call(operator, (inner,)))
    identity = identify("If", OPSET)
    op = find_operator(identity.name, identity.since_version)
    b.calls += 3
    return b.bind(make_call(op, (condition,), graphs=graphs, captures=(x,)))


STEPS: Final[tuple[Step, ...]] = (
    affine, convolution, gelu, layer_normalization, hard_swish, product, slices, no_ops, transposes,
    shapes, gathered, sequences, decided,
)  # fmt: skip


def begin() -> tuple[Var, Builder]:
    """Return the parameter of a model, and what binds its nodes."""
    return Var("x", TensorType((1, 4, 8, 8), "float32")), Builder()


def patterns(size: int) -> IRModule:
    """Return what each pass looks for, one after the other, again and again."""
    param, b = begin()
    x = param
    for step in cycle(STEPS):
        if b.calls >= size:
            break
        x = step(b, x)
    return module(param, b, x)


def transposed(size: int) -> IRModule:
    """Return one transposition, undone only behind all other nodes."""
    param, b = begin()
    x = b.node("Transpose", param, perm=(0, 2, 3, 1))
    for _ in range(size // 2):
        x = b.node("Relu", b.node("Add", x, b.constant(1.0)))
    return module(param, b, b.node("Transpose", x, perm=(0, 3, 1, 2)))


def fan(size: int) -> IRModule:
    """Return nodes that all use one value, equal ones among them, and what puts all together."""
    param, b = begin()
    x = b.node("Relu", param)
    total = x
    for index in range(size // 3):
        scaled = b.node("Mul", x, b.constant(float(index % 100)))
        total = b.node("Add", total, b.node("Identity", scaled))
    return module(param, b, total)


def branches(size: int) -> IRModule:
    """Return branches one after the other, whose condition only the program tells."""
    param, b = begin()
    rank = b.node("ReduceMax", param, keepdims=0)
    condition = b.node("Greater", rank, b.constant(0.0))
    x = param
    for _ in range(size // 3):
        x = branch(b, x, condition)
    return module(param, b, x)


def operands(size: int) -> IRModule:
    """Return a node that puts many values together, one that takes them apart, many results."""
    param, b = begin()
    count = size // 4
    x = b.node("Concat", *[b.node("Identity", param) for _ in range(count)], axis=0)
    whole = b.node("Split", x, outputs=count, axis=0, num_outputs=count)
    parts = [b.bind(TupleGetItem(whole, place)) for place in range(count)]
    x = b.node("Concat", *parts, axis=0)
    for _ in range(count):
        x = b.node("Concat", x, b.node("Neg", param), axis=0)
    return module(param, b, x, *[b.node("Identity", param) for _ in range(count)])


LARGE_ONNX: Final[dict[str, Callable[[int], IRModule]]] = {
    "patterns": patterns,
    "transposed": transposed,
    "fan": fan,
    "operands": operands,
    "onnx branches": branches,
}
"""Models of about so many nodes."""

WITH_OPTIONS: Final = {"ConvertOpset": "ConvertOpset{version=23}"}
"""Passes that have more to do with options."""
