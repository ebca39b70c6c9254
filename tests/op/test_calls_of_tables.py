"""Calls of operators as tables tell them: types, values, and what is said of wrong calls."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import Any, IncompleteType, TensorType
from relayish.op import get_op
from relayish.op.declaration.properties import relation, rule
from tests.support.checking import evaluated, inferred, reference, type_of
from tests.support.each import each
from tests.support.sound_calls import parse_values, show_type, typed_calls, valued_calls


@each(("name", "types", "attrs", "message"), typed_calls("refused_calls.txt"))
def test_ill_typed_call_is_told_what_is_wrong(name, types, attrs, message):
    with pytest.raises(TypeInferenceError) as caught:
        inferred(name, attrs, *types)
    assert str(caught.value) == message


class Told(dict):
    """Keeps what a relation tells of types it did not know."""

    def assign(self, unknown, found):
        self[unknown] = found


def is_unknown(ty):
    sizes = ty.shape if isinstance(ty, TensorType) else ()
    return isinstance(ty, IncompleteType) or any(isinstance(size, Any) for size in sizes)


@each(("name", "types", "attrs", "expected"), typed_calls("call_types.txt"))
def test_call_has_the_type_that_is_told_of_it(name, types, attrs, expected):
    op, told = get_op(name), Told()
    if op in rule:
        assert show_type(rule.get(op)(attrs, *types)) == expected
        return
    found = show_type(relation.get(op)(attrs, types, told))
    others = [show_type(told.get(ty, IncompleteType())) for ty in types if is_unknown(ty)]
    assert f"{found} <- {' '.join(others)}".removesuffix(" <- ") == expected


BY_HAND = """
auto_scheduler_layout_transform bitwise_not cast_like contrib_reverse_reshape dyn.reshape
dyn.strided_slice expand_dims full full_like isfinite isinf isnan left_shift logical_not
ndarray_size nn.avg_pool1d nn.batch_flatten nn.leaky_relu nn.max_pool1d nn.relu power
qnn.dequantize qnn.quantize reshape_like right_shift shape_of squeeze trilu
"""


@reference("numpy", "dyn.strided_slice", "reinterpret", "take")
@reference("formula", *BY_HAND.split())
@each(("name", "values", "attributes", "expected"), valued_calls("call_values.txt"))
def test_call_has_the_value_that_is_told_of_it(name, values, attributes, expected):
    if expected.startswith("refused: "):
        with pytest.raises(EvaluationError) as caught:
            evaluated(name, *values, **attributes)
        assert f"refused: {caught.value}" == expected
        return
    assert_equal(evaluated(name, *values, **attributes), *parse_values(expected))


def assert_equal(found, expected):
    """The type is the same, and each element, also where it is no number."""
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
        return
    assert show_type(type_of(found)) == show_type(type_of(expected))
    wide = "float64" if expected.dtype.kind in "fV" else expected.dtype
    np.testing.assert_array_equal(found.astype(wide), expected.astype(wide))
