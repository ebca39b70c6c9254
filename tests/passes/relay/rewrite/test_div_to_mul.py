"""Division by constants."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Constant
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.div_to_mul import div_to_mul

x = var("x", shape=(3,))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_reciprocal_is_of_the_element_type_of_the_divisor(dtype: str) -> None:
    product = div_to_mul(op.divide(x, Constant(np.asarray(8, dtype)[()])))
    assert product.op.name == "multiply"
    assert product.args[1].data.dtype == dtype
    assert product.args[1].data == 0.125


def test_every_element_of_a_tensor_is_inverted() -> None:
    product = div_to_mul(op.divide(x, Constant(np.asarray([2, -4, 8], "float32"))))
    np.testing.assert_array_equal(product.args[1].data, [0.5, -0.25, 0.125])


@pytest.mark.parametrize(
    "divisor",
    [
        np.float32(0),
        np.float32(-0.0),
        np.float32(np.inf),
        np.float32(np.nan),
        np.float32(1e-45),
        np.float32(3e38),  # the reciprocal is subnormal
        np.asarray([1, 0, 1], "float32"),
        np.int32(4),
    ],
)
def test_division_stays_where_there_is_no_good_reciprocal(divisor: object) -> None:
    quotient = op.divide(x, Constant(divisor))
    assert div_to_mul(quotient) is quotient


def test_division_by_what_is_not_constant_stays() -> None:
    for quotient in (op.divide(x, x), op.divide(Constant(np.float32(2)), x)):
        assert div_to_mul(quotient) is quotient
