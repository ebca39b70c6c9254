"""Kernels, and what stands in for them, are called as operators of programs call them."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from relayish import Constant, evaluate
from relayish.errors import OutOfBoundsError, PackageError, UnsupportedError
from relayish.onnx import fallback, sizes
from relayish.onnx.calls import make_call
from relayish.onnx.fallback import call_kernel, find_fallback
from relayish.onnx.identity import Identity
from relayish.onnx.kernels import find_kernel
from relayish.onnx.operator_sets import find_schema
from relayish.onnx.operators import find_operator
from relayish.passes.relay.fold.fold_constant import fold_constant

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


LOSS = Identity("", "SoftmaxCrossEntropyLoss", 13)


@pytest.mark.references
def test_functions_of_schemas_are_computed_by_kernels():
    pytest.importorskip("onnx")
    scores = np.float16([[1000, 0], [-1000, 0]])
    compute = find_fallback(LOSS, find_schema(LOSS))
    loss, logarithms = compute(scores, np.array([1, 0]), reduction="none", num_outputs=2)
    assert loss.tolist() == [1000, 1000]
    assert loss.dtype == logarithms.dtype == np.float16
    with pytest.raises(OutOfBoundsError, match="the class 2 of 2"):
        compute(scores, np.array([2, 0]), reduction="mean", num_outputs=1)


@pytest.mark.references
@pytest.mark.parametrize("name", ["SequenceMap", "If"])
def test_graphs_are_refused_where_nothing_runs_them(name):
    pytest.importorskip("onnx")
    identity = Identity("", name, 17 if name == "SequenceMap" else 1)
    compute = find_fallback(identity, find_schema(identity))
    with pytest.raises(UnsupportedError, match=f"{name} .* has graphs and no kernel"):
        compute(np.array(True), body=abs)


@pytest.mark.references
def test_what_has_no_kernel_is_not_computed_before_the_program_runs(monkeypatch):
    pytest.importorskip("onnx")
    scores, classes = Constant(np.float32([[0, 0]])), Constant(np.array([1]))
    call = make_call(find_operator(LOSS.name, LOSS.since_version), [scores, classes])
    with monkeypatch.context() as without:
        without.setattr(sizes, "find_kernel", lambda *_: None)
        assert fold_constant(call) is call
    assert fold_constant(call) is not call
    assert evaluate(call) == np.float32(np.log(2))


@pytest.mark.references
def test_the_reference_is_kept_for_few_kinds_of_calls(monkeypatch):
    pytest.importorskip("onnx")
    monkeypatch.setattr(fallback, "PREPARED", 2)
    made, prepare = [], fallback._prepare
    monkeypatch.setattr(fallback, "_prepare", lambda *args: made.append(1) or prepare(*args))
    identity = Identity("", "CumSum", 14)
    compute = find_fallback(identity, find_schema(identity))
    for size in (1, 1, 2, 3, 1):
        assert compute(np.ones(size), np.array(0)).tolist() == list(range(1, size + 1))
    assert len(made) == 4


def test_without_onnx_an_error_says_what_to_install(monkeypatch):
    for name in [each for each in sys.modules if each.partition(".")[0] == "onnx"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(PackageError, match=r"pip install 'relayish\[onnx\]'"):
        find_operator("NegativeLogLikelihoodLoss", 1)
