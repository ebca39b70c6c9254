"""What is inferred of programs is true, and says no less than ONNX's own inference.

Every node of ONNX's suite, and every model at hand: types and values against those found when it
runs, on inputs that are given, known beforehand, or of sizes by name.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.errors import EvaluationError
from relayish.frontend.onnx import from_onnx
from relayish.functor.relay.substitute import substitute
from relayish.ir.relay.expr import Constant, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import SizeVar, TensorType, Type
from relayish.onnx.propagation import propagate
from relayish.onnx.protos.types import Dimensions, type_of_proto
from relayish.onnx.types import OptionalType, SequenceType, UnknownType, UnrankedTensorType
from tests.support.onnx_facts import find_lies, main_of, run_all, variables_of

onnx = pytest.importorskip("onnx")

from tests.support.onnx_models import (  # noqa: E402
    MAKES_SUITE,
    every,
    models_of_others,
    suite_cases,
    suite_models,
)

pytestmark = pytest.mark.references

EVERY = every(16)
"""Of so many nodes of the suite one is tested."""
MODELS = models_of_others()


def cases(offset: int) -> Iterator[Any]:  # Any: cases of the suite, which is not typed
    nodes = [case for case in suite_cases() if case.kind == "node" and case.data_sets]
    yield from nodes[offset % EVERY :: EVERY]


def arrays(case: Any) -> list[Any]:  # Any: as above; values of ONNX
    proto = onnx.TensorProto
    return [
        onnx.numpy_helper.to_array(each) if isinstance(each, proto) else each
        for each in case.data_sets[0][0]
    ]


def check(mod: IRModule, inputs: list[Any], name: str) -> list[str]:  # Any: values of ONNX
    func = main_of(mod)
    facts = propagate(func, mod)
    try:
        values = run_all(mod, inputs)
    except EvaluationError as error:
        if "ImportError" in str(error):  # images are read by a package of their own
            return []
        raise
    return [f"{name}: {lie}" for lie in find_lies(facts, func, values)]


def known(mod: IRModule, inputs: list[Any], draw: random.Random, how: str) -> tuple[IRModule, Any]:
    """Return a module to which some inputs are known, or of sizes by name, and the other inputs."""
    func = main_of(mod)
    images: dict[Var, Expr] = {}
    constants: list[tuple[Var, Constant]] = []
    rest: list[tuple[Var, Any]] = []  # Any: values of ONNX
    for param, value in zip(func.params, inputs, strict=False):
        ty = param.type_annotation
        var = param
        if not isinstance(value, np.ndarray) or value.dtype.kind in "OUS":
            rest.append((param, value))
            continue
        lists = value.dtype.kind in "iub" and value.ndim <= 1
        if how == "constants" or (how == "sizes" and lists and draw.random() < 0.8):
            var = images[param] = Var(param.name_hint)
            constants.append((var, Constant(value)))
            continue
        if how == "sizes" and isinstance(ty, TensorType):
            named = [
                SizeVar(f"{param.name_hint}{i}", "int64")
                if size != 1 and draw.random() < 0.6
                else size
                for i, size in enumerate(ty.shape)
            ]
            var = images[param] = Var(param.name_hint, TensorType(named, ty.dtype))
        rest.append((var, value))
    body = substitute(func.body, images)
    for bound, constant in reversed(constants):
        body = Let(bound, constant, body)
    image = Function([var for var, _ in rest], body)
    return mod.with_function("main", image), [value for _, value in rest]


@MAKES_SUITE
@pytest.mark.parametrize(("how", "offset"), [("as given", 0), ("constants", 5), ("sizes", 11)])
def test_nothing_untrue_is_inferred_of_nodes(how: str, offset: int) -> None:
    lies: list[str] = []
    draw = random.Random(offset)
    count = 0
    for case in cases(offset):
        mod, inputs = from_onnx(case.model), arrays(case)
        if how != "as given":
            mod, inputs = known(mod, inputs, draw, how)
        lies += check(mod, inputs, case.name)
        count += 1
    assert not lies
    assert count > 1600 // EVERY  # without an end of the suite unnoticed


SIZES: dict[str, list[dict[str, int]]] = {
    "crnn_ocr.ts.onnx": [{"width": 64}, {"width": 96}],
    "rapidocr_ch_mobile_v1.1_det.onnx": [{"?": 32}],
    "silero_vad_16k_op15.onnx": [
        {"batch": 1, "sequence": 512},
        {"batch": 2, "sequence": 576},
    ],
}
"""By model: sizes that its windows fit into, by name; those of any other are 2, and 3."""


VALUES = {"sr": 16000}
"""By input: a number that the model takes, where not any will do."""


def draw_input(param: Var, sizes: dict[str, int], draw: np.random.Generator) -> Any:
    """Return an input. Any: an array."""
    ty = param.type_annotation
    assert isinstance(ty, TensorType)
    shape = [
        size if isinstance(size, int) else sizes.get(getattr(size, "name", "?"), sizes.get("", 1))
        for size in ty.shape
    ]
    if ty.dtype.startswith("float"):
        return draw.normal(size=shape).astype(ty.dtype)
    return np.full(shape, VALUES.get(param.name_hint, 1), ty.dtype)


@pytest.mark.slow("some models are large, and every value in them is computed")
@pytest.mark.parametrize("path", MODELS, ids=[path.name for path in MODELS])
def test_nothing_untrue_is_inferred_of_models(path: Path) -> None:
    mod = from_onnx(path, freeze_params=True)
    for sizes in SIZES.get(path.name, [{"": 2}, {"": 3}]):
        draw = np.random.default_rng(1)
        params = main_of(mod).params
        inputs = [draw_input(param, sizes, draw) for param in params]
        assert not check(mod, inputs, path.name)


def test_what_is_untrue_is_found() -> None:
    text = '<ir_version: 10, opset_import: ["" : 18]> g (float[n] x) => (float[n] y) {y = Neg (x)}'
    mod = from_onnx(onnx.parser.parse_model(text))
    func = main_of(mod)
    facts = propagate(func, mod)
    x, y = func.params[0], variables_of(func)["y"]
    true = np.ones(3, np.float32)
    assert not find_lies(facts, func, {x: true, y: true})
    for untrue in (np.ones(4, np.float32), np.ones((3, 1), np.float32), np.ones(3), None):
        assert find_lies(facts, func, {x: true, y: untrue})


def compare(theirs: Type, ours: Type | None) -> str:
    """Return whether ours says less than theirs, or what contradicts it; empty if neither."""
    if type(theirs) is UnknownType:
        return ""
    if isinstance(theirs, SequenceType) and isinstance(ours, OptionalType):
        return ""  # of a loop that may not run, which gives back an optional value
    if isinstance(theirs, (SequenceType, OptionalType)) and type(ours) is type(theirs):
        return compare(theirs.element, ours.element)  # type: ignore[attr-defined]  # as of theirs
    told = (TensorType, UnrankedTensorType)
    if not isinstance(ours, told) or not isinstance(theirs, told) or ours.dtype != theirs.dtype:
        return "another type"
    if isinstance(theirs, UnrankedTensorType):
        return ""
    if isinstance(ours, UnrankedTensorType):
        return "no rank"
    if len(ours.shape) != len(theirs.shape):
        return "another rank"
    for their, our in zip(theirs.shape, ours.shape, strict=True):
        if isinstance(their, int) and their != our:
            return "another size" if isinstance(our, int) else "no size"
        invented = isinstance(their, SizeVar) and their.name.startswith("unk__")
        if isinstance(their, SizeVar) and not invented and isinstance(our, AnyDim):
            return "no name"
    return ""


EXCEPTED = {
    # types of results that bodies declare, and that need not hold where the loop does not run
    "test_loop11": {"res_scan"},
    "test_loop13_seq": {"seq_res"},
    # a parameter with a default, which is a value to onnx, and may be another here
    "mnist_cntk.onnx": {
        "Parameter193_reshape1", "Pooling160_Output_0_reshape0", "Times212_Output_0",
        "Plus214_Output_0",
    },
    # the frequencies that a transform leaves out are counted in onnx
    "test_stft": {"output"},
    "test_stft_with_window": {"output"},
}  # fmt: skip
"""By model: values of which less is said than onnx says, for the reason above."""


def models() -> Iterator[tuple[str, Any]]:  # Any: ModelProtos
    for path in MODELS:
        yield path.name, onnx.load(path)
    for name, model in list(suite_models().items())[3 % EVERY :: EVERY]:
        yield name, onnx.ModelProto.FromString(model.SerializeToString())


def forget_types(graph: Any) -> None:  # Any: a GraphProto
    """Leave out what a model tells of its values: ours does not believe it."""
    del graph.value_info[:]
    for each in graph.output:
        each.type.Clear()


@MAKES_SUITE
def test_no_less_is_inferred_than_by_onnx() -> None:
    found: list[str] = []
    for name, model in models():
        forget_types(model.graph)
        theirs = onnx.shape_inference.infer_shapes(model, data_prop=True)
        mod = from_onnx(model)
        facts = propagate(main_of(mod), mod)
        named, dimensions = variables_of(main_of(mod)), Dimensions()
        for value in (*theirs.graph.value_info, *theirs.graph.output):
            if value.name not in named or value.name in EXCEPTED.get(name, ()):
                continue
            ours = facts.type_of(named[value.name])
            wrong = compare(type_of_proto(value.type, dimensions, value.name), ours)
            if wrong:
                found.append(f"{name} {value.name}: {wrong}: {ours}")
    assert not found


@pytest.mark.parametrize("path", MODELS, ids=[path.name for path in MODELS])
def test_relays_type_inference_takes_models(path: Path) -> None:
    mod = relay.transform.InferType()(from_onnx(path))
    assert all(var.checked_type is not None for var in variables_of(main_of(mod)).values())
