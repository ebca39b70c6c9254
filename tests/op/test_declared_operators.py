"""What is declared of the operators of the library holds, on a sound call of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relayish.ir.relay.expr import Call, Constant, Var
from relayish.op import get_op
from relayish.testing import opcheck
from relayish.testing.op_checks.samples import is_of_known_size
from tests.support.each import each
from tests.support.seeds import SOAK
from tests.support.sound_calls import sound_calls

MADE_BY_HAND = ("arange", "meta_schedule_layout_transform")
"""Operators whose attributes are objects that tell what an argument is, or have no text."""

CALLS = {
    name: (types, attrs)
    for name, (types, attrs) in sound_calls().items()
    if all(map(is_of_known_size, types)) and name not in MADE_BY_HAND
}

FITTING: dict[str, dict[int, list[Any]]] = {
    "collapse_sum_to": {1: [1, 3]},
    "dyn.broadcast_to": {1: [1, 1, 2, 1, 3]},
    "dyn.reshape": {1: [4, 6]},
    "dyn.squeeze": {1: [0, 2]},
    "dyn.image.resize2d": {1: [5, 6]},
    "invert_permutation": {0: [2, 0, 3, 1]},
    "nn.internal.sparse_dense_padded": {2: [0, 1], 3: [0, 2]},
    "nn.sparse_add": {2: [0, 1, 3], 3: [0, 1, 3]},
    "nn.sparse_conv2d": {1: [[[1, 2, 3]] * 2] * 2, 2: [0, 1], 3: [0, 1, 2]},
    "nn.sparse_dense": {2: [0, 1], 3: [0, 2]},
    "nn.sparse_transpose": {1: [0, 1], 2: [0, 1, 1, 2]},
    "sparse_fill_empty_rows": {0: [[0, 0], [1, 0]], 2: [3, 1]},
    "sparse_reshape": {0: [[0, 0, 0], [1, 0, 1]], 1: [2, 1, 3], 2: [3, 2]},
    "unravel_index": {1: [3, 2]},
    "strided_set": {2: [0], 3: [2], 4: [1]},
}
"""Arguments, by number, whose values cannot be any."""

OF_VALUES = (
    *("value", "arguments", "deterministic", "unknown sizes"),
    *("commutative", "pattern", "properties"),
)
OF_FORM = ("gradient", "text", "equality")
"""Loops and layouts are tried in tests of their own, on more calls."""


def call_of(name: str) -> Call:
    types, attrs = CALLS[name]
    args: list[Any] = [Var(f"x{place}", ty) for place, ty in enumerate(types)]
    for place, values in FITTING.get(name, {}).items():
        args[place] = Constant(np.array(values, types[place].dtype))
    return Call(get_op(name), args, attrs)


@each("name", sorted(CALLS))
def test_what_is_declared_of_values_holds(name):
    opcheck(call_of(name), only=OF_VALUES)


@each("name", sorted(CALLS)[:: 1 if SOAK else 5])
def test_gradients_and_text_are_those_of_the_call(name):
    opcheck(call_of(name), only=OF_FORM)


@pytest.mark.parametrize("name", ["add", "nn.softmax", "nn.dense"])
def test_calls_of_operators_are_drawn(name):
    """As somebody would ask who gives nothing but the name."""
    report = opcheck(name, chain=100, samples=2)
    assert len(report.calls) == 2
    assert {"value", "unknown sizes", "gradient", "text", "loops"} <= {*report.passed}
