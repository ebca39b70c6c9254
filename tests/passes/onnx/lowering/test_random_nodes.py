"""Random nodes of operators that several of Relay's make up, lowered and compiled."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import helper, numpy_helper  # noqa: E402

from relayish.frontend.onnx import from_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.transform import LowerOnnx  # noqa: E402
from tests.support.compiled_loops import skip_without_compiler  # noqa: E402
from tests.support.compiled_onnx import results  # noqa: E402
from tests.support.each import each  # noqa: E402
from tests.support.onnx_maker import info_of  # noqa: E402
from tests.support.random_onnx import is_close  # noqa: E402
from tests.support.seeds import seeds  # noqa: E402

pytestmark = pytest.mark.references

Node = tuple[str, dict[str, Any], list[Any]]
"""The operator, its attributes, and its inputs: ``None`` is missing."""

Draw = random.Random


def floats(draw: Draw, *shape: int, dtype: str = "float32") -> Any:
    made = np.random.default_rng(draw.randrange(1 << 30)).integers(-16, 17, shape) / 8
    return made.astype(dtype)


def spatial(draw: Draw, rank: int) -> tuple[list[int], list[int], dict[str, Any]]:
    """Return sizes, a kernel that fits into them, and how it slides."""
    sizes = [draw.randrange(3, 7) for _ in range(rank)]
    kernel = [draw.randrange(1, 4) for _ in range(rank)]
    dilations = [draw.choice((1, 1, 2)) if (k - 1) * 2 < 3 else 1 for k in kernel]
    how: dict[str, Any] = {
        "strides": [draw.randrange(1, 3) for _ in range(rank)],
        "dilations": dilations,
        "pads": [draw.randrange(0, k) for k in (*kernel, *kernel)],
    }
    return sizes, kernel, how


def pooling(draw: Draw) -> Node:
    rank = draw.randrange(1, 4)
    sizes, kernel, how = spatial(draw, rank)
    how |= {"kernel_shape": kernel, "ceil_mode": draw.randrange(2)}
    dtype = draw.choice(("float32", "float32", "float64", "int8", "uint8"))
    x = floats(draw, draw.randrange(1, 3), draw.randrange(1, 3), *sizes)
    if draw.random() < 0.5:
        return "AveragePool", how | {"count_include_pad": draw.randrange(2)}, [x]
    how["outputs"] = draw.randrange(1, 3)
    how["storage_order"] = draw.randrange(2)
    return "MaxPool", how, [np.abs(x * 8).astype(dtype)]


def columns(draw: Draw) -> Node:
    sizes, kernel, how = spatial(draw, draw.randrange(1, 4))
    count = 1
    for at, (size, window) in enumerate(zip(sizes, kernel, strict=True)):
        around = how["pads"][at] + how["pads"][at + len(sizes)]
        reach = (window - 1) * how["dilations"][at] + 1
        count *= (size + around - reach) // how["strides"][at] + 1
    x = floats(draw, 2, 2 * int(np.prod(kernel)), count)
    return "Col2Im", how, [x, np.array(sizes), np.array(kernel)]


def deformed(draw: Draw) -> Node:
    rank = draw.randrange(1, 4)
    sizes, kernel, how = spatial(draw, rank)
    counts = [
        (sizes[at] + how["pads"][at] + how["pads"][at + rank]
         - (kernel[at] - 1) * how["dilations"][at] - 1) // how["strides"][at] + 1
        for at in range(rank)
    ]  # fmt: skip
    parts, groups, taps = draw.choice((1, 2)), draw.choice((1, 2)), int(np.prod(kernel))
    inputs = [
        floats(draw, 2, 4, *sizes),
        floats(draw, 2 * groups, 4 // groups, *kernel),
        floats(draw, 2, parts * taps * rank, *counts),
        floats(draw, 2 * groups) if draw.random() < 0.5 else None,
        floats(draw, 2, parts * taps, *counts) if draw.random() < 0.5 else None,
    ]
    return "DeformConv", how | {"group": groups, "offset_group": parts}, inputs


def regions(draw: Draw) -> Node:
    begins = np.abs(floats(draw, 3, 2)) * 2
    boxes = np.concatenate([begins, begins + np.abs(floats(draw, 3, 2)) * 3], axis=1)
    how = {
        "mode": draw.choice(("avg", "max")),
        "coordinate_transformation_mode": draw.choice(("half_pixel", "output_half_pixel")),
        "output_height": draw.randrange(1, 4),
        "output_width": draw.randrange(1, 4),
        "sampling_ratio": draw.randrange(1, 4),
        "spatial_scale": draw.choice((1.0, 0.5)),
    }
    images = np.array([draw.randrange(2) for _ in range(3)])
    return "RoiAlign", how, [np.abs(floats(draw, 2, 2, 5, 6)), boxes, images]


ACTIVATIONS = (
    "Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh",
    "HardSigmoid", "Elu", "Softsign", "Softplus",
)  # fmt: skip


def layer(draw: Draw) -> Node:
    name, gates, per = draw.choice((("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 1)))
    direction = draw.choice(("forward", "reverse", "bidirectional"))
    ways = 1 + (direction == "bidirectional")
    steps, batch, size, hidden = draw.randrange(1, 4), draw.randrange(1, 3), 3, draw.randrange(1, 4)
    turned = draw.randrange(2)
    how: dict[str, Any] = {"direction": direction, "hidden_size": hidden, "layout": turned}
    if draw.random() < 0.6:
        how["activations"] = [draw.choice(ACTIVATIONS) for _ in range(per * ways)]
        how["activation_alpha"] = [draw.choice((0.5, 0.25)) for _ in range(draw.randrange(1, 4))]
    if draw.random() < 0.4:
        how["clip"] = 0.75
    if name == "LSTM":
        how["input_forget"] = draw.randrange(2)
    if name == "GRU":
        how["linear_before_reset"] = draw.randrange(2)
    start = (batch, ways, hidden) if turned else (ways, batch, hidden)
    lengths = np.array([draw.randrange(steps + 1) for _ in range(batch)], np.int32)
    inputs = [
        floats(draw, *((batch, steps) if turned else (steps, batch)), size),
        floats(draw, ways, gates * hidden, size) / 4,
        floats(draw, ways, gates * hidden, hidden) / 4,
        floats(draw, ways, 2 * gates * hidden) / 4 if draw.random() < 0.6 else None,
        lengths if draw.random() < 0.5 else None,
        floats(draw, *start) if draw.random() < 0.5 else None,
    ]
    if name == "LSTM":
        inputs.append(floats(draw, *start) if draw.random() < 0.5 else None)
        inputs.append(floats(draw, ways, 3 * hidden) / 4 if draw.random() < 0.5 else None)
    return name, how | {"outputs": 3 if name == "LSTM" else 2}, inputs


def einsum(draw: Draw) -> Node:
    equation, shapes = draw.choice((
        ("...ii->...i", [(2, 3, 3)]), ("ii", [(4, 4)]), ("iji->j", [(3, 2, 3)]),
        ("...ij,...jk->...ik", [(2, 1, 3, 4), (2, 5, 4, 2)]), ("i...,i...->...", [(3, 2), (3, 1)]),
        ("ij,jk", [(2, 3), (3, 2)]), ("iij,jkk->ik", [(2, 2, 3), (3, 4, 4)]), ("...", [(2, 2)]),
    ))  # fmt: skip
    return "Einsum", {"equation": equation}, [floats(draw, *shape) for shape in shapes]


def determinant(draw: Draw) -> Node:
    size = draw.randrange(1, 6)
    x = floats(draw, *[draw.randrange(1, 3) for _ in range(draw.randrange(3))], size, size)
    if size > 1 and draw.random() < 0.4:
        x[..., 0, 0] = 0
        x[..., -1, :] = x[..., 0, :] if draw.random() < 0.5 else x[..., -1, :]
    return "Det", {}, [x]


def spectrum(draw: Draw) -> Node:
    inverse, one_sided = draw.randrange(2), draw.randrange(2)
    x = floats(draw, 2, draw.randrange(2, 6), draw.randrange(2, 6), 2 if inverse else 1)
    length = np.array(draw.randrange(2, 8)) if draw.random() < 0.5 else None
    axis = np.array(draw.choice((1, 2, -2, -3)))
    return "DFT", {"inverse": inverse, "onesided": one_sided}, [x, length, axis]


def frames(draw: Draw) -> Node:
    size, one_sided = draw.randrange(2, 8), draw.randrange(2)
    window = floats(draw, size) if draw.random() < 0.5 else None
    x = floats(draw, 2, 16, 1 if one_sided else draw.choice((1, 2)))
    return "STFT", {"onesided": one_sided}, [
        x, np.array(draw.randrange(1, 5)), window, np.array(size)
    ]  # fmt: skip


def scattered(draw: Draw) -> Node:
    mode = draw.choice(("linear", "circular"))
    x, update = floats(draw, 2, 3, 6, 2), floats(draw, 2, 3, 2, 2)
    first = np.array([draw.randrange(7 if mode == "circular" else 5) for _ in range(2)])
    return "TensorScatter", {"mode": mode}, [x, update, first]


def padded(draw: Draw) -> Node:
    pads = np.array([draw.randrange(-1, 4) for _ in range(4)])
    value = np.array(2.5, np.float32) if draw.random() < 0.5 else None
    return "Pad", {"mode": draw.choice(("wrap", "constant"))}, [floats(draw, 3, 4), pads, value]


def compressed(draw: Draw) -> Node:
    x, axis = floats(draw, 3, 4), draw.choice((None, 0, 1, -1))
    most = 12 if axis is None else x.shape[axis]
    condition = np.array([draw.random() < 0.5 for _ in range(draw.randrange(most + 1))], bool)
    return "Compress", {} if axis is None else {"axis": axis}, [x, condition]


def trained(draw: Draw) -> Node:
    if draw.random() < 0.5:
        ratio = np.array(draw.choice((0.0, 0.5, 0.75)), np.float32)
        how = {"seed": draw.randrange(9), "outputs": draw.randrange(1, 3)}
        return "Dropout", how, [floats(draw, 3, 4), ratio, np.array(True)]
    x = floats(draw, 3, 2, *[draw.randrange(2, 4) for _ in range(draw.randrange(3))])
    how = {"training_mode": 1, "momentum": 0.75, "outputs": 3}
    return (
        "BatchNormalization",
        how,
        [x, *[floats(draw, 2) for _ in range(3)], np.abs(floats(draw, 2))],
    )


def attention(draw: Draw) -> Node:
    heads, share, steps, more = draw.randrange(1, 3), draw.choice((1, 2)), 3, draw.randrange(3)
    how = {
        "is_causal": draw.randrange(2),
        "outputs": draw.choice((1, 3)),
        "softcap": draw.choice((0.0, 2.0)),
    }
    mask = draw.choice((None, floats(draw, steps, 4 + more), floats(draw, steps, 4 + more) > 0))
    past = [floats(draw, 2, heads, more, 4) if more else None for _ in range(2)]
    q, *kv = floats(draw, 2, heads * share, steps, 4), *[floats(draw, 2, heads, 4, 4) for _ in "kv"]
    if mask is not None and mask.dtype == bool:
        mask[:, 0] = True
    return "Attention", how, [q, *kv, mask, *past]


def parameters(draw: Draw) -> Node:
    name, kinds = draw.choice((("Adagrad", 3), ("Adam", 4), ("Momentum", 3)))
    how: dict[str, Any] = {"norm_coefficient": 0.25, "domain": "ai.onnx.preview.training"}
    if name == "Momentum":
        how |= {"alpha": 0.9, "beta": 0.5, "mode": draw.choice(("standard", "nesterov"))}
    count = draw.randrange(1, 3)
    shapes = [(draw.randrange(1, 4), 2) for _ in range(count)]
    held = [np.abs(floats(draw, *shape)) for _ in range(kinds) for shape in shapes]
    rate, step = np.array(0.125, np.float32), np.array(draw.randrange(3))
    return name, how | {"outputs": count * (kinds - 1)}, [rate, step, *held]


def counted(draw: Draw) -> Node:
    pool = [[n] for n in range(4)] + [[draw.randrange(4), draw.randrange(4)] for _ in range(3)]
    grams = [tuple(each) for each in pool]
    places = list(range(len(set(grams))))
    draw.shuffle(places)
    unique = sorted(set(grams), key=lambda gram: (len(gram), gram))
    how = {
        "max_gram_length": draw.randrange(1, 3), "min_gram_length": 1,
        "max_skip_count": draw.randrange(3), "mode": draw.choice(("TF", "IDF", "TFIDF")),
        "ngram_counts": [0, sum(len(gram) == 1 for gram in unique)], "ngram_indexes": places,
        "pool_int64s": [word for gram in unique for word in gram],
        "weights": [draw.choice((0.5, 2.0)) for _ in unique],
    }  # fmt: skip
    shape = draw.choice(((6,), (2, 5)))
    rng = np.random.default_rng(draw.randrange(1 << 30))
    return "TfIdfVectorizer", how, [rng.integers(0, 5, shape)]


MAKERS: tuple[Callable[[Draw], Node], ...] = (
    pooling, columns, deformed, regions, layer, einsum, determinant, spectrum, frames, scattered,
    padded, compressed, trained, attention, parameters, counted,
)  # fmt: skip


def case_of(make: Callable[[Draw], Node], seed: int) -> Any:
    """Return a test of a random node, as those of ONNX are: a model, inputs and what it gives."""
    name = f"{make.__name__}_{seed}"
    operator, attributes, inputs = make(Draw(name))
    outputs = [f"y{at}" for at in range(attributes.pop("outputs", 1))]
    domain = attributes.pop("domain", "")
    names = ["" if each is None else f"x{at}" for at, each in enumerate(inputs)]
    node = helper.make_node(operator, names, outputs, domain=domain, **attributes)
    given = {at: each for at, each in zip(names, inputs, strict=True) if at}
    infos = [info_of(at, each) for at, each in given.items()]
    graph = helper.make_graph(
        [node], name, infos, [helper.make_empty_tensor_value_info(at) for at in outputs]
    )
    sets = [helper.make_opsetid("", 24), helper.make_opsetid("ai.onnx.preview.training", 1)]
    model = helper.make_model(graph, opset_imports=sets)
    expected = OnnxSession(from_onnx(model)).run(list(given.values()))
    return SimpleNamespace(
        name=name, model=model, data_sets=[(list(given.values()), expected)], rtol=1e-3, atol=1e-4
    )


def bound(case: Any) -> tuple[Any, list[Any]]:
    """Return the model of a test with small integers and numbers as constants, and the others."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    del model.graph.input[:]
    rest = []
    for info, value in zip(case.model.graph.input, case.data_sets[0][0], strict=True):
        if not value.ndim or (value.ndim == 1 and value.dtype.kind in "iub"):
            model.graph.initializer.append(numpy_helper.from_array(value, info.name))
            continue
        model.graph.input.append(info)
        rest.append(value)
    return model, rest


@each("make", MAKERS)
@pytest.mark.slow("lowers definitions of whole operators")
def test_random_nodes_are_lowered_to_the_same(make: Callable[[Draw], Node]) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for seed in seeds(4):
            case = case_of(make, seed)
            model, inputs = bound(case)
            lowered = LowerOnnx()(from_onnx(model))
            assert "onnx::" not in str(lowered), case.name
            found = OnnxSession(lowered).run(inputs)
            for one, other in zip(case.data_sets[0][1], found, strict=True):
                assert is_close(one, other), f"{case.name}: {other} in place of {one}"


@pytest.mark.slow("a compiler runs")
def test_random_nodes_are_compiled_to_the_same() -> None:
    skip_without_compiler()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        cases = [case_of(make, seed) for make in MAKERS for seed in seeds(1)]
        told = {name: each for name, each in results(cases) if each}
    assert told == {}
