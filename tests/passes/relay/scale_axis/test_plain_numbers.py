"""One number for all channels, and scales behind products of matrices, as TVM folds them."""

from __future__ import annotations

from relayish.analysis.infer_type import infer_type
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.text import parse
from relayish.transform import BackwardFoldScaleAxis, ToGraphNormalForm

X, W = "%x: Tensor[(1, 2, 4, 4), float32]", "%w: Tensor[(3, 2, 1, 1), float32]"
A, B = "%a: Tensor[(2, 4), float32]", "%b: Tensor[(3, 4), float32]"
CONV = "nn.conv2d(%x, {}, channels=3, kernel_size=[1, 1])"


def program(params, body):
    return infer_type(parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}'))


def test_positive_number_passes_an_activation_and_scales_the_bias():
    params = f"{X}, {W}, %c: Tensor[(3, 1, 1), float32]"
    term = "repeat(expand_dims(2f, axis=0), repeats=3, axis=0)"
    before = f"multiply(nn.relu(add({CONV.format('%w')}, %c)), 2f)"
    after = (
        f"let %s = {term}; nn.relu(add("
        f"{CONV.format('multiply(%w, expand_dims(%s, axis=1, num_newaxis=3))')}, "
        "multiply(%c, expand_dims(%s, axis=1, num_newaxis=2))))"
    )
    expected = infer_type(ToGraphNormalForm()(program(params, after)))
    found = infer_type(BackwardFoldScaleAxis()(program(params, before)))
    assert_structural_equal(found, expected, map_free_vars=True)
