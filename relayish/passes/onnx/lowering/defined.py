"""Operators that ONNX defines by others: lowered as their definitions are."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.analysis.infer_type import infer_type
from relayish.errors import ModelError, TypeInferenceError
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Constant, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.renaming import rename_bound, replace_nodes
from relayish.onnx.calls import ABSENT, attributes_of, count_outputs, graph_names
from relayish.onnx.definitions import (
    default_attributes,
    find_definition,
    is_defined,
    make_node,
    opsets_of,
)
from relayish.onnx.operator_sets import find_schema
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.types import type_to_proto
from relayish.onnx.reading.graph_reader import GraphReader
from relayish.onnx.reading.model_reader import ModelReader
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered
from relayish.passes.onnx.rewrite.rules.functions import bind_attributes
from relayish.passes.onnx.rewrite.simplify_onnx import simplify_onnx


def has_definition(node: OnnxNode) -> bool:
    """Return whether ONNX defines the operator of a node by others."""
    schema = find_schema(node.identity)
    return schema is not None and is_defined(schema)


def by_definition(node: OnnxNode) -> Expr:
    """Return what a node becomes by the definition of its operator.

    Args:
        node: The node, whose inputs are variables and constants.

    Raises:
        Unlowered: If an operator of the definition cannot be lowered, or it is given graphs.
    """
    inputs: list[Expr] = []
    for place, each in enumerate(node.inputs):
        known = node.value(place)
        inputs.append(ABSENT if each is None else each if known is None else Constant(known))
    try:
        return lower_written(node, _body(node, inputs), inputs)
    except ModelError as error:
        raise Unlowered(f"the definition of {node.identity} is ill formed: {error}") from error


def apply_graph(node: OnnxNode, name: str, args: Sequence[Expr]) -> Expr:
    """Return what a graph of a node computes, lowered.

    Args:
        node: The node.
        name: The graph.
        args: What it is given, captured values aside: variables with types.

    Raises:
        Unlowered: If an operator in it cannot be lowered.
    """
    graph = node.graphs[name]
    if not isinstance(graph, Function):
        raise Unlowered(f"its graph {name!r} is no function that is written here")
    given = [*args, *node.captures]
    graph = rename_bound(graph)
    images: dict[Node, Node] = dict(zip(graph.params, given, strict=True))
    body = replace_nodes(graph.body, images)
    assert isinstance(body, Expr)
    return lower_written(node, body, given)


def lower_written(node: OnnxNode, body: Expr, given: Sequence[Expr]) -> Expr:
    """Return what a node is written by, lowered.

    Args:
        node: The node.
        body: An expression of operators of ONNX, and of Relay perhaps.
        given: What it is given: the variables among it are those of ``body``.

    Raises:
        Unlowered: If an operator in it cannot be lowered.
    """
    variables = tuple([each for each in given if isinstance(each, Var)])
    try:
        typed = infer_type(IRModule({"main": Function(variables, body)}))
        main = typed["main"]
        assert isinstance(main, Function)
        lowered = node.lower(typed.with_function("main", simplify_onnx(main)))["main"]
    except TypeInferenceError as error:
        raise Unlowered(f"what it is defined by is ill typed: {error}") from error
    assert isinstance(lowered, Function)
    images: dict[Node, Node] = dict(zip(lowered.params, variables, strict=True))
    found = replace_nodes(lowered.body, images)
    assert isinstance(found, Expr)
    return found


def _body(node: OnnxNode, inputs: list[Expr]) -> Expr:
    """Return the definition of the operator of a node, with its inputs and attributes."""
    call, identity = node.call, node.identity
    if graph_names(call.attrs):
        raise Unlowered("it is given graphs")
    schema, attributes = find_schema(identity), attributes_of(call)
    none = load_onnx().TypeProto()
    types = [
        none if each is None else type_to_proto(node.type(at))
        for at, each in enumerate(node.inputs)
    ]
    count = count_outputs(call.attrs)
    proto = find_definition(schema, make_node(identity, node.inputs, count, attributes), types)
    if len(proto.input) < len(inputs):
        raise Unlowered("ONNX defines it by others where more is known of its inputs")
    del proto.output[count:]  # what gives the others may be missing
    model = load_onnx().ModelProto()
    for domain, version in opsets_of(identity, proto).items():
        model.opset_import.add(domain=domain, version=version)
    function = GraphReader(ModelReader(model, None)).read_function(proto)
    function = bind_attributes(function, default_attributes(identity, schema) | attributes)
    given = [*inputs, *[ABSENT] * (len(function.params) - len(inputs))]
    renamed = rename_bound(function)
    images: dict[Node, Node] = dict(zip(renamed.params, given, strict=True))
    found = replace_nodes(renamed.body, images)
    assert isinstance(found, Expr)
    return found
