"""Transpositions move down where that saves nodes, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from relayish.transform import get_pass  # noqa: E402
from tests.passes.onnx.fuse.programs import HEADER, assert_same_values, optimise  # noqa: E402
from tests.support.each import each  # noqa: E402
from tests.support.seeds import seeds  # noqa: E402

pytestmark = pytest.mark.references

LAST = "<perm = [0, 2, 3, 1]>"
FIRST = "<perm = [0, 3, 1, 2]>"
CONSTANTS = (
    "float TWO = {2}, float ZERO = {0}, float[5] ROW = {1, 2, 3, 4, 5}, "
    "float[4, 1] COLUMN = {1, 2, 3, 4}, int64 ONE = {1}, int64[1] AXIS1 = {1}, "
    "int64[1] AXIS3 = {-1}, "
    "int64[8] PADS = {0, 1, 0, 2, 0, 0, 3, 0}, int64[2] PADS2 = {1, 2}"
)


def push(body: str, result: str = "float[2, 5, 3, 4]", opset: int = 17) -> list[str] | None:
    """Return the operators after the pass, ``None`` if it did nothing."""
    text = (
        f"m (float[2, 5, 3, 4] x, float[2, 5, 3, 4] z) => ({result} y) <{CONSTANTS}> {{ {body} }}"
    )
    nodes, changed = optimise(text, "PushTranspose", opset)
    return nodes if changed else None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("b = Relu(a) y = Transpose {F} (b)", "Relu"),
        ("b = Clip(a, ZERO, TWO) c = Neg(b) y = Transpose {F} (c)", "Clip Neg"),
        ("b = Mul(a, TWO) c = Add(ROW, b) y = Transpose {F} (c)", "Mul Add"),
        ("b = Add(a, COLUMN) y = Transpose {F} (b)", "Add"),
        ("w = Transpose {L} (z) b = Sub(w, a) y = Transpose {F} (b)", "Sub"),
        ("b = Sigmoid(a) c = Mul(a, b) y = Transpose {F} (c)", "Sigmoid Mul"),
        ("b = Softmax <axis = 3> (a) y = Transpose {F} (b)", "Softmax"),
        ("b = Softmax <axis = -2> (a) y = Transpose {F} (b)", "Softmax"),
        ("b = ReduceMax <axes = [1], keepdims = 1> (a) c = Sub(a, b) y = Transpose {F} (c)",
         "ReduceMax Sub"),
        ("b = ReduceSum(a, AXIS3) c = Sub(a, b) y = Transpose {F} (c)", "ReduceSum Sub"),
        ("b = Relu(a) y = Transpose <perm = [0, 3, 2, 1]> (b)", "Relu Transpose"),
        ("b = Transpose {F} (a) y = Relu(b)", "Relu"),
    ],
)  # fmt: skip
def test_inverses_cancel_out(body: str, expected: str) -> None:
    body = f"a = Transpose {LAST} (x) " + body.replace("{F}", FIRST).replace("{L}", LAST)
    result = "float[2, 5, 4, 3]" if "[0, 3, 2, 1]" in body else "float[2, 5, 3, 4]"
    assert push(body, result) == expected.split()


@pytest.mark.parametrize(
    ("body", "result", "expected"),
    [
        ("a = Transpose {L} (x) b = Concat <axis = 3> (a, a) y = Transpose {F} (b)",
         "[2, 10, 3, 4]", "Concat"),
        ("a = Transpose {L} (x) w = Transpose {L} (z) y = Concat <axis = 1> (a, w)",
         "[2, 6, 4, 5]", "Concat Transpose"),
        ("a = Transpose {L} (x) b = Pad(a, PADS) y = Transpose {F} (b)", "[2, 7, 4, 7]", "Pad"),
        ("a = Transpose {L} (x) b = Unsqueeze(a, AXIS1) c = Squeeze(b, AXIS1) y = Transpose {F}(c)",
         "[2, 5, 3, 4]", "Unsqueeze Squeeze"),
        ("a = Transpose {L} (x) y = ReduceMax <axes = [1, 2], keepdims = 0> (a)", "[2, 5]",
         "ReduceMax"),
        ("a = Transpose {L} (x) y = ReduceMean <axes = [3], keepdims = 0> (a)", "[2, 3, 4]",
         "ReduceMean"),
        ("a = Transpose {L} (x) y = ReduceMax <keepdims = 0> (a)", "", "ReduceMax"),
        ("a = Transpose {L} (x) y = ReduceMin (a)", "[1, 1, 1, 1]", "ReduceMin"),
    ],
)  # fmt: skip
def test_axes_are_mapped(body: str, result: str, expected: str) -> None:
    body = body.replace("{F}", FIRST).replace("{L}", LAST)
    assert push(body, f"float{result}") == expected.split()


def test_index_of_largest_is_found_along_the_axis_before() -> None:
    body = f"a = Transpose {LAST} (x) y = ArgMax <axis = -1, keepdims = 0> (a)"
    assert push(body, "int64[2, 3, 4]") == ["ArgMax"]


def test_axes_of_pads_are_mapped() -> None:
    body = f'a = Transpose {LAST} (x) b = Pad(a, PADS2, "", AXIS3) y = Transpose {FIRST} (b)'
    assert push(body.replace('""', ""), "float[2, 8, 3, 4]", 18) == ["Pad"]


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("a = Transpose {L} (x) y = Relu(a)", "[2, 3, 4, 5]"),
        ("a = Transpose {L} (x) b = Softmax(a) c = Neg(a) d = Neg(b) y = Add(c, d)",
         "[2, 3, 4, 5]"),
        ("a = Transpose {L} (x) b = Add(a, ROW) y = ReduceMax <axes = [1]> (b)", "[2, 1, 4, 5]"),
        ("a = Transpose {L} (x) b = Relu(a) c = Add(b, r) y = Transpose {F} (c)", "[2, 5, 3, 4]"),
        ("a = Transpose {L} (x) b = CumSum(a, ONE) y = Transpose {F} (b)", "[2, 5, 3, 4]"),
        ("a = Transpose <perm = [0, 1, 2, 3]> (x) y = Relu(a)", "[2, 5, 3, 4]"),
        ("a = Transpose {L} (x) y = ReduceMax <keepdims = 0, axes = [0]> (a)", "[3, 4, 5]"),
    ],
)  # fmt: skip
def test_what_saves_no_node_stays(body: str, result: str) -> None:
    body = body.replace("{F}", FIRST).replace("{L}", LAST)
    text = (
        f"m (float[2, 5, 3, 4] x, float[2, 5, 3, 4] z, float[2, 3, 4, 5] r) => (float{result} y) "
        f"<{CONSTANTS}> {{ {body} }}"
    )
    assert not optimise(text, "PushTranspose")[1]


@pytest.mark.parametrize("opset", [12, 13])
def test_softmax_of_old_versions_is_of_all_axes_behind(opset: int) -> None:
    body = f"a = Transpose {LAST} (x) b = Softmax <axis = 1> (a) y = Transpose {FIRST} (b)"
    assert push(body, opset=opset) == (None if opset < 13 else ["Softmax"])


def test_results_between_are_transposed() -> None:
    text = (
        "m (float[2, 3] x) => (float[3, 2] y, float[2, 3] z, float[2, 3] w) "
        "{ a = Transpose(x) y = Relu(a) b = Neg(y) z = Transpose(b) c = Exp(y) w = Transpose(c) }"
    )
    nodes, _ = optimise(text, "PushTranspose")
    assert sorted(nodes) == ["Exp", "Neg", "Relu", "Transpose"]


def test_branches_without_gain_stay_behind_the_transposition() -> None:
    text = (
        "m (float[2, 3] x) => (float[3, 2] y, float[3, 2] z, float[2, 3] w) "
        "{ a = Transpose(x) b = Relu(a) y = Neg(b) z = Exp(b) c = Abs(a) w = Transpose(c) }"
    )
    nodes, _ = optimise(text, "PushTranspose")
    assert sorted(nodes) == ["Abs", "Exp", "Neg", "Relu", "Transpose"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = Transpose(x) b = Relu(a) y = Gemm(b, w)", ["Relu", "Gemm"]),
        ("a = Transpose(x) b = Relu(a) y = Gemm <transA = 1> (w2, b)", ["Relu", "Gemm"]),
        ("a = Transpose(x) b = Relu(a) y = Gemm <transA = 1, transB = 1> (b, v)",
         ["Relu", "Gemm"]),
    ],
)  # fmt: skip
def test_gemm_transposes_itself(body: str, expected: list[str]) -> None:
    result = "[4, 2]" if "w2" in body else "[2, 5]" if ", v" in body else "[3, 4]"
    text = (
        "m (float[2, 3] x, float[2, 4] w, float[3, 4] w2, float[5, 3] v) "
        f"=> (float{result} y) {{ {body} }}"
    )
    assert optimise(text, "PushTranspose") == (expected, True)


def test_products_concern_the_last_axis_alone() -> None:
    text = (
        "m (float[2, 5, 3, 4] x, float[4, 6] w) => (float[2, 5, 3, 6] y) "
        "{ a = Transpose <perm = [0, 2, 1, 3]> (x) b = MatMul(a, w) "
        "y = Transpose <perm = [0, 2, 1, 3]> (b) }"
    )
    assert optimise(text, "PushTranspose") == (["MatMul"], True)
    assert not optimise(text.replace("float[4, 6] w", "float[3, 4, 6] w"), "PushTranspose")[1]


def test_integers_and_unknown_sizes() -> None:
    text = (
        "m (int64[N, 3, M] x) => (int64[N, 3, M] y) <int64[3] C = {1, 2, 3}> "
        "{ a = Transpose <perm = [0, 2, 1]> (x) b = Mul(a, C) "
        "y = Transpose <perm = [0, 2, 1]> (b) }"
    )
    assert optimise(text, "PushTranspose") == (["Mul"], True)
    mod = get_pass("PushTranspose")(
        from_onnx(onnx.parser.parse_model(HEADER.format(opset=17) + text))
    )
    dims = to_onnx(mod).graph.output[0].type.tensor_type.shape.dim
    assert [dim.dim_param or dim.dim_value for dim in dims] == ["N", 3, "M"]


def test_captured_values_are_transposed_for_graphs() -> None:
    text = (
        "m (float[2, 3] x, bool c) => (float[2, 3] y, float[3, 2] z) "
        "{ a = Transpose(x) b = Relu(a) y = Transpose(b) z = If (c) "
        "<then_branch = t () => (float[3, 2] u) { u = Neg(b) }, "
        "else_branch = e () => (float[3, 2] v) { v = Abs(b) }> }"
    )
    nodes, changed = optimise(text, "PushTranspose")
    assert changed
    assert sorted(nodes) == ["If", "Relu", "Transpose"]


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
    model = onnx.parser.parse_model(HEADER.format(opset=17) + text)
    mod = get_pass("DeadCodeElimination")(from_onnx(model))
    image = get_pass("PushTranspose")(mod)
    result = to_onnx(image)
    onnx.checker.check_model(result, full_check=True)
    assert_same_values(model, result)
    before = len(to_onnx(mod).graph.node)
    after = len([node for node in result.graph.node if node.op_type != "Identity"])
    assert image is mod or after < before
    assert get_pass("PushTranspose")(image) is image
