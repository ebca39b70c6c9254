"""Models of ONNX to try things on, and what two of them have to have in common to be the same."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from onnx import AttributeProto, ModelProto, TensorProto, load, numpy_helper
from onnx.backend.test import loader

from tests.support.seeds import SOAK

SHARED = Path(os.environ.get("RELAYISH_SHARED", "../shared")) / "models"
"""Where models of others lie, if anywhere."""
MAKES_SUITE = pytest.mark.slow("the expected values of the suite are computed when first asked for")
KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")


def models_of_others() -> list[Path]:
    """Return the files of models with weights."""
    return sorted(SHARED.glob("*.onnx"))


def light_models() -> list[Path]:
    """Return the files of the large networks, without weights, that come with the package."""
    folder = Path(loader.__file__).parent.parent / "data" / "light"
    return sorted(folder.glob("*.onnx"))


def every(count: int) -> int:
    """Return the stride in which models of the suite are tried: ``count``, 1 in the soak."""
    return 1 if SOAK else count


@cache
def suite_cases() -> list[Any]:  # Any: cases of the suite, which is not typed
    """Return the tests of backends, in their order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, while expected values are computed
        return [case for kind in KINDS for case in loader.load_model_tests(kind=kind)]


@cache
def suite_models() -> dict[str, ModelProto]:
    """Return the models of the tests of backends, by name."""
    return {
        case.name: load(Path(case.model_dir) / "model.onnx") if case.model is None else case.model
        for case in suite_cases()
    }


ROUNDED = ("test_dft_inverse",)
"""What the names of tests begin with whose expected zeros are what rounding left of them."""


def atol_of(case: Any) -> float:
    """Return by how much results of a test may differ from what is expected."""
    return 1e-6 if case.name.startswith(ROUNDED) else float(case.atol)


def facts_of_model(model: ModelProto) -> dict[str, object]:
    """Return all that a model says, in a form in which equal models are equal.

    The order of attributes does not count, nor that of initializers, nor how tensors are stored.
    """
    return {
        "head": _plain(model, leave_out=("graph", "functions")),
        "graph": _graph(model.graph),
        "functions": [
            {
                "head": _plain(each, leave_out=("node", "attribute_proto", "value_info")),
                "nodes": [_node(node) for node in each.node],
                "defaults": _attributes(each.attribute_proto),
                "values": {value.name: value.SerializeToString() for value in each.value_info},
            }
            for each in model.functions
        ],
    }


def _plain(proto, leave_out):
    kept = type(proto)()
    kept.CopyFrom(proto)
    for name in leave_out:
        kept.ClearField(name)
    return re.sub(r'^ *\w+: ""\n', "", str(kept), flags=re.MULTILINE)


def _graph(graph):
    return {
        "head": _plain(graph, ("node", "initializer", "sparse_initializer", "value_info")),
        "nodes": [_node(node) for node in graph.node],
        "initializers": {each.name: _tensor(each) for each in graph.initializer},
        "sparse": {
            each.values.name: (tuple(each.dims), _tensor(each.values), _tensor(each.indices))
            for each in graph.sparse_initializer
        },
        "values": {value.name: value.SerializeToString() for value in graph.value_info},
    }


def _node(node):
    return {"head": _plain(node, ("attribute",)), "attributes": _attributes(node.attribute)}


def _attributes(attributes):
    return {each.name: _attribute(each) for each in attributes}


def _attribute(attribute):
    inner = {
        AttributeProto.TENSOR: lambda: _tensor(attribute.t),
        AttributeProto.TENSORS: lambda: [_tensor(each) for each in attribute.tensors],
        AttributeProto.GRAPH: lambda: _graph(attribute.g),
        AttributeProto.GRAPHS: lambda: [_graph(each) for each in attribute.graphs],
    }.get(attribute.type)
    if inner is None or attribute.ref_attr_name:
        return str(attribute)
    return attribute.type, attribute.doc_string, inner()


def _tensor(tensor):
    if tensor.data_location == TensorProto.EXTERNAL:
        return tensor.data_type, tuple(tensor.dims), "elsewhere"
    if tensor.data_type == TensorProto.STRING:
        return tensor.data_type, tuple(tensor.dims), list(tensor.string_data)
    array = numpy_helper.to_array(tensor)
    return tensor.data_type, array.shape, array.tobytes()


def differences(one: object, other: object, path: str = "") -> Iterator[str]:
    """Yield where two nests of facts differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from differences(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{path}[{index}]")
    elif one != other:
        yield f"{path}: {str(one)[:300]} became {str(other)[:300]}"
