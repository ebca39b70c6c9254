"""Casts and quantisation to and from small types: lowered and compiled, byte for byte the same."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import helper  # noqa: E402

import relayish as relay  # noqa: E402
from relayish.codegen.c import build_network, find_toolchain  # noqa: E402
from relayish.frontend.onnx import from_onnx  # noqa: E402
from relayish.onnx.element_types import ELEMENT_TYPES, find_numpy_dtype  # noqa: E402
from relayish.text import astext  # noqa: E402
from relayish.transform import LowerOnnx  # noqa: E402
from tests.support.compiled_loops import QUICK, skip_without_compiler  # noqa: E402

pytestmark = pytest.mark.references

NUMBERS = {name: number for number, name in ELEMENT_TYPES.items()}
SATURATING = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
SMALL = (*SATURATING, "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2", "uint2")
BITS = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}
SHAPE = (3, 6, 4)


class Model:
    """A model of many nodes, each of which gives an output."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.inputs: dict[str, Any] = {}
        self.outputs: list[Any] = []

    def input(self, name: str, value: Any) -> str:
        self.inputs[name] = value
        return name

    def node(self, op: str, inputs: list[str], dtype: str, **attributes: Any) -> None:
        name = f"y{len(self.nodes)}"
        shape = np.shape(self.inputs[inputs[0]])
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        self.outputs.append(helper.make_tensor_value_info(name, NUMBERS[dtype], shape))

    def read(self) -> relay.IRModule:
        given = [
            helper.make_tensor_value_info(name, NUMBERS[value.dtype.name], value.shape)
            for name, value in self.inputs.items()
        ]
        graph = helper.make_graph(self.nodes, "g", given, self.outputs)
        opsets = [helper.make_opsetid("", 26)]
        return from_onnx(helper.make_model(graph, opset_imports=opsets, ir_version=13))


def dtype_of(name: str) -> Any:
    return find_numpy_dtype(NUMBERS[name])


def every(name: str) -> Any:
    return np.arange(1 << BITS.get(name, 8), dtype="uint8").view(dtype_of(name))


def numbers() -> Any:
    """Numbers near all powers of two, near limits, and what is none."""
    powers = np.ldexp(1.0, np.arange(-149, 128, 3)).astype("float32")
    edges = [0.0, -0.0, 1e-45, 5, 6, 7, 240, 248, 249, 448, 464, 465, 57344, 61440, 61441]
    return np.concatenate(
        [
            *[powers * np.float32(by) for by in (1, -1, 1.25, 1.5, -1.5, 1.500001, 1.49999)],
            *[np.array(edges, "float32"), -np.array(edges, "float32")],
            np.array([np.nan, np.inf, -np.inf], "float32"),
        ]
    )


def modes(target: str) -> list[dict[str, Any]]:
    if target in SATURATING:
        return [{"saturate": 0}, {}]
    if target != "float8_e8m0fnu":
        return [{}]
    ways = ("up", "down", "nearest")
    return [{"saturate": one, "round_mode": way} for one in (0, 1) for way in ways]


def casts() -> Model:
    found = Model()
    wide = numbers()
    given = {name: wide.astype(dtype_of(name)) for name in ("float32", "bfloat16")}
    given |= {name: every(name) for name in ("float8_e5m2", "int4")}
    given["int32"] = np.array([0, 3, -9, 449, 70_000, -(2**31), 2**31 - 1], "int32")
    for source, value in given.items():
        x = found.input(f"x_{source}", value)
        whole = value.astype("float64")
        low = found.input(f"low_{source}", value[np.isfinite(whole) & (np.abs(whole) < 1e9)])
        for target in SMALL:
            kept = low if "int" in target and "float" in source else x
            for mode in modes(target) if target != source else ():
                found.node("Cast", [kept], target, to=NUMBERS[target], **mode)
    for source in SMALL:
        x = found.input(f"all_{source}", every(source))
        for target in ("float32", "float16", "bool"):
            found.node("Cast", [x], target, to=NUMBERS[target])
    like = found.input("like", every("float8_e4m3fn"))
    found.node("CastLike", ["x_float32", like], "float8_e4m3fn", saturate=0)
    return found


