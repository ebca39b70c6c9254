"""One number for all channels, and scales behind products of matrices, as TVM folds them."""

from __future__ import annotations

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.ir.structural_equal import assert_structural_equal
from relayish.text import parse
from relayish.transform import BackwardFoldScaleAxis, ForwardFoldScaleAxis, ToGraphNormalForm

X, W = "%x: Tensor[(1, 2, 4, 4), float32]", "%w: Tensor[(3, 2, 1, 1), float32]"
A, B = "%a: Tensor[(2, 4), float32]", "%b: Tensor[(3, 4), float32]"
CONV = "nn.conv2d(%x, {}, channels=3, kernel_size=[1, 1])"
REPEATED = (
    "expand_dims(repeat(expand_dims({}, axis=0), repeats={}, axis=0), axis=1, num_newaxis={})"
)


def program(params, body):
    return infer_type(parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}'))


def check(fold, params, before, after):
    assert_structural_equal(
        infer_type(fold(program(params, before))), program(params, after), map_free_vars=True
    )


@pytest.mark.parametrize("scale", ["2f", "%s"])
def test_number_behind_a_convolution_goes_into_the_weight(scale):
    params = f"{X}, {W}, %s: float32"
    after = CONV.format(f"multiply(%w, {REPEATED.format(scale, 3, 3)})")
    for args in (f"{CONV}, {scale}", f"{scale}, {CONV}"):
        check(BackwardFoldScaleAxis(), params, f"multiply({args})".format("%w"), after)


def test_number_before_a_convolution_goes_into_the_weight():
    before = "nn.conv2d(multiply(%x, 2f), %w, channels=3, kernel_size=[1, 1])"
    weight = f"multiply(%w, {REPEATED.format('2f', 2, 2)})"
    check(ForwardFoldScaleAxis(), f"{X}, {W}", before, CONV.format(weight))


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


@pytest.mark.parametrize("scale", ["-2f", "%s"])
def test_number_that_may_be_negative_does_not_pass_an_activation(scale):
    mod = program(f"{X}, {W}, %s: float32", f"multiply(nn.relu({CONV.format('%w')}), {scale})")
    assert BackwardFoldScaleAxis()(mod) is mod


def test_scale_of_columns_goes_into_the_rows_of_a_matrix():
    params = f"{A}, {B}, %s: Tensor[(3), float32]"
    before = "multiply(nn.dense(%a, %b, units=3), %s)"
    after = "nn.dense(%a, multiply(%b, expand_dims(%s, axis=1)), units=3)"
    check(BackwardFoldScaleAxis(), params, before, after)


def test_number_goes_into_a_matrix_from_either_side():
    row = "repeat(expand_dims(2f, axis=0), repeats=4, axis=0)"
    column = "expand_dims(repeat(expand_dims(2f, axis=0), repeats=3, axis=0), axis=1)"
    before = "nn.dense(multiply(%a, 2f), %b, units=3)"
    check(
        ForwardFoldScaleAxis(), f"{A}, {B}", before, f"nn.dense(%a, multiply(%b, {row}), units=3)"
    )
    behind = "multiply(nn.dense(%a, %b, units=3), 2f)"
    after = f"nn.dense(%a, multiply(%b, {column}), units=3)"
    check(BackwardFoldScaleAxis(), f"{A}, {B}", behind, after)


def test_scale_of_rows_stays_behind_a_product_of_matrices():
    mod = program(
        f"{A}, {B}, %s: Tensor[(2, 1), float32]", "multiply(nn.dense(%a, %b, units=3), %s)"
    )
    assert BackwardFoldScaleAxis()(mod) is mod


def test_number_stays_behind_a_product_of_whole_numbers():
    params = "%a: Tensor[(2, 4), int32], %b: Tensor[(3, 4), int32]"
    mod = program(params, "multiply(nn.dense(%a, %b, units=3), 2)")
    assert BackwardFoldScaleAxis()(mod) is mod


@pytest.mark.parametrize("layout", ["NCHW2c", "NCHW4c"])
def test_number_is_repeated_along_both_axes_of_split_channels(layout):
    block = int(layout[4])
    params = (
        f"%x: Tensor[(1, 2, 4, 4, {block}), float32], "
        f"%w: Tensor[(3, 2, 1, 1, {block}, {block}), float32]"
    )
    attrs = (
        f'channels={3 * block}, kernel_size=[1, 1], data_layout="{layout}", '
        f'kernel_layout="OIHW{block}i{block}o"'
    )
    before = f"multiply(nn.conv2d(%x, %w, {attrs}), 2f)"
    scale = (
        f"repeat(repeat(expand_dims(2f, axis=0, num_newaxis=2), repeats=3, axis=0), "
        f"repeats={block}, axis=1)"
    )
    weight = f"multiply(%w, reshape({scale}, newshape=[3, 1, 1, 1, 1, {block}]))"
    check(BackwardFoldScaleAxis(), params, before, f"nn.conv2d(%x, {weight}, {attrs})")
