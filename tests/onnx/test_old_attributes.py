"""Attributes of old versions that no kernel takes."""

from __future__ import annotations

import numpy as np

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.onnx.evaluation import run_kernel
from relayish.onnx.kernels import find_kernel


def test_what_says_which_inputs_may_be_written_is_left_out():
    attrs = DictAttrs({"consumed_inputs": (0, 0), "broadcast": 1})
    x = np.float32([[1, 2], [3, 4]])
    found = run_kernel(find_kernel("", "Add", 1), attrs, (x, x[0]))
    assert found.tolist() == [[2, 4], [4, 6]]
    assert x.tolist() == [[1, 2], [3, 4]]
