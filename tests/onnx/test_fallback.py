"""Kernels are called as operators of programs call them."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.onnx.fallback import call_kernel
from relayish.onnx.kernels import find_kernel

INFINITE = np.array([[np.inf, np.inf], [np.nan, 1e38]], np.float32)


@pytest.mark.parametrize(
    ("op", "version", "inputs"),
    [
        ("Softmax", 13, [INFINITE]),
        ("MatMul", 13, [INFINITE, INFINITE]),
        ("LpNormalization", 1, [INFINITE]),
        ("BatchNormalization", 9, [INFINITE, *[np.zeros(2, np.float32)] * 4]),
        ("QuantizeLinear", 13, [INFINITE, np.array(0, np.float32)]),
        ("LRN", 13, [INFINITE]),
    ],
)
def test_what_overflows_gives_no_warning(op, version, inputs):
    keywords = {"size": 1} if op == "LRN" else {}
    kernel = find_kernel("", op, version)
    assert kernel is not None
    found = call_kernel(kernel, inputs, keywords, 1)
    found = found[0] if isinstance(found, tuple) else found
    assert found.shape == (2, 2)


def test_a_kernel_is_told_how_many_results_are_wanted():
    kernel = find_kernel("", "MaxPool", 12)
    assert kernel is not None
    x = np.ones((1, 1, 3), np.float32)
    assert isinstance(call_kernel(kernel, [x], {"kernel_shape": (2,)}, 1), np.ndarray)
    assert len(call_kernel(kernel, [x], {"kernel_shape": (2,)}, 2)) == 2
