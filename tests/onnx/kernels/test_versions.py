"""Kernels take what the schemas of ONNX say, in each version that they serve."""

from __future__ import annotations

import inspect
from typing import get_args, get_type_hints

import pytest

from relayish.onnx.kernels import absent_parameters, find_kernel, kernels
from relayish.onnx.kernels.convolution import ConvAttributes, place_kernel
from relayish.onnx.kernels.ml_trees import (
    NodeAttributes,
    SplitAttributes,
    read_forest,
    read_split_forest,
)
from relayish.onnx.kernels.recurrent import Layer, LayerAttributes
from relayish.onnx.kernels.spatial import (
    PoolAttributes,
    SteppedAttributes,
    WindowAttributes,
    place_windows,
)
from tests.support.each import each

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

SCHEMAS = {
    (schema.domain, schema.name, schema.since_version): schema
    for schema in onnx.defs.get_all_schemas_with_history()
}
SERVED = sorted(kernels())

GIVEN_BY_CALLER = {"num_outputs", "generator"}
"""Keywords that are attributes of no schema, but for the ``num_outputs`` of Split-18."""

NEVER_GIVEN = {"consumed_inputs"}
"""Attributes that say where results may be written, which no evaluator does."""

WITHOUT_KERNEL = {
    ("", "CausalConvWithState"),
    ("", "ImageDecoder"),
    ("", "LinearAttention"),
    ("ai.onnx.preview.training", "Gradient"),
}
"""What is left to the definition by other operators, or to packages that read images."""

Formal = onnx.defs.OpSchema.FormalParameterOption
Kind = inspect.Parameter

TAKEN_BY = {
    ConvAttributes: place_kernel,
    PoolAttributes: place_windows,
    SteppedAttributes: place_windows,
    WindowAttributes: place_windows,
    LayerAttributes: Layer.__init__,
    NodeAttributes: read_forest,
    SplitAttributes: read_split_forest,
}
"""Who takes attributes that kernels share, and says their defaults."""


def parameters_of(function):
    """Return the parameters by name; shared attributes are such as whoever takes them has them."""
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not Kind.VAR_KEYWORD:
            found[name] = parameter
            continue
        (shared,) = get_args(get_type_hints(function)[name])
        taken = parameters_of(TAKEN_BY[shared])
        for keyword in shared.__annotations__:
            found[keyword] = taken[keyword].replace(kind=Kind.KEYWORD_ONLY)
    return found


def attribute_default(attribute):
    value = attribute.default_value
    if not value.type:
        return None
    value = onnx.helper.get_attribute_value(value)
    if isinstance(value, list):
        return tuple(one.decode() if isinstance(one, bytes) else one for one in value)
    return value.decode() if isinstance(value, bytes) else value


@each("key", SERVED)
def test_keywords_are_the_attributes_of_the_schema(key):
    schema, found = SCHEMAS[key], find_kernel(*key)
    keywords = {
        name: parameter
        for name, parameter in parameters_of(found).items()
        if parameter.kind is Kind.KEYWORD_ONLY and name not in GIVEN_BY_CALLER
    }
    absent = absent_parameters(*key)
    assert absent <= parameters_of(found).keys()
    assert keywords.keys() - absent == schema.attributes.keys() - NEVER_GIVEN - GIVEN_BY_CALLER
    for name in keywords.keys() - absent:
        default, attribute = keywords[name].default, schema.attributes[name]
        if attribute.required or default is Kind.empty:
            assert attribute.required, name
            assert default is Kind.empty, name
        else:
            expected = attribute_default(attribute)
            expected = "forward" if expected == "foward" else expected  # as GRU-1 spells it
            if isinstance(expected, float):
                expected = pytest.approx(expected)
            assert default == expected, name


@each("key", SERVED)
def test_positions_are_the_inputs_of_the_schema(key):
    schema, found = SCHEMAS[key], find_kernel(*key)
    positions = [
        parameter
        for parameter in parameters_of(found).values()
        if parameter.kind is not Kind.KEYWORD_ONLY and parameter.name not in absent_parameters(*key)
    ]
    variadic = [one for one in schema.inputs if one.option == Formal.Variadic]
    assert [one for one in positions if one.kind is Kind.VAR_POSITIONAL][1:] == []
    assert bool(variadic) == any(one.kind is Kind.VAR_POSITIONAL for one in positions)
    fixed = [one for one in positions if one.kind is not Kind.VAR_POSITIONAL]
    assert len(fixed) == len(schema.inputs) - len(variadic)
    required = [one for one in fixed if one.default is Kind.empty]
    assert len(required) <= sum(one.option == Formal.Single for one in schema.inputs)


def test_every_version_of_an_operator_is_served_where_one_is():
    operators = {key[:2] for key in SERVED}
    missing = [key for key in SCHEMAS if key[:2] in operators and find_kernel(*key) is None]
    assert missing == []


def test_every_other_operator_has_a_kernel():
    known = {key[:2] for key in SCHEMAS}
    assert known - {key[:2] for key in SERVED} == WITHOUT_KERNEL
