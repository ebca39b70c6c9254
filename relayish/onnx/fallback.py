"""Evaluation of operators of ONNX that have no kernel.

The schema of an operator may define it by a function of others. For the rest there is the reference
implementation within the package ``onnx``, which is slow, and wrong for a few operators; those have
kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from relayish.errors import UnsupportedError
from relayish.onnx.definitions import (
    default_attributes,
    find_definition,
    is_defined,
    make_node,
    opsets_of,
)
from relayish.onnx.element_types import find_element_type
from relayish.onnx.identity import Identity
from relayish.onnx.kernels.registry import Kernel, find_kernel
from relayish.onnx.operator_sets import attribute_kinds, find_schema, identify
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.attributes import GRAPH, value_of_attribute
from relayish.onnx.protos.tensors import array_of_proto
from relayish.onnx.protos.types import Dimensions

_STRING: Final = 8

PREPARED: Final = 32
"""For so many kinds of calls the reference implementation is kept; each holds its attributes."""

_CONSUMED: Final = "consumed_inputs"
"""What operators of the first version say of inputs that results may be written to; nobody does."""


def find_fallback(identity: Identity, schema: Any | None) -> Kernel:  # Any: a schema of onnx
    """Return what computes an operator without a kernel.

    Raises:
        UnsupportedError: If nothing does.
    """
    if schema is None:
        raise UnsupportedError(
            f"{identity} is no operator that ONNX knows, so nothing computes it; give it a kernel: "
            f"relayish.onnx.kernels.kernel"
        )
    if is_defined(schema):
        return _Body(identity, schema)
    return _Reference(identity)


class _Body:
    """The function of other operators that the schema of an operator is defined by."""

    def __init__(self, identity: Identity, schema: Any) -> None:  # Any: a schema of onnx
        self._identity = identity
        self._schema = schema

    def __call__(self, *inputs: Any, num_outputs: int = 1, **attributes: Any) -> Any:
        """Return what the operator gives. Any: values of ONNX, as kernels take them."""
        if any(callable(each) for each in attributes.values()):
            raise UnsupportedError(f"{self._identity} has graphs and no kernel")
        node = make_node(self._identity, inputs, num_outputs, attributes)
        body = find_definition(self._schema, node, [_type_of(each) for each in inputs])
        values = dict(zip(body.input, inputs, strict=False))
        known = default_attributes(self._identity, self._schema) | attributes
        runner = _Runner(opsets_of(self._identity, body), known)
        found = runner.run(body.node, values, list(body.output))
        return found[:num_outputs] if num_outputs != 1 else found[0]


class _Runner:
    """Runs the nodes of a function, one after another."""

    def __init__(self, opsets: Mapping[str, int], attributes: Mapping[str, Any]) -> None:
        self._opsets = opsets
        self._attributes = attributes

    def run(self, nodes: Any, values: dict[str, Any], outputs: list[str]) -> tuple[Any, ...]:
        """Return the values of ``outputs``. Any: NodeProtos; values as kernels take them."""
        values[""] = None
        for node in nodes:
            found = self._run_node(node, values)
            results = found if isinstance(found, tuple) else (found,)
            values.update({n: v for n, v in zip(node.output, results, strict=False) if n})
        return tuple([values.get(name) for name in outputs])

    def _run_node(self, node: Any, values: dict[str, Any]) -> Any:
        identity = identify(node.op_type, self._opsets.get(node.domain, 1), node.domain)
        kernel = find_kernel(*identity) or find_fallback(identity, find_schema(identity))
        keywords: dict[str, Any] = {}
        declared = attribute_kinds(identity)
        for each in node.attribute:
            if each.ref_attr_name:
                if each.ref_attr_name in self._attributes:
                    keywords[each.name] = self._attributes[each.ref_attr_name]
            elif each.type == GRAPH:
                keywords[each.name] = self._as_function(each.g, values)
            else:
                kind = declared.get(each.name)
                keywords[each.name] = value_of_attribute(
                    each, None, Dimensions(), str(identity), kind
                )
        inputs = [values.get(name) for name in node.input]
        return call_kernel(kernel, inputs, keywords, len(node.output))

    def _as_function(self, graph: Any, outside: dict[str, Any]) -> Any:
        """Return a graph as kernels call it."""
        names = [each.name for each in graph.input]
        results = [each.name for each in graph.output]

        def call(*inputs: Any) -> tuple[Any, ...]:
            values = {**outside, **dict(zip(names, inputs, strict=False))}
            for each in graph.initializer:
                values[each.name] = array_of_proto(each, None, f"initializer {each.name!r}")
            return self.run(graph.node, values, results)

        return call


def call_kernel(kernel: Kernel, inputs: list[Any], keywords: dict[str, Any], wanted: int) -> Any:
    """Return what a kernel gives, which is told how many results are wanted if it asks.

    Any: values of ONNX.
    """
    if _CONSUMED in keywords:
        keywords = {name: value for name, value in keywords.items() if name != _CONSUMED}
    if wants_count(kernel) and "num_outputs" not in keywords:
        keywords = {**keywords, "num_outputs": wanted}
    with np.errstate(all="ignore"):  # ONNX says what overflows and what is no number give
        return kernel(*inputs, **keywords)


def wants_count(kernel: Kernel) -> bool:
    """Return whether a kernel asks how many results are wanted."""
    if isinstance(kernel, (_Body, _Reference)):
        return True
    code = getattr(kernel, "__code__", None)
    if code is None:
        return False
    first = code.co_argcount
    return "num_outputs" in code.co_varnames[first : first + code.co_kwonlyargcount]


class _Reference:
    """The implementation of an operator within ``onnx``, prepared once for equal calls in a row."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._prepared: dict[object, Any] = {}  # Any: a ReferenceEvaluator

    def __call__(self, *inputs: Any, num_outputs: int = 1, **attributes: Any) -> Any:
        """Return what the operator gives. Any: values of ONNX, as kernels take them."""
        if any(callable(each) for each in attributes.values()):
            raise UnsupportedError(f"{self._identity} has graphs and no kernel")
        node = make_node(self._identity, inputs, num_outputs, attributes)
        types = [_type_of(each) for each in inputs]
        key = (node.SerializeToString(deterministic=True), *[t.SerializeToString() for t in types])
        evaluator = self._prepared.get(key)
        if evaluator is None:
            if len(self._prepared) == PREPARED:
                self._prepared.clear()
            evaluator = self._prepared[key] = _prepare(self._identity, node, types)
        feeds = {n: v for n, v in zip(node.input, inputs, strict=True) if n}
        found = tuple(evaluator.run(None, feeds))
        return found if num_outputs != 1 else found[0]


