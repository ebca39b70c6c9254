"""What the tests of the families share: evaluating by name, and comparing what comes out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import Any as AnyDimension
from relayish.ir.relay.type import IncompleteType, TensorType, TupleType
from relayish.op import get_op, list_ops, make_attrs
from relayish.op.declaration.properties import evaluate, relation, rule

SAYS_THE_RANK = {
    "collapse_sum_to": 1,
    "dyn.broadcast_to": 1,
    "dyn.full": 1,
    "dyn.ones": 0,
    "dyn.reshape": 1,
    "dyn.sparse_to_dense": 3,
    "dyn.squeeze": 1,
    "dyn.strided_slice": 1,
    "dyn.tile": 1,
    "dyn.zeros": 0,
}
"""The argument whose length is the rank of the result; where it is unknown there is no type."""

REFERENCES: dict[str, set[str]] = {}
"""What each operator was checked against, by its name; docs/operators.md shows it."""


def reference(source, *names):
    """Note that the decorated test compares the operators ``names`` with ``source``.

    Sources: numpy, scipy-free formulas as "formula", torch, onnx, TVM. A test that compares with
    torch or onnx is marked as one that needs them.
    """
    for name in names:
        REFERENCES.setdefault(name, set()).add(source)
    return pytest.mark.references if source in ("torch", "onnx") else lambda test: test


def random_values(*shape, dtype="float32", seed=7, low=-4, high=5):
    rng = np.random.default_rng([seed, *shape])
    if np.dtype(dtype).kind == "f":
        values = rng.uniform(low, high, shape).astype(dtype)
    else:
        values = rng.integers(low, high, shape).astype(dtype)
    if values.ndim == 0:
        return values[()]
    values.flags.writeable = False
    return values


def evaluated(name, *inputs, **attributes):
    """Return the value of a call as the interpreter would compute it; its type is checked too."""
    op = get_op(name)
    attrs = make_attrs(op, attributes)
    with np.errstate(all="ignore"):
        found = evaluate.get(op)(attrs, *inputs)
    assert_inferred(name, attrs, inputs, found)
    return found


def type_of(value):
    """Return the type of a value of a program."""
    if isinstance(value, tuple):
        return TupleType(tuple(type_of(item) for item in value))
    return TensorType(value.shape, str(value.dtype))


def dynamic(ty):
    """Return ``ty`` with every dimension unknown."""
    if isinstance(ty, TupleType):
        return TupleType(tuple(dynamic(item) for item in ty.fields))
    return TensorType((AnyDimension(),) * len(ty.shape), ty.dtype)


class Unifier:
    """A reporter for relations whose arguments are known: what they assign must agree."""

    def assign(self, unknown, found):
        assert_describes(found, unknown)


def inferred(name, attrs, *types):
    """Return what the operator's rule or relation makes of known types."""
    op = get_op(name)
    if op in rule:
        return rule.get(op)(attrs, *types)
    return relation.get(op)(attrs, types, Unifier())


def assert_inferred(name, attrs, inputs, found):
    """The rule gives the very type of what was computed, also where dimensions are unknown."""
    types = [type_of(value) for value in inputs]
    expected = type_of(found)
    assert_describes(inferred(name, attrs, *types), expected)
    try:
        known = SAYS_THE_RANK.get(name)
        loose = [ty if place == known else dynamic(ty) for place, ty in enumerate(types)]
        loosely = inferred(name, attrs, *loose)
    except TypeInferenceError as error:
        raise AssertionError(f"{name} refuses unknown dimensions: {error}") from error
    assert_describes(loosely, expected)


def assert_describes(ty, expected):
    """``ty`` is the type ``expected``, but for dimensions it does not know."""
    if isinstance(ty, IncompleteType) or isinstance(expected, IncompleteType):
        return
    assert type(ty) is type(expected), (ty, expected)
    if isinstance(ty, TupleType):
        assert len(ty.fields) == len(expected.fields)
        for one, other in zip(ty.fields, expected.fields, strict=True):
            assert_describes(one, other)
        return
    assert ty.dtype == expected.dtype, (ty, expected)
    assert len(ty.shape) == len(expected.shape), (ty, expected)
    for one, other in zip(ty.shape, expected.shape, strict=True):
        loose = not isinstance(one, int) or not isinstance(other, int)
        assert loose or one == other, (ty, expected)


def assert_same(found, expected, rtol=2e-5):
    """The element type and the shape are the same, the elements too but for rounding."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(found, tuple)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, rtol)
        return
    assert isinstance(found, (np.ndarray, np.generic))
    assert str(found.dtype) == str(expected.dtype)
    assert found.shape == expected.shape
    if found.dtype.kind in "iub":
        assert np.array_equal(found, expected)
    else:
        wide = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        tolerance = {"float16": 4e-3, "bfloat16": 1e-2}.get(str(found.dtype), rtol)
        np.testing.assert_allclose(*wide, rtol=tolerance, atol=1e-6)


def by_element(function, dtype, *arrays):
    """Apply a function of Python numbers to every element, broadcasting."""
    result = np.array(
        [function(*(v.item() for v in row)) for row in zip(*_flat(arrays), strict=True)]
    )
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return result.astype(dtype).reshape(shape)


def _flat(arrays):
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return [np.broadcast_to(a, shape).ravel() for a in arrays]


def every_index(shape):
    return itertools.product(*(range(size) for size in shape))


def evaluated_in(*modules):
    """The operators whose evaluation stands in one of these modules."""
    return {
        n
        for n in list_ops("relay")
        if getattr(evaluate.get(get_op(n)), "__module__", "") in modules
    }
