"""What the tests of the families share: evaluating by name, and comparing what comes out."""

from __future__ import annotations

import itertools

import numpy as np

from relayish.op import get_op, list_ops, make_attrs
from relayish.op.registry import evaluate


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
    """Return the value of a call as the interpreter would compute it."""
    op = get_op(name)
    with np.errstate(all="ignore"):
        return evaluate.get(op)(make_attrs(op, attributes), *inputs)


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
    return {n for n in list_ops() if getattr(evaluate.get(get_op(n)), "__module__", "") in modules}