def _prepare(identity: Identity, node: Any, types: list[Any]) -> Any:
    """Return an evaluator of a model of one node. Any: what onnx does not type."""
    helper = load_onnx("onnx.helper")
    reference = load_onnx("onnx.reference")
    inputs = [
        helper.make_value_info(name, ty) for name, ty in zip(node.input, types, strict=True) if name
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    graph = helper.make_graph([node], identity.name, inputs, outputs)
    opset = helper.make_opsetid(identity.domain, identity.since_version)
    model = helper.make_model(graph, opset_imports=[opset])
    try:
        return reference.ReferenceEvaluator(model)
    except Exception as error:
        raise UnsupportedError(
            f"{identity} has no kernel, and the reference implementation refuses it: {error}"
        ) from error


def _type_of(value: Any) -> Any:
    """Return the type of a value. Any: a value of ONNX, a TypeProto."""
    proto = load_onnx().TypeProto()
    if value is None:
        return proto
    if isinstance(value, list):
        proto.sequence_type.SetInParent()
        if value:
            proto.sequence_type.elem_type.CopyFrom(_type_of(value[0]))
        return proto
    if isinstance(value, dict):
        key = next(iter(value), "")
        proto.map_type.key_type = (
            _STRING if isinstance(key, str) else find_element_type(np.dtype("int64"))
        )
        proto.map_type.value_type.CopyFrom(_type_of(np.asarray(next(iter(value.values()), 0.0))))
        return proto
    array = np.asarray(value)
    proto.tensor_type.elem_type = find_element_type(array.dtype)
    proto.tensor_type.shape.SetInParent()
    for size in array.shape:
        proto.tensor_type.shape.dim.add(dim_value=size)
    return proto
