"""What SimplifyExpr makes of programs, and what it must leave alone."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.interpreter import evaluate
from relayish.passes.relay.rewrite.simplify.arrangement import keeps_values
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.goldens import CASES, HEADER, read_goldens


def simplified(params, body):
    mod = relay.parse(f"{HEADER}def @main({params}) {{ {body} }}")
    return get_pass("SimplifyExpr")(mod)


X = "%x: Tensor[(2, 3), float32]"


VALUES, ZEROS, ROUNDED, LIMITED = (
    read_goldens(CASES / "rewrites" / f"SimplifyExpr.{name}.relay")
    for name in ("values", "zeros", "rounded", "limited")
)
"""What becomes of programs: every value is kept, also what is no number, infinite or a negative
zero; a zero may have the other sign; numbers are rounded otherwise, and may become infinite on
another way; what is no number becomes some whole number."""


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


def values_before_and_after(program, numbers):
    mod = relay.parse(HEADER + program)
    out = get_pass("SimplifyExpr")(mod)
    types = [param.type_annotation for param in mod["main"].params]
    for start in range(len(numbers)):
        args = [values_of(ty, numbers, start * step) for step, ty in enumerate(types, 1)]
        yield evaluate(mod["main"], mod, args), evaluate(out["main"], out, args)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("case", VALUES.values(), ids=VALUES)
def test_every_value_is_kept(case):
    for before, after in values_before_and_after(case.before, SPECIAL):
        np.testing.assert_array_equal(after, before)
        signs = [np.signbit(value) & ~np.isnan(value) for value in (after, before)]
        np.testing.assert_array_equal(*signs)  # products of matrices give NaN either


@pytest.mark.parametrize("case", ZEROS.values(), ids=ZEROS)
def test_every_value_is_kept_but_for_the_sign_of_zero(case):
    for before, after in values_before_and_after(case.before, SPECIAL):
        np.testing.assert_array_equal(after, before)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("case", ROUNDED.values(), ids=ROUNDED)
def test_values_are_rounded_otherwise_and_nothing_else(case):
    for before, after in values_before_and_after(case.before, MODERATE):
        np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("text", ["1f / sqrt(%x)", "2f / sqrt(%x)", "0f / sqrt(%x)"])
def test_reciprocal_roots_of_special_numbers_are_kept(text):
    for before, after in values_before_and_after(f"def @main({X}) {{ {text} }}", SPECIAL):
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
    program = f"def @main({params}) {{ collapse_sum_like(%x, %y) }}"
    for before, after in values_before_and_after(program, MODERATE):
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


@pytest.mark.parametrize("case", LIMITED.values(), ids=LIMITED)
def test_numbers_that_are_limited_keep_their_values(case):
    numbers = [number for number in MODERATE if not np.isnan(number)]
    for before, after in values_before_and_after(case.before, [*numbers, np.inf, -3.5, 254.9]):
        np.testing.assert_array_equal(after, before)
