"""Transpositions move down where that saves nodes, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.frontend import to_onnx  # noqa: E402
from relayish.transform import get_pass  # noqa: E402
from tests.passes.onnx.goldens import assert_same_values  # noqa: E402
from tests.passes.onnx.graphs import operators, random_feeds, read, run  # noqa: E402
from tests.support.each import each  # noqa: E402
from tests.support.seeds import seeds  # noqa: E402

pytestmark = pytest.mark.references


def test_integers_and_unknown_sizes() -> None:
    text = (
        "m (int64[N, 3, M] x) => (int64[N, 3, M] y) <int64[3] C = {1, 2, 3}> "
        "{ a = Transpose <perm = [0, 2, 1]> (x) b = Mul(a, C) "
        "y = Transpose <perm = [0, 2, 1]> (b) }"
    )
    mod = get_pass("PushTranspose")(read(text))
    assert operators(mod) == ["Mul"]
    dims = to_onnx(mod).graph.output[0].type.tensor_type.shape.dim
    assert [dim.dim_param or dim.dim_value for dim in dims] == ["N", 3, "M"]


_CHOICES = ("Relu", "Neg", "Add", "Mul", "Transpose", "Concat", "Softmax", "ReduceSum", "Abs")


@each("seed", [*seeds(40), 2950, 3640, 3893])
def test_random_graphs_keep_their_values_and_do_not_grow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes: list[tuple[int, ...]] = [(2, 3, 4)]
    nodes: list[str] = []
    for place in range(1, 22):
        source = int(rng.integers(max(0, place - 4), place))
        shape = shapes[source]
        name = str(rng.choice(_CHOICES, p=[0.1, 0.05, 0.15, 0.05, 0.4, 0.05, 0.05, 0.1, 0.05]))
        alike = [each for each in range(place) if shapes[each] == shape]
        other = int(rng.choice(alike))
        axis = int(rng.integers(3))
        if name == "Transpose":
            perm = [int(each) for each in rng.permutation(3)]
            nodes.append(f"v{place} = Transpose <perm = {perm}> (v{source})")
            shape = tuple([shape[each] for each in perm])
        elif name in ("Add", "Mul"):
            nodes.append(f"v{place} = {name}(v{source}, v{other})")
        elif name == "Concat":
            nodes.append(f"v{place} = Concat <axis = {axis}> (v{source}, v{other})")
            shape = (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :])
        elif name == "Softmax":
            nodes.append(f"v{place} = Softmax <axis = {axis}> (v{source})")
        elif name == "ReduceSum":
            nodes.append(f"v{place} = ReduceMax <axes = [{axis}]> (v{source})")
            shape = (*shape[:axis], 1, *shape[axis + 1 :])
        else:
            nodes.append(f"v{place} = {name}(v{source})")
        shapes.append(shape)
    outputs = [21, int(rng.integers(8, 20))]
    results = ", ".join(f"float{list(shapes[each])} v{each}" for each in outputs)
    text = f"m (float[2, 3, 4] v0) => ({results}) {{ {' '.join(nodes)} }}"
    mod = get_pass("DeadCodeElimination")(read(text))
    image = get_pass("PushTranspose")(mod)
    result = to_onnx(image)
    onnx.checker.check_model(result, full_check=True)
    feeds = random_feeds(mod, seed)
    assert_same_values(run(mod, feeds), run(image, feeds), close=True)
    before = len(to_onnx(mod).graph.node)
    after = len([node for node in result.graph.node if node.op_type != "Identity"])
    assert image is mod or after < before
    assert get_pass("PushTranspose")(image) is image
