"""Graphs of ONNX as functions: chains of lets in the order of the nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from relayish.errors import ModelError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import Type
from relayish.onnx import info
from relayish.onnx.calls import make_call
from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import (
    attribute_kinds,
    canonical_domain,
    identify,
    is_optional_output,
)
from relayish.onnx.operators import find_operator, identity_of
from relayish.onnx.protos.attributes import (
    GRAPHS,
    graphs_of_attribute,
    kind_of_attribute,
    sparse_of_proto,
    value_of_attribute,
)
from relayish.onnx.protos.tensors import array_of_proto
from relayish.onnx.reading.model_reader import ModelReader
from relayish.onnx.reading.node_order import free_names, order_nodes
from relayish.onnx.reading.notes import (
    read_function_notes,
    read_graph_notes,
    read_node_notes,
    span_of_name,
)
from relayish.onnx.types import UnknownType


class GraphReader:
    """Reads one graph, and those in its nodes by readers of their own."""

    def __init__(
        self,
        model: ModelReader,
        opsets: Mapping[str, int] | None = None,
        depth: int = 0,
    ) -> None:
        self._model = model
        self._opsets = model.opsets if opsets is None else opsets
        self._depth = depth
        self._values: dict[str, Expr] = {}
        self._bindings: list[tuple[Var, Expr]] = []
        self._details: dict[str, object] = {}
        self._left_out: list[str] = []

    def read(self, graph: Any, captured: Iterable[str] = ()) -> Function:  # Any: a GraphProto
        """Return a graph as a closed function.

        Args:
            graph: A ``GraphProto``.
            captured: The names of values from outside, which are its last parameters.
        """
        types = self._model.types
        inputs = {each.name for each in graph.input}
        params = [self._declare(each.name, types.type_of(each)) for each in graph.input]
        params += [self._declare(name, None) for name in captured]
        attrs = read_graph_notes(graph, types)
        defaults: dict[str, object] = {}
        for tensor in graph.initializer:
            constant = self._read_initializer(tensor)
            if tensor.name not in inputs:
                self._bind(tensor.name, constant)
                continue
            if tensor.name in defaults:
                raise ModelError(f"two initializers are called {tensor.name!r}; expected one")
            defaults[tensor.name] = constant
        for sparse in graph.sparse_initializer:
            self._bind_sparse(sparse)
        if defaults:
            attrs[info.DEFAULTS] = DictAttrs(defaults)
        return self._finish(graph.node, params, [each.name for each in graph.output], attrs)

    def _read_initializer(self, tensor: Any) -> Constant:  # Any: a TensorProto
        if not tensor.name:
            raise ModelError("an initializer has no name, so no node can use it; expected one")
        array = array_of_proto(tensor, self._model.files, f"initializer {tensor.name!r}")
        return Constant(array, span=span_of_name(tensor.name))

    def read_function(self, proto: Any) -> Function:  # Any: a FunctionProto
        """Return a function of the model."""
        params = [self._declare(name, None) for name in proto.input]
        defaults = {
            each.name: value_of_attribute(
                each, self._model.files, self._model.dimensions, f"function {proto.name}", None
            )
            for each in proto.attribute_proto
        }
        attrs: dict[str, object] = {
            info.FUNCTION: DictAttrs(
                {
                    "domain": proto.domain,
                    "name": proto.name,
                    "overload": proto.overload,
                    "attributes": tuple(proto.attribute),
                    "defaults": DictAttrs(defaults),
                }
            ),
            info.OPSETS: DictAttrs({each.domain: each.version for each in proto.opset_import}),
        }
        attrs.update(read_function_notes(proto, self._model.types))
        return self._finish(proto.node, params, list(proto.output), attrs)

    def _finish(
        self,
        nodes: Iterable[Any],  # Any: NodeProtos
        params: list[Var],
        outputs: list[str],
        attrs: dict[str, object],
    ) -> Function:
        ordered = order_nodes(nodes, self._values)
        for index, node in ordered:
            self._read_node(index, node)
        counts = Counter(node.name for _index, node in ordered if node.name)
        repeated = tuple([name for name, count in counts.items() if count > 1])
        if repeated:
            attrs[info.REPEATED] = repeated
        attrs[info.OUTPUTS] = tuple(outputs)
        if self._left_out:
            attrs[info.LEFT_OUT] = tuple(self._left_out)
        if self._details:
            attrs[info.NODES] = DictAttrs(self._details)
        results = [self._value(name, "the outputs of the graph") for name in outputs]
        body: Expr = results[0] if len(results) == 1 else Tuple(results)
        for var, value in reversed(self._bindings):
            body = Let(var, value, body)
        return Function(params, body, attrs=DictAttrs(attrs))

    def _declare(self, name: str, ty: Type | None) -> Var:
        """Return the parameter of a name."""
        var = Var(name, None if isinstance(ty, UnknownType) else ty)
        self._enter(name, var)
        return var

    def _enter(self, name: str, value: Expr) -> None:
        if name in self._values:
            raise ModelError(
                f"two values of the graph are called {name!r}; expected a name of its own for each"
            )
        self._values[name] = value

    def _bind(self, name: str, value: Expr) -> Var:
        var = Var(name)
        self._enter(name, var)
        self._bindings.append((var, value))
        return var

    def _bind_sparse(self, sparse: Any) -> None:  # Any: a SparseTensorProto
        name = sparse.values.name
        value = sparse_of_proto(sparse, self._model.files, f"sparse initializer {name!r}")
        constant = identify("Constant", self._opsets.get("", 11))
        op = find_operator(constant.name, constant.since_version)
        self._bind(name, make_call(op, (), {"sparse_value": value}))

    def _value(self, name: str, where: str) -> Expr:
        found = self._values.get(name)
        if found is None:
            raise ModelError(f"{where} use {name!r}, which nothing in the graph gives")
        return found

    def _read_node(self, index: int, node: Any) -> None:  # Any: a NodeProto
        if not node.op_type:
            raise ModelError(
                f"node {node.name or index!r} says no op_type, so nothing says what it computes; "
                f"expected the name of an operator or of a function of the model"
            )
        where = f"node {node.name or index!r} ({node.op_type})"
        span = span_of_name(node.name, index)
        call = self._call(node, where, span)
        outputs = list(node.output)
        first = next((name for name in outputs if name), "")
        details = read_node_notes(node)
        if first and details is not None:
            self._details[first] = details
        if len(outputs) == 1 and outputs[0]:
            self._bind(first, call)
            return
        whole = Var(f"{first or node.name or node.op_type}.all")
        self._bindings.append((whole, call))
        for place, name in enumerate(outputs):
            if name:
                self._bind(name, TupleGetItem(whole, place))
        identity = identity_of(call.op)
        if identity is not None and any(
            not name and not is_optional_output(identity, place)
            for place, name in enumerate(outputs)
        ):
            self._left_out.append(first)

    def _call(self, node: Any, where: str, span: Span | None) -> Call:  # Any: a NodeProto
        inputs = [self._value(name, f"inputs of {where}") if name else None for name in node.input]
        callee = self._model.find_function(node)
        declared: Mapping[str, int] = {}
        identity: Identity | None = None
        if callee is None:
            identity = self._identify(node, where)
            declared = attribute_kinds(identity)
        else:
            inputs += [None] * (self._model.count_inputs(node) - len(inputs))
        attributes, graphs = self._read_attributes(node, where, declared)
        inside = self._depth + 1
        used = dict.fromkeys(n for graph in graphs.values() for n in free_names(graph, inside))
        captured = [name for name in used if name in self._values]
        read = {
            name: GraphReader(self._model, self._opsets, inside).read(graph, captured)
            for name, graph in graphs.items()
        }
        op: Any = callee  # Any: make_call takes what is called
        if identity is not None:
            op = find_operator(identity.name, identity.since_version, identity.domain)
        return make_call(
            op,
            inputs,
            attributes,
            outputs=len(node.output),
            graphs=read,
            captures=[self._values[name] for name in captured],
            span=span,
        )

    def _read_attributes(
        self, node: Any, where: str, declared: Mapping[str, int]
    ) -> tuple[dict[str, object], dict[str, Any]]:  # Any: a NodeProto, GraphProtos
        """Return the attributes of a node that are no graphs, and those that are."""
        attributes: dict[str, object] = {}
        graphs: dict[str, Any] = {}  # Any: GraphProtos
        found: set[str] = set()
        for each in node.attribute:
            if not each.name or each.name in found:
                raise ModelError(
                    f"{where} has two attributes called {each.name!r}; expected one"
                    if each.name
                    else f"{where} has an attribute without a name; expected one of its schema"
                )
            held = graphs_of_attribute(each)
            if not held:
                attributes[each.name] = value_of_attribute(
                    each, self._model.files, self._model.dimensions, where, declared.get(each.name)
                )
            elif kind_of_attribute(each) == GRAPHS:
                graphs.update({f"{each.name}[{i}]": graph for i, graph in enumerate(held)})
            else:
                graphs[each.name] = held[0]
            found.add(each.name)
        return attributes, graphs

    def _identify(self, node: Any, where: str) -> Identity:  # Any: a NodeProto
        domain = canonical_domain(node.domain)
        opset = self._opsets.get(domain)
        if opset is None:
            known = ", ".join(repr(each) for each in self._opsets)
            raise ModelError(
                f"{where} is of domain {domain!r}, of which the model imports no version; it "
                f"imports {known}"
            )
        return identify(node.op_type, opset, domain)
