"""What SimplifyExpr makes of programs, and what it must leave alone."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate
from relayish.ir.structural_equal import structural_equal
from relayish.passes.rewrite.simplify.arrangement import keeps_values
from relayish.transform import get_pass
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'


def simplified(params, body):
    mod = relay.parse(f"{HEADER}def @main({params}) {{ {body} }}")
    return get_pass("SimplifyExpr")(mod)


def assert_becomes(params, before, after):
    expected = infer_type(relay.parse(f"{HEADER}def @main({params}) {{ {after} }}"))
    assert structural_equal(simplified(params, before), expected, map_free_vars=True)


X = "%x: Tensor[(2, 3), float32]"
INTEGER = "%x: Tensor[(2, 3), int32]"
BOTH = "%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]"
BOTH_INTEGER = "%x: Tensor[(2, 3), int32], %y: Tensor[(2, 3), int32]"
IMAGE = "%x: Tensor[(1, 8, 4, 5), float32]"
BLOCKED = "%x: Tensor[(1, 2, 4, 5, 4), float32]"
LAYER = "%x: Tensor[(6, 3), float32], %w: Tensor[(4, 3), float32], %b: Tensor[(4), float32]"
NHWC = "transpose(%x, axes=[0, 2, 3, 1])"
DENSE = "nn.dense(%x, %w, units=4)"


def layout(of, source, target):
    return f'layout_transform({of}, src_layout="{source}", dst_layout="{target}")'


KEEP_VALUES = [
    (X, "zeros_like(%x)", 'zeros(shape=[2, 3], dtype="float32")'),
    (X, "full_like(%x, 2f)", 'full(2f, shape=[2, 3], dtype="float32")'),
    (X + ", %y: Tensor[(6), int8]", "reshape_like(%y, %x)", "reshape(%y, newshape=[2, 3])"),
    (
        X + ", %y: Tensor[(3), float32]",
        "broadcast_to_like(%y, %x)",
        "broadcast_to(%y, shape=[2, 3])",
    ),
    (X + ", %y: int8", "cast_like(%y, %x)", 'cast(%y, dtype="float32")'),
    (X, "reshape(reshape(%x, newshape=[6]), newshape=[2, 3])", "%x"),
    (X, "reshape(reshape(%x, newshape=[6]), newshape=[3, -1])", "reshape(%x, newshape=[3, 2])"),
    (X, "transpose(transpose(%x, axes=[1, 0]), axes=[1, 0])", "%x"),
    (X, "transpose(%x, axes=[0, 1])", "%x"),
    (
        "%x: Tensor[(2, 3, 4), int8]",
        "transpose(transpose(%x, axes=[1, 2, 0]), axes=[1, 0, 2])",
        "transpose(%x, axes=[2, 1, 0])",
    ),
    (X, 'cast(%x, dtype="float32")', "%x"),
    (INTEGER, 'cast(cast(%x, dtype="int64"), dtype="int8")', 'cast(%x, dtype="int8")'),
    ("%x: int8", "clip(%x, a_min=-128f, a_max=127f)", "%x"),
    (
        X,
        "clip(clip(%x, a_min=0f, a_max=6f), a_min=-1f, a_max=3f)",
        "clip(%x, a_min=0f, a_max=3f)",
    ),
    (X, "1f * %x", "%x"),
    (X, 'maximum(full(2f, shape=[2, 3], dtype="float32"), %x)', "maximum(2f, %x)"),
    (X, '%x * full(2f, shape=[2, 3], dtype="float32")', "%x * 2f"),
    (X, 'full(2f, shape=[2, 3], dtype="float32") * %x', "2f * %x"),
    (X, "%x + %x", "%x * 2f"),
    (INTEGER, "%x + %x", "%x * 2"),
    ("%x: Tensor[(2, 3), float16]", "%x + %x", "%x * 2f16"),
    (INTEGER, "(%x + 2) + 3", "%x + 5"),
    (INTEGER, "(%x * 2) * 3", "%x * 6"),
    (INTEGER, "(%x + 2) * 3", "%x * 3 + 6"),
    (INTEGER, "%x * 0", 'zeros(shape=[2, 3], dtype="int32")'),
    (
        "%x: Tensor[(2, 3), int8]",
        'argmax(qnn.dequantize(%x, 0.5f, 3, out_dtype="float32"), axis=[1])',
        "argmax(%x, axis=[1])",
    ),
    (X + ", %y: Tensor[(6), int8]", "ones_like(%y)", 'ones(shape=[6], dtype="int8")'),
    ("%x: Tensor[(?, 3), float32]", "%x * 1f", "%x"),
    (
        "%x: Tensor[(?, 3), float32]",
        "%x - reshape(%x, newshape=[-1, 3]) / 1f",
        "%x - reshape(%x, newshape=[-1, 3])",
    ),
    (X, "(%x - 0f) / 1f * 1f", "%x"),
    (X, "1f * %x - zeros_like(%x)", "%x"),
    (INTEGER, "0 + %x", "%x"),
    (INTEGER, "ones_like(%x) * %x", "%x"),
    (INTEGER, "2 + (3 + %x)", "%x + 5"),
    (INTEGER, "(%x + 2147483647) + 1", "%x + -2147483648"),
    (INTEGER, "(%x + 2) * 3 + 4", "%x * 3 + 10"),
    (INTEGER, "(%x * 2 + 4) * 3", "%x * 6 + 12"),
    (
        INTEGER,
        'cast(cast(clip(%x, a_min=0f, a_max=255f), dtype="uint8"), dtype="int32")',
        "clip(%x, a_min=0f, a_max=255f)",
    ),
    ("%x: uint8", 'clip(cast(%x, dtype="int32"), a_min=0f, a_max=255f)', 'cast(%x, dtype="int32")'),
    (X, 'cast_like(cast(%x, dtype="float64"), %x)', "%x"),
    (
        X,
        "contrib_reverse_reshape(reshape(%x, newshape=[6]), newshape=[3, -1])",
        "reshape(%x, newshape=[3, 2])",
    ),
    (X, "nn.dropout(%x, rate=0f).0", "%x"),
    (
        IMAGE,
        layout("transpose(%x, axes=[0, 2, 3, 1])", "NHWC", "NCHW4c"),
        layout("%x", "NCHW", "NCHW4c"),
    ),
    (
        BLOCKED,
        f"transpose({layout('%x', 'NCHW4c', 'NCHW')}, axes=[0, 2, 3, 1])",
        layout("%x", "NCHW4c", "NHWC"),
    ),
    (IMAGE, layout(layout("%x", "NCHW", "NHWC"), "NHWC", "NCHW"), "%x"),
    (BLOCKED, layout(layout("%x", "NCHW4c", "NCHW8c"), "NCHW8c", "NCHW4c"), "%x"),
    (
        BLOCKED,
        layout(layout("%x", "NCHW4c", "NCHW2c"), "NCHW2c", "NCHW8c"),
        layout("%x", "NCHW4c", "NCHW8c"),
    ),
    (
        IMAGE,
        f"transpose({layout(NHWC, 'NHWC', 'HWCN')}, axes=[3, 0, 1, 2])",
        "transpose(%x, axes=[0, 2, 3, 1])",
    ),
    (
        IMAGE,
        layout(layout("%x", "NCHW", "NHWC"), "NCHW", "CWHN"),
        "transpose(%x, axes=[2, 1, 3, 0])",
    ),
    (IMAGE, layout("%x", "NCHW", "NCHW"), "%x"),
    (
        IMAGE,
        layout(layout("%x", "NCHW", "NHWC"), "NHWC", "CHWN"),
        "transpose(%x, axes=[1, 2, 3, 0])",
    ),
    (
        IMAGE,
        "transpose(transpose(transpose(%x, axes=None), axes=None), axes=[0, 2, -1, 1])",
        "transpose(%x, axes=[0, 2, -1, 1])",
    ),
    (BOTH_INTEGER, "%x * %x + 5 * %x * %y + 6 * (%y * %y)", "(%x + %y * 3) * (%x + %y * 2)"),
    (BOTH_INTEGER, "6 * %x * %x + 5 * %x * %y + %y * %y", "(%y + %x * 3) * (%y + %x * 2)"),
    (BOTH_INTEGER, "%x * %x + -5 * %x * %y + 6 * %y * %y", "(%x + %y * -2) * (%x + %y * -3)"),
    (BOTH_INTEGER, "(%y * %y + %x * %x * 3) + %y * (%x * 4)", "(%y + %x * 3) * (%y + %x)"),
    (
        LAYER,
        f"reshape({DENSE}, newshape=[2, 3, 4]) + %b",
        f"reshape({DENSE} + %b, newshape=[2, 3, 4])",
    ),
    (
        LAYER,
        f"nn.bias_add(reshape({DENSE}, newshape=[2, 3, 4]), %b, axis=2)",
        f"reshape(nn.bias_add({DENSE}, %b, axis=-1), newshape=[2, 3, 4])",
    ),
    (
        LAYER,
        f"reshape(%b + reshape({DENSE}, newshape=[2, 3, 4]), newshape=[4, 6])",
        f"reshape({DENSE} + %b, newshape=[4, 6])",
    ),
]
"""What becomes of programs, every value kept: numbers that are none, infinities, negative zero."""

OTHER_ZERO = [
    (X, "%x + 0f", "%x"),
    (X, "zeros_like(%x) + %x", "%x"),
    ("%x: Tensor[(?, 3), float32]", "%x + 0f", "%x"),
]
"""The same, but that a zero may have the other sign."""

ROUND = [
    (X, 'power(%x, full(2f, shape=[2, 3], dtype="float32"))', "power(%x, 2f)"),
    (X, "1f / sqrt(%x)", "rsqrt(%x)"),
    (X, "2f / sqrt(%x)", "2f * rsqrt(%x)"),
    (BOTH, "%x / sqrt(%y)", "%x * rsqrt(%y)"),
    (X, "(%x + 0.5f) + 0.25f", "%x + 0.75f"),
    (X, "0.5f * (%x * 0.25f)", "%x * 0.125f"),
    (X, "(0.5f + %x) * 0.25f", "%x * 0.25f + 0.125f"),
    (BOTH, "%x * %x + 2f * %x * %y + %y * %y", "%0 = %x + %y; %0 * %0"),
    (BOTH, "6f * %x * %x + 5f * %x * %y + %y * %y", "(%y + %x * 3f) * (%y + %x * 2f)"),
    (BOTH, "(%x * %x * 2f + 5f * %x * %y) + %y * %y * 3f", "2f * ((%x + %y * 1.5f) * (%x + %y))"),
]
"""The same, but that numbers are rounded otherwise and may become infinite on another way."""

CLIPPED = "clip(%x, a_min=0f, a_max=255f)"


def cast(of, *dtypes):
    for dtype in dtypes:
        of = f'cast({of}, dtype="{dtype}")'
    return of


LIMITED = [
    (X, cast(CLIPPED, "uint8", "int16", "int32"), cast(CLIPPED, "int32")),
    (X, cast(CLIPPED, "int8", "int16", "int32"), cast(CLIPPED, "int8", "int32")),
    (
        X,
        cast("clip(%x, a_min=-1.5f, a_max=2.5f)", "int8", "int64"),
        cast("clip(%x, a_min=-1.5f, a_max=2.5f)", "int64"),
    ),
]
"""The same where all are numbers: what is none becomes some whole number."""


@pytest.mark.parametrize(
    ("params", "before", "after"), [*KEEP_VALUES, *OTHER_ZERO, *ROUND, *LIMITED]
)
def test_program_becomes_a_simpler_one(params, before, after):
    assert_becomes(params, before, after)


@pytest.mark.parametrize(
    ("params", "body"),
    [
        (X, "%x * 0f"),  # no number times zero is no number
        (X, "0f - %x"),
        (X, "1f / %x"),
        ("%x: Tensor[(3), float32]", 'add(%x, zeros(shape=[2, 3], dtype="float32"))'),
        ("%x: Tensor[(?, 3), float32]", "zeros_like(%x)"),
        (INTEGER, 'cast(cast(%x, dtype="int8"), dtype="int32")'),
        ("%x: int64", 'cast(cast(%x, dtype="float64"), dtype="int64")'),
        (INTEGER, "clip(%x, a_min=-128f, a_max=127f)"),
        (X, "clip(clip(%x, a_min=0f, a_max=1f), a_min=2f, a_max=3f)"),
        (X, "(%x * 1e-30f) * 1e-30f"),  # the product of the constants is nothing
        (X, "(%x * 1e30f) * 1e30f"),
        (
            "%x: Tensor[(2, 3), int8]",
            'argmax(qnn.dequantize(%x, -0.5f, 3, out_dtype="float32"), axis=[1])',
        ),
        (
            "%x: Tensor[(2, 3), int32]",
            'argmax(qnn.dequantize(%x, 0.5f, 3, out_dtype="float32"), axis=[1])',
        ),
        (  # all of them are infinite, but for one
            "%x: Tensor[(2, 3), int8]",
            'argmax(qnn.dequantize(%x, 1e38f, 3, out_dtype="float32"), axis=[1])',
        ),
        (  # float16 does not tell 2049 from 2048
            "%x: Tensor[(2, 3), int16]",
            'argmax(qnn.dequantize(%x, 1f, 3, out_dtype="float16"), axis=[1])',
        ),
        (  # what is subtracted wraps around
            "%x: Tensor[(2, 3), int8]",
            'argmax(qnn.dequantize(%x, 1f, -2147483648, out_dtype="float32"), axis=[1])',
        ),
        ("%r: fn () -> Tensor[(2), float32]", "zeros_like(%r())"),  # who knows what it does
        ("%x: Tensor[(?, 3), float32]", '%x + zeros(shape=[2, 3], dtype="float32")'),
        (X, '%x + zeros(shape=[1, 1, 1], dtype="float32")'),
        (INTEGER, 'cast(cast(clip(%x, a_min=-1f, a_max=255f), dtype="uint8"), dtype="int32")'),
        (X, 'cast(cast(clip(%x, a_min=0f, a_max=255f), dtype="uint8"), dtype="float32")'),
        (INTEGER, 'clip(cast(%x, dtype="int64"), a_min=0f, a_max=255f)'),
        (BOTH_INTEGER, "%x * %x + 5 * %x * %y + 5 * (%y * %y)"),  # its roots are no whole numbers
        (BOTH_INTEGER, "%x * %x + %x * %y + 2147483647 * (%y * %y)"),
        (BOTH, "%x * %x + %x * %y + %y * %y"),  # its roots are not real
        (BOTH, "%x * %x + %x * %y + %x * %y"),
        (BOTH + ", %z: float32", "%x * %x + 2f * %x * %z + %y * %y"),
        (X, "nn.dropout(%x, rate=0.5f).0"),
        (X, "nn.dropout(%x, rate=0f).1"),
        (LAYER, f"reshape({DENSE}, newshape=[8, 3]) + reshape(%b, newshape=[4, 1, 1])"),
        (LAYER, f"nn.bias_add(reshape({DENSE}, newshape=[4, 2, 3]), %b, axis=0)"),
        (LAYER, f"reshape({DENSE}, newshape=[3, 8]) + concatenate((%b, %b))"),
        (IMAGE, layout("%x", "NCHW", "NHWC")),
        (
            "%x: Tensor[(1, 6, 4, 4), float32]",  # eight channels where there were six
            layout(layout("%x", "NCHW", "NCHW4c"), "NCHW4c", "NCHW"),
        ),
        (
            "%x: Tensor[(1, 6, 4, 4), float32]",
            layout(layout("%x", "NCHW", "NCHW4c"), "NCHW4c", "NCHW2c"),
        ),
    ],
)
def test_program_is_left_as_it_is(params, body):
    mod = relay.parse(f"{HEADER}def @main({params}) {{ {body} }}")
    assert get_pass("SimplifyExpr")(mod) is mod


SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1.5, 3e38, 2.0, -3e38, 0.1]
MODERATE = [0.0, -0.0, np.nan, 1.5, -2.25, 100.0, 0.1, 7.0, 3.0]


def values_of(ty, numbers, start):
    """Return a tensor of a type: some of the numbers in turn; of whole ones the limits, too."""
    shape = [size if isinstance(size, int) else 4 for size in ty.shape]
    if ty.dtype.startswith(("int", "uint")):
        limits = np.iinfo(ty.dtype)
        numbers = [0, 1, limits.max, limits.min, 7, limits.max - 1, 3]
    count = int(np.prod(shape))
    picked = [numbers[(start + index) % len(numbers)] for index in range(count)]
    return np.array(picked, ty.dtype).reshape(shape)


def values_before_and_after(params, body, numbers):
    mod = relay.parse(f"{HEADER}def @main({params}) {{ {body} }}")
    out = get_pass("SimplifyExpr")(mod)
    types = [param.type_annotation for param in mod["main"].params]
    for start in range(len(numbers)):
        args = [values_of(ty, numbers, start * step) for step, ty in enumerate(types, 1)]
        yield evaluate(mod["main"], mod, args), evaluate(out["main"], out, args)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize(("params", "body", "_"), KEEP_VALUES)
def test_every_value_is_kept(params, body, _):
    for before, after in values_before_and_after(params, body, SPECIAL):
        np.testing.assert_array_equal(after, before)
        signs = [np.signbit(value) & ~np.isnan(value) for value in (after, before)]
        np.testing.assert_array_equal(*signs)  # products of matrices give NaN either


@pytest.mark.parametrize(("params", "body", "_"), OTHER_ZERO)
def test_every_value_is_kept_but_for_the_sign_of_zero(params, body, _):
    for before, after in values_before_and_after(params, body, SPECIAL):
        np.testing.assert_array_equal(after, before)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize(("params", "body", "_"), ROUND)
def test_values_are_rounded_otherwise_and_nothing_else(params, body, _):
    for before, after in values_before_and_after(params, body, MODERATE):
        np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("text", ["1f / sqrt(%x)", "2f / sqrt(%x)", "0f / sqrt(%x)"])
def test_reciprocal_roots_of_special_numbers_are_kept(text):
    for before, after in values_before_and_after(X, text, SPECIAL):
        np.testing.assert_allclose(after, before, rtol=1e-6)


@pytest.mark.parametrize(
    "source", ["bool", "int8", "uint8", "int32", "float16", "float32", "int64"]
)
@pytest.mark.parametrize("target", ["int8", "uint8", "int16", "float16", "float32", "float64"])
def test_conversion_is_dropped_only_where_it_keeps_every_number(source, target):
    if not keeps_values(source, target):
        return
    limits = (
        [False, True]
        if source == "bool"
        else [np.iinfo(source).min, np.iinfo(source).max, 1]
        if "int" in source
        else [np.finfo(source).min, np.finfo(source).max, 0.1]
    )
    numbers = np.array(limits, source)
    np.testing.assert_array_equal(numbers.astype(target).astype(source), numbers)


@pytest.mark.deep
def test_a_deep_program_is_simplified():
    x = relay.var("x", shape=(2,))
    expr = x
    for _ in range(min(DEPTH, 20_000)):
        expr = relay.reshape(expr, newshape=(2, 1))
        expr = relay.reshape(expr + relay.const(0.0), newshape=(2,))
    mod = relay.IRModule.from_expr(relay.Function((x,), expr))
    body = get_pass("SimplifyExpr")(mod)["main"].body
    assert type(body) is relay.Var


def test_sum_to_a_shape_repeats_it_in_its_attributes():
    main = simplified(X + ", %y: Tensor[(3), float32]", "collapse_sum_like(%x, %y)")["main"]
    assert main.body.op.name == "collapse_sum_to"
    assert main.body.args[1].data.tolist() == [3]
    assert main.body.attrs.shape == (3,)
    assert main.ret_type.shape == (3,)


@pytest.mark.parametrize("shape", ["()", "(3)", "(1, 3)", "(2, 1)"])
def test_sum_to_a_shape_is_that_to_a_tensor_of_it(shape):
    params = f"{X}, %y: Tensor[{shape}, float32]"
    for before, after in values_before_and_after(params, "collapse_sum_like(%x, %y)", MODERATE):
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("name", ["argmax", "argmin", "argsort"])
def test_order_of_whole_numbers_is_that_of_what_they_stand_for(name):
    attrs = "" if name == "argsort" else ", axis=[1]"
    params = "%x: Tensor[(64, 16), int16]"
    body = f'{name}(qnn.dequantize(%x, 0.1f, 300, out_dtype="float32"){attrs})'
    mod = relay.parse(f"{HEADER}def @main({params}) {{ {body} }}")
    out = get_pass("SimplifyExpr")(mod)
    assert type(out["main"].body.args[0]) is relay.Var
    args = [np.random.default_rng(0).integers(-(2**15), 2**15, (64, 16), "int16")]
    np.testing.assert_array_equal(
        evaluate(out["main"], out, args), evaluate(mod["main"], mod, args)
    )


def test_a_zero_among_factors_does_not_keep_them_from_being_combined():
    mod = relay.parse(f"{HEADER}def @main({X}) {{ %x }}")
    x = mod["main"].params[0]
    some = [relay.const(np.array([0, 2, 3], "float32")) for _ in range(2)]
    twice = relay.Function((x,), relay.multiply(relay.multiply(x, some[0]), some[1]))
    main = get_pass("SimplifyExpr")(relay.IRModule.from_expr(twice))["main"]
    assert main.body.args[0] is main.params[0]
    assert main.body.args[1].data.tolist() == [0, 4, 9]


@pytest.mark.parametrize(("params", "body", "_"), LIMITED)
def test_numbers_that_are_limited_keep_their_values(params, body, _):
    numbers = [number for number in MODERATE if not np.isnan(number)]
    for before, after in values_before_and_after(params, body, [*numbers, np.inf, -3.5, 254.9]):
        np.testing.assert_array_equal(after, before)
