"""Evaluations recorded of TVM, computed again."""

from __future__ import annotations

import base64
import collections
import gzip
import io
import json

import numpy as np
from checking import evaluated
from shared_data import shared_path

from relayish.interpreter import evaluate
from relayish.ir.expr import Var
from relayish.ir.type import TensorType
from relayish.op import get_op, registry
from relayish.text import parse

# Random numbers are drawn by whoever runs the program; the others have no evaluation yet.
UNEVALUATED = {
    "vision.yolo_reorg",
}
# With a step of 1.8 that is known only when running, TVM gives as many elements as for a step of 1
# and so goes on past the end. With a constant step it counts as we always do.
COUNTED_WITHOUT_FRACTION = {84, 85, 86, 87, 88, 89, 90}


def value(stored):
    if "t" in stored:
        return tuple(value(item) for item in stored["t"])
    return np.load(io.BytesIO(base64.b64decode(stored["a"])))


def passed(stored, param):
    """Return an argument in the type of its parameter, as TVM's executor passes it."""
    given = value(stored)
    if isinstance(param.type_annotation, TensorType):
        return given.astype(param.type_annotation.dtype)
    return given


def agrees(found, expected):
    if isinstance(expected, tuple):
        pairs = zip(found, expected, strict=True)
        return isinstance(found, tuple) and all(agrees(*pair) for pair in pairs)
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return False
    if expected.dtype.kind in "iub":
        return np.array_equal(found, expected)
    return np.allclose(found, expected, rtol=1e-4, atol=1e-5, equal_nan=True)


def test_recorded_evaluations_give_the_same_values():
    seen = collections.Counter()
    differing = set()
    with gzip.open(shared_path("corpus/evals.jsonl.gz"), "rt") as lines:
        for number, line in enumerate(lines):
            case = json.loads(line)
            if any(f"{name}(" in case["mod"] for name in UNEVALUATED):
                seen["unevaluated"] += 1
                continue
            mod = parse(case["mod"])
            func = mod[case["entry"]]
            stored = dict(zip((p.name_hint for p in func.params), case["args"], strict=False))
            stored |= case["kwargs"]
            args = [passed(stored[p.name_hint], p) for p in func.params]
            if agrees(evaluate(func, mod, args), value(case["out"])):
                seen["same"] += 1
            else:
                differing.add(number)
    assert differing == COUNTED_WITHOUT_FRACTION
    assert seen["same"] > 200
    assert not [name for name in UNEVALUATED if get_op(name) in registry.evaluate]


def test_arange_stops_before_its_end_whatever_the_step():
    start, stop, step = (np.float64(n) for n in (2.5, 9.5, 1.8))
    x = Var("x")
    found = evaluated("arange", start, stop, step, start=x, stop=x, step=x, dtype="float64")
    assert np.allclose(found, [2.5, 4.3, 6.1, 7.9])
