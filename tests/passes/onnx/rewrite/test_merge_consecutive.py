"""Operators in a row that are one."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish import transform  # noqa: E402
from tests.passes.onnx.rewrite.graphs import leaves, read, simplify  # noqa: E402
from tests.support.each import each  # noqa: E402

pytestmark = pytest.mark.references


def graph(body: str, inputs: str, output: str, constants: str = "") -> str:
    held = f"<{constants}>" if constants else ""
    return f"g ({inputs}) => ({output}) {held} {{ {body} }}"


MERGED = {
    "reshapes": (
        graph("a = Reshape(x, s) y = Reshape(a, t)", "float[2,3,4] x", "float[4,6] y",
              "int64[2] s = {6, 4}, int64[2] t = {4, 6}"),
        ["Reshape"],
    ),
    "reshapes of open sizes": (
        graph("a = Reshape(x, s) y = Reshape(a, t)", "float[n,m] x", "float[k,l] y",
              "int64[1] s = {-1}, int64[2] t = {-1, 3}"),
        ["Reshape"],
    ),
    "reshapes back": (
        graph("a = Reshape(x, s) b = Reshape(a, t) y = Relu(b)", "float[n,6] x", "float[n,6] y",
              "int64[3] s = {0, 2, 3}, int64[2] t = {0, 6}"),
        ["Relu"],
    ),
    "reshape twice, the first used elsewhere": (
        graph("a = Reshape(x, s) b = Relu(a) y = Reshape(a, t)", "float[6] x",
              "float[3,2] y, float[2,3] b", "int64[2] s = {2, 3}, int64[2] t = {3, 2}"),
        ["Reshape", "Relu", "Reshape"],
    ),
    "squeeze of unsqueeze": (
        graph("a = Unsqueeze(x, s) b = Squeeze(a, s) y = Relu(b)", "float[?] x", "float[?] y",
              "int64[1] s = {1}"),
        ["Relu"],
    ),
    "unsqueeze of squeeze": (
        graph("a = Squeeze(x, s) b = Unsqueeze(a, s) y = Relu(b)", "float[?,1] x", "float[?,1] y",
              "int64[1] s = {1}"),
        ["Relu"],
    ),
    "unsqueezes": (
        graph("a = Unsqueeze(x, s) y = Unsqueeze(a, t)", "float[n,m] x", "float[n,1,m,1] y",
              "int64[1] s = {1}, int64[1] t = {3}"),
        ["Unsqueeze"],
    ),
    "flatten of reshape": (
        graph("a = Reshape(x, s) y = Flatten(a)", "float[2,12] x", "float[2,12] y",
              "int64[3] s = {2, 3, 4}"),
        ["Identity"],
    ),
    "transposes": (
        graph("a = Transpose<perm=[1,2,0]>(x) y = Transpose<perm=[1,2,0]>(a)", "float[n,3,4] x",
              "float[4,n,3] y"),
        ["Transpose"],
    ),
    "transposes back": (
        graph("a = Transpose<perm=[1,0]>(x) b = Transpose(a) y = Relu(b)", "float[n,m] x",
              "float[n,m] y"),
        ["Relu"],
    ),
    "transposes by default": (
        graph("a = Transpose(x) b = Transpose(a) y = Relu(b)", "float[n,m] x", "float[n,m] y"),
        ["Relu"],
    ),
    "concats": (
        graph("a = Concat<axis=1>(x, x) y = Concat<axis=1>(x, a)", "float[n,2] x", "float[n,6] y"),
        ["Concat"],
    ),
    "casts": (
        graph("a = Cast<to=11>(x) y = Cast<to=10>(a)", "float[3] x", "float16[3] y"),
        ["Cast"],
    ),
    "casts back": (
        graph("a = Cast<to=11>(x) b = Cast<to=1>(a) y = Relu(b)", "float[3] x", "float[3] y"),
        ["Relu"],
    ),
    "slices": (
        graph("a = Slice(x, s, e, t) y = Slice(a, s, f, t)", "float[n,9] x", "float[n,3] y",
              "int64[1] s = {1}, int64[1] e = {7}, int64[1] f = {4}, int64[1] t = {1}"),
        ["Slice"],
    ),
}  # fmt: skip


@each("name", MERGED)
def test_two_in_a_row_become_one(name: str) -> None:
    text, expected = MERGED[name]
    assert simplify(text, "MergeConsecutive") == expected


KEPT = {
    "concats of other axes": graph(
        "a = Concat<axis=1>(x, x) y = Concat<axis=0>(a, a)", "float[n,2] x", "float[k,4] y"
    ),
    "a concat that is used elsewhere": graph(
        "a = Concat<axis=1>(x, x) b = Relu(a) y = Concat<axis=1>(x, a)",
        "float[n,2] x", "float[n,6] y, float[n,4] b",
    ),
    "casts that round": graph(
        "a = Cast<to=10>(x) y = Cast<to=1>(a)", "float[3] x", "float[3] y"
    ),
    "casts by large integers": graph(
        "a = Cast<to=11>(x) y = Cast<to=7>(a)", "int64[3] x", "int64[3] y"
    ),
    "casts of booleans": graph(
        "a = Cast<to=9>(x) y = Cast<to=1>(a)", "float[3] x", "float[3] y"
    ),
    "slices from the back": graph(
        "a = Slice(x, s, e, t) y = Slice(a, s, e, t)", "float[n,9] x", "float[n,k] y",
        "int64[1] s = {-3}, int64[1] e = {-1}, int64[1] t = {1}",
    ),
    "a slice that is used elsewhere": graph(
        "a = Slice(x, s, e, t) b = Relu(a) y = Slice(a, s, f, t)", "float[n,9] x",
        "float[n,3] y, float[n,6] b",
        "int64[1] s = {1}, int64[1] e = {7}, int64[1] f = {4}, int64[1] t = {1}",
    ),
    "squeezes of other axes": graph(
        "a = Unsqueeze(x, s) y = Squeeze(a, t)", "float[1,n,m] x", "float[1,n,m] y",
        "int64[1] s = {1}, int64[1] t = {0}",
    ),
    "a transpose that moves sizes, and a reshape": graph(
        "a = Transpose<perm=[1,0]>(x) y = Reshape(a, s)", "float[2,3] x", "float[6] y",
        "int64[1] s = {-1}",
    ),
    "a reshape by zeros of what is not known": graph(
        "a = Reshape(x, r) y = Reshape(a, s)", "float[?,?] x, int64[2] r", "float[?,?,?] y",
        "int64[3] s = {0, 0, 1}",
    ),
}  # fmt: skip


@each("name", [name for name in KEPT if name != "squeezes of other axes"])
def test_what_would_change_values_or_save_nothing_stays(name: str) -> None:
    assert leaves(KEPT[name], "MergeConsecutive")


def test_a_squeeze_of_another_axis_is_a_view_like_others() -> None:
    assert simplify(KEPT["squeezes of other axes"], "MergeConsecutive") == ["Identity"]


@pytest.mark.parametrize("opset", [9, 11])
def test_operators_whose_shapes_were_attributes_are_merged_by_attributes(opset: int) -> None:
    text = graph(
        "a = Unsqueeze<axes=[0]>(x) y = Unsqueeze<axes=[3]>(a)", "float[n,m] x", "float[1,n,m,1] y"
    )
    assert simplify(text, "MergeConsecutive", opset=opset) == ["Unsqueeze"]


def test_empty_tensors_keep_their_zeros() -> None:
    text = graph(
        "a = Reshape<allowzero=1>(x, s) y = Reshape<allowzero=1>(a, t)", "float[2,0] x",
        "float[0,5] y", "int64[1] s = {0}, int64[2] t = {0, 5}",
    )  # fmt: skip
    assert simplify(text, "MergeConsecutive") == ["Reshape", "Reshape"]


def test_slices_of_a_long_tensor_are_merged_into_one() -> None:
    steps = " ".join(f"x{i + 1} = Slice(x{i}, s, e, t)" for i in range(8))
    text = graph(
        f"{steps} y = Relu(x8)", "float[20] x0", "float[12] y",
        "int64[1] s = {1}, int64[1] e = {1000}, int64[1] t = {0}",
    )  # fmt: skip
    assert simplify(text, "MergeConsecutive") == ["Slice", "Relu"]


def test_other_attributes_of_a_module_stay() -> None:
    mod = read(MERGED["transposes"][0])
    image = transform.MergeConsecutive()(mod)
    assert image.attrs is mod.attrs
    assert image["main"].attrs is mod["main"].attrs