def same_bits() -> Model:
    found = Model()
    for group in (("float8_e5m2", "float8_e8m0fnu", "int8"), ("int4", "uint4", "float4_e2m1fn")):
        for source in group:
            x = found.input(f"x_{source}", every(source))
            for target in group:
                if target != source:
                    found.node("BitCast", [x], target, to=NUMBERS[target])
    return found


LAYOUTS: dict[str, tuple[tuple[int, ...], dict[str, int]]] = {
    "tensor": ((), {}),
    "one": ((1,), {}),
    "axis": ((6,), {"axis": -2}),
    "blocks": ((3, 2, 4), {"axis": 1, "block_size": 3}),
    "ragged": ((3, 2, 4), {"axis": 1, "block_size": 4}),
}


def quantised(scale_dtype: str) -> Model:
    found, chance = Model(), np.random.default_rng(7)
    data = chance.normal(0, 30, SHAPE)
    data.reshape(-1)[:4] = np.nan, np.inf, -np.inf, -0.0
    x = found.input("x", data.astype("float32"))
    for at, (layout, (sizes, attributes)) in enumerate(LAYOUTS.items()):
        factor = 1.0 if scale_dtype == "float8_e8m0fnu" else chance.uniform(0.7, 1.4, sizes)
        scale = np.exp2(chance.integers(-3, 4, sizes)) * factor
        scales = found.input(f"s_{layout}", np.asarray(scale).astype(dtype_of(scale_dtype)))
        for dtype in (*SMALL[:4], *SMALL[5:], "int8")[(at + len(scale_dtype)) % 5 :: 5]:
            held = dtype_of(dtype)
            zero = chance.integers(0, 2, sizes) if "int" in dtype else np.zeros(sizes)
            zeros = found.input(f"z_{layout}_{dtype}", np.asarray(zero).astype(held))
            codes = np.resize(every(dtype) if dtype in SMALL else np.arange(-99, 99), SHAPE)
            q = found.input(f"q_{layout}_{dtype}", codes.astype(held))
            if dtype == "int8" and not attributes.get("block_size"):
                continue  # qnn.quantize has another idea of what is no number
            to: dict[str, Any] = {"output_dtype": NUMBERS[dtype], **attributes}
            more = {"saturate": int(layout != "axis")} if dtype in SATURATING else {}
            found.node("QuantizeLinear", [x, scales], dtype, **to, **more)
            found.node("QuantizeLinear", [x, scales, zeros], dtype, **attributes, **more)
            out = "float16" if scale_dtype == "float8_e8m0fnu" else scale_dtype
            to = {**attributes, "output_dtype": NUMBERS[out]}
            found.node("DequantizeLinear", [q, scales, zeros], out, **to)
            found.node("DequantizeLinear", [q, scales], out, **to)
    return found


MODELS = {
    "casts": casts,
    "bits": same_bits,
    **{
        f"quantised by {name}": functools.partial(quantised, name)
        for name in ("float32", "float16", "float8_e8m0fnu")
    },
}


def differences(model: Model, expected: Any, found: Any) -> Iterator[str]:
    for node, one, other in zip(model.nodes, expected, found, strict=True):
        number = ~(np.isnan(one.astype("float32")) & np.isnan(other.astype("float32")))
        is_same = one.dtype == other.dtype and one[number].tobytes() == other[number].tobytes()
        if not is_same:
            yield helper.printable_node(node)


@pytest.mark.slow("lowers and compiles hundreds of nodes")
@pytest.mark.parametrize("name", MODELS)
def test_small_types_are_lowered_and_compiled_to_the_same_bytes(name: str) -> None:
    skip_without_compiler()
    model = MODELS[name]()
    mod = model.read()
    lowered = LowerOnnx()(mod)
    assert "onnx::" not in astext(lowered)
    given = list(model.inputs.values())
    with np.errstate(all="ignore"):
        expected = relay.create_executor(mod=mod).evaluate()(*given)
        plain = relay.create_executor(mod=lowered).evaluate()(*given)
        compiled = build_network(lowered, exact=True, toolchain=find_toolchain(QUICK))(*given)
    assert list(differences(model, expected, plain)) == []
    assert list(differences(model, expected, compiled)) == []
