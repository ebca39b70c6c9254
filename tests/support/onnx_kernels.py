"""Kernels of ONNX operators as tests call them: on nodes, and on the test cases of ONNX itself."""

from __future__ import annotations

import functools
import warnings
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from relayish.onnx.fallback import find_fallback, wants_count
from relayish.onnx.identity import Identity
from relayish.onnx.kernels import find_kernel
from relayish.onnx.operator_sets import find_schema

DRAWN = {"Bernoulli"}
"""Operators whose cases hold numbers that somebody else's generator has drawn."""


class NodeCase(NamedTuple):
    """A test case of ONNX that has one node; ``...`` stands for an output that has no name."""

    name: str
    domain: str
    op: str
    version: int
    attributes: dict[str, Any]
    inputs: list[Any]
    outputs: list[Any]
    rtol: float
    atol: float


@functools.cache
def node_cases():
    """Return the cases of one node that ONNX has, by (domain, operator); loads for seconds."""
    onnx = pytest.importorskip("onnx")
    from onnx.backend.test.loader import load_model_tests  # noqa: PLC0415 - only where onnx is

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = load_model_tests(kind="node")
    found: dict[tuple[str, str], list[NodeCase]] = {}
    for test in loaded:
        (node, *others) = test.model.graph.node
        if others or "_expanded" in test.name:
            continue
        opsets = {opset.domain: opset.version for opset in test.model.opset_import}
        schema = onnx.defs.get_schema(node.op_type, opsets[node.domain], node.domain)
        for inputs, outputs in test.data_sets:
            given, wanted = iter(inputs), iter(outputs)
            case = NodeCase(
                test.name,
                node.domain,
                node.op_type,
                schema.since_version,
                attributes_of(node, schema, opsets),
                [value_of(next(given)) if name else None for name in node.input],
                [value_of(next(wanted)) if name else ... for name in node.output],
                test.rtol,
                test.atol,
            )
            found.setdefault((node.domain, node.op_type), []).append(case)
    return found


def value_of(value):
    """Return a value of a test case as kernels take it."""
    onnx = pytest.importorskip("onnx")
    if isinstance(value, onnx.SequenceProto):
        return [value_of(one) for one in onnx.numpy_helper.to_list(value)]
    if isinstance(value, onnx.OptionalProto):
        return value_of(onnx.numpy_helper.to_optional(value))
    if isinstance(value, onnx.TensorProto):
        return value_of(onnx.numpy_helper.to_array(value))
    if isinstance(value, list):
        return [value_of(one) for one in value]
    if value is None:
        return None
    value = np.asarray(value)
    if value.dtype.kind in "US":
        return value.astype(object)
    if value.dtype.kind == "O":
        texts = [one.decode() if isinstance(one, bytes) else one for one in value.ravel()]
        return np.array(texts, object).reshape(value.shape)
    return value


def attributes_of(node, schema, opsets, around=MappingProxyType({})):
    """Return the attributes of a node as kernels take them, those left out with their defaults.

    Graphs among them may use the values ``around`` the node, by name.
    """
    onnx = pytest.importorskip("onnx")
    given = {attribute.name: attribute for attribute in node.attribute}
    found = {}
    for name, declared in schema.attributes.items():
        attribute = given.get(name, declared.default_value)
        if attribute.type:
            value = onnx.helper.get_attribute_value(attribute)
            if isinstance(value, onnx.GraphProto):
                found[name] = graph_function(value, opsets, around)
            else:
                found[name] = attribute_value(value)
    return found


def attribute_value(value):
    """Return the value of an attribute as kernels take it."""
    onnx = pytest.importorskip("onnx")
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return value_of(value)
    if isinstance(value, (list, tuple)) or type(value).__name__.startswith("Repeated"):
        return tuple(attribute_value(one) for one in value)
    return value


def graph_function(graph, opsets, around):
    """Return a graph as the function that kernels call."""
    onnx = pytest.importorskip("onnx")

    def run(*inputs):
        known = {"": None, **around}
        for tensor in graph.initializer:
            known[tensor.name] = attribute_value(tensor)
        known.update(zip((one.name for one in graph.input), inputs, strict=True))
        for node in graph.node:
            schema = onnx.defs.get_schema(node.op_type, opsets[node.domain], node.domain)
            results = run_kernel(
                node.op_type,
                *(known[name] for name in node.input),
                version=schema.since_version,
                domain=node.domain,
                **{
                    "num_outputs": len(node.output),
                    **attributes_of(node, schema, opsets, known),
                },
            )
            known.update(zip(node.output, results, strict=False))
        return tuple(known[one.name] for one in graph.output)

    return run


def run_kernel(op, *inputs, version, domain="", num_outputs=1, **attributes):
    """Return the results of a kernel as a tuple, or of what stands in for one."""
    identity = Identity(domain, op, version)
    found = find_kernel(*identity) or find_fallback(identity, find_schema(identity))
    if wants_count(found):
        attributes["num_outputs"] = num_outputs
    copies = [one.copy() if isinstance(one, np.ndarray) else one for one in inputs]
    with np.errstate(all="ignore"):
        results = found(*inputs, **attributes)
    for one, copy in zip(inputs, copies, strict=True):
        if isinstance(one, np.ndarray):
            assert bits_of(one) == bits_of(copy), "the kernel wrote into its input"
    return results if isinstance(results, tuple) else (results,)


def bits_of(data):
    """Return what two arrays have in common that are the same, NaN included."""
    return data.tolist() if data.dtype.kind == "O" else data.tobytes()


def run_case(case):
    """Run a case of ONNX, and compare what it gives as ONNX does."""
    results = run_kernel(
        case.op,
        *case.inputs,
        version=case.version,
        domain=case.domain,
        **{"num_outputs": len(case.outputs), **case.attributes},
    )
    assert len(results) >= len(case.outputs)
    for found, expected in zip(results, case.outputs, strict=False):
        if case.op in DRAWN:
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        elif expected is not ...:
            compare(found, expected, case.rtol, case.atol)


def compare(found, expected, rtol=1e-5, atol=1e-6):
    """Assert that a value has the element type, the shape and about the elements of another."""
    if isinstance(expected, list):
        assert isinstance(found, list)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            compare(one, other, rtol, atol)
        return
    if expected is None:
        assert found is None
        return
    if isinstance(expected, dict):
        assert found == expected
        return
    assert isinstance(found, (np.ndarray, np.generic))
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype.kind == "O":
        assert found.tolist() == expected.tolist()
        return
    if expected.dtype.type.__module__ != "numpy":
        found, expected = found.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
