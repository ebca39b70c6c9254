"""What SimplifyExpr makes of programs, and what it must leave alone."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate
from relayish.ir.structural_equal import structural_equal
from relayish.passes.simplify.arrangement import keeps_values
from relayish.transform import get_pass

HEADER = '#[version = "0.0.5"]\n'


def simplified(params, body):
    mod = relay.parse(f"{HEADER}def @main({params}) {{ {body} }}")
    return get_pass("SimplifyExpr")(mod)


def assert_becomes(params, before, after):
    expected = infer_type(relay.parse(f"{HEADER}def @main({params}) {{ {after} }}"))
    assert structural_equal(simplified(params, before), expected, map_free_vars=True)


X = "%x: Tensor[(2, 3), float32]"
INTEGER = "%x: Tensor[(2, 3), int32]"


@pytest.mark.parametrize(
    ("params", "before", "after"),
    [
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
        (X, "(%x - 0f) / 1f * 1f + 0f", "%x"),
        (X, "1f * %x", "%x"),
        (X, 'power(%x, full(2f, shape=[2, 3], dtype="float32"))', "power(%x, 2f)"),
        (INTEGER, "(%x + 2) + 3", "%x + 5"),
        (INTEGER, "(%x * 2) * 3", "%x * 6"),
        (INTEGER, "(%x + 2) * 3", "%x * 3 + 6"),
        (INTEGER, "%x * 0", 'zeros(shape=[2, 3], dtype="int32")'),
        (X, "1f / sqrt(%x)", "rsqrt(%x)"),
        (X, "2f / sqrt(%x)", "2f * rsqrt(%x)"),
        (
            "%x: Tensor[(2, 3), int8]",
            'argmax(qnn.dequantize(%x, 0.5f, 3, out_dtype="float32"), axis=[1])',
            "argmax(%x, axis=[1])",
        ),
    ],
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
        ("%r: fn () -> Tensor[(2), float32]", "zeros_like(%r())"),  # who knows what it does
    ],
)
def test_program_is_left_as_it_is(params, body):
    mod = relay.parse(f"{HEADER}def @main({params}) {{ {body} }}")
    assert get_pass("SimplifyExpr")(mod) is mod


def test_numbers_that_are_none_and_infinities_are_kept():
    mod = relay.parse(f"{HEADER}def @main({X}) {{ (%x + 0f) * 1f - zeros_like(%x) }}")
    out = get_pass("SimplifyExpr")(mod)
    values = np.array([[np.nan, np.inf, -np.inf], [0.0, 1e-45, 3e38]], "float32")
    np.testing.assert_array_equal(
        evaluate(out["main"], out, [values]), evaluate(mod["main"], mod, [values])
    )


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


def test_a_deep_program_is_simplified():
    x = relay.var("x", shape=(2,))
    expr = x
    for _ in range(20_000):
        expr = relay.reshape(expr, newshape=(2, 1))
        expr = relay.reshape(expr + relay.const(0.0), newshape=(2,))
    mod = relay.IRModule.from_expr(relay.Function((x,), expr))
    body = get_pass("SimplifyExpr")(mod)["main"].body
    assert type(body) is relay.Var
