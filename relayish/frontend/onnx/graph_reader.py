"""Graphs of ONNX as functions: chains of lets in the order of the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from relayish.errors import ModelError
from relayish.frontend.onnx.node_order import free_names, order_nodes
from relayish.ir.attrs import DictAttrs
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.type import Type
from relayish.ir.span import Span
from relayish.onnx import info
from relayish.onnx.calls import make_call
from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import attribute_kinds, identify
from relayish.onnx.operators import find_operator
from relayish.onnx.protos.attributes import GRAPH, GRAPHS, sparse_of_proto, value_of_attribute
from relayish.onnx.protos.tensors import array_of_proto
from relayish.onnx.protos.types import Dimensions, type_of_proto
from relayish.onnx.types import UnknownType


class ModelReader:
    """What all graphs of a model share.

    Attributes:
        opsets: The version of each operator set, by domain.
        dimensions: The named dimensions.
        functions: The functions of the model, by the name of their definition.
        globals: The names of these, as calls refer to them.
    """

    def __init__(self, proto: Any, folder: Path | None) -> None:  # Any: a ModelProto
        self.folder = folder
        self.opsets = _opsets(proto.opset_import)
        self.dimensions = Dimensions()
        self.functions: dict[str, Any] = {}
        for function in proto.functions:
            name = function_name(function.domain, function.name, function.overload)
            if name in self.functions:
                raise ModelError(f"two functions of the model are called {name!r}")
            self.functions[name] = function
        self.globals = {name: GlobalVar(name) for name in self.functions}
        if not self.opsets:
            raise ModelError(
                "the model imports no operator set, so nothing says what its nodes mean; expected "
                "opset_import"
            )
        self._newest: dict[str, int] = {}

    def read_function(self, proto: Any) -> Function:  # Any: a FunctionProto
        """Return the function that a function of the model is."""
        return GraphReader(self, _opsets(proto.opset_import) or self.opsets).read_function(proto)


def function_name(domain: str, name: str, overload: str = "") -> str:
    """Return what the definition of a function of a model is called."""
    return "::".join([domain, name, *([overload] if overload else [])])


def _opsets(imports: Iterable[Any]) -> dict[str, int]:  # Any: OperatorSetIdProtos
    return {"" if each.domain == "ai.onnx" else each.domain: each.version for each in imports}


class GraphReader:
    """Reads one graph, and those in its nodes by readers of their own."""

    def __init__(
        self,
        model: ModelReader,
        opsets: Mapping[str, int] | None = None,
        outer: GraphReader | None = None,
    ) -> None:
        self._model = model
        self._opsets = model.opsets if opsets is None else opsets
        self._outer = outer
        self._values: dict[str, Expr] = {}
        self._bindings: list[tuple[Var, Expr]] = []
        self._details: dict[str, object] = {}
        self._captured: list[str] = []

    def read(self, graph: Any, captured: Iterable[str] = ()) -> Function:  # Any: a GraphProto
        """Return a graph as a closed function.

        Args:
            graph: A ``GraphProto``.
            captured: The names of values from outside, which are its last parameters.
        """
        inputs = {each.name for each in graph.input}
        params = [self._declare(each.name, self._type_of(each)) for each in graph.input]
        params += [self._declare(name, None) for name in captured]
        attrs = self._graph_attrs(graph)
        defaults: dict[str, object] = {}
        for tensor in graph.initializer:
            if not tensor.name:
                raise ModelError("an initializer has no name, so no node can use it")
            array = array_of_proto(tensor, self._model.folder, f"initializer {tensor.name!r}")
            constant = Constant(array, span=Span(tensor.name, 1, 1, 1, 1))
            if tensor.name in inputs:
                defaults[tensor.name] = constant
            else:
                self._bind(tensor.name, constant)
        for sparse in graph.sparse_initializer:
            self._bind_sparse(sparse)
        if defaults:
            attrs[info.DEFAULTS] = DictAttrs(defaults)
        return self._finish(graph.node, params, [each.name for each in graph.output], attrs)

    def read_function(self, proto: Any) -> Function:  # Any: a FunctionProto
        """Return a function of the model."""
        params = [self._declare(name, None) for name in proto.input]
        defaults = {
            each.name: value_of_attribute(
                each, self._model.folder, self._model.dimensions, f"function {proto.name}", None
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
        if proto.doc_string:
            attrs[info.DOC_STRING] = proto.doc_string
        if proto.metadata_props:
            attrs[info.METADATA] = _properties(proto)
        if proto.value_info:
            attrs[info.VALUE_INFO] = DictAttrs({v.name: self._type_of(v) for v in proto.value_info})
        return self._finish(proto.node, params, list(proto.output), attrs)

    def _finish(
        self,
        nodes: Iterable[Any],  # Any: NodeProtos
        params: list[Var],
        outputs: list[str],
        attrs: dict[str, object],
    ) -> Function:
        for index, node in order_nodes(nodes, self._values):
            self._read_node(index, node)
        attrs[info.OUTPUTS] = tuple(outputs)
        if self._details:
            attrs[info.NODES] = DictAttrs(self._details)
        results = [self._value(name, "the outputs of the graph") for name in outputs]
        body: Expr = results[0] if len(results) == 1 else Tuple(results)
        for var, value in reversed(self._bindings):
            body = Let(var, value, body)
        return Function(params, body, attrs=DictAttrs(attrs))

    def _graph_attrs(self, graph: Any) -> dict[str, object]:  # Any: a GraphProto
        attrs: dict[str, object] = {info.NAME: graph.name}
        if graph.doc_string:
            attrs[info.DOC_STRING] = graph.doc_string
        if graph.metadata_props:
            attrs[info.METADATA] = _properties(graph)
        attrs[info.OUTPUT_TYPES] = tuple([self._type_of(each) for each in graph.output])
        if graph.value_info:
            attrs[info.VALUE_INFO] = DictAttrs({v.name: self._type_of(v) for v in graph.value_info})
        values = {
            each.name: DictAttrs({"doc_string": each.doc_string, "metadata": _properties(each)})
            for each in (*graph.input, *graph.output, *graph.value_info)
            if each.doc_string or each.metadata_props
        }
        if values:
            attrs[info.VALUES] = DictAttrs(values)
        if graph.quantization_annotation:
            attrs[info.QUANTIZATION] = tuple(
                [
                    (
                        each.tensor_name,
                        tuple([(p.key, p.value) for p in each.quant_parameter_tensor_names]),
                    )
                    for each in graph.quantization_annotation
                ]
            )
        if graph.sparse_initializer:
            attrs[info.SPARSE] = tuple([each.values.name for each in graph.sparse_initializer])
        return attrs

    def _type_of(self, value: Any) -> Type:  # Any: a ValueInfoProto
        return type_of_proto(value.type, self._model.dimensions, f"value {value.name!r}")

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
        value = sparse_of_proto(sparse, self._model.folder, f"sparse initializer {name!r}")
        constant = identify("Constant", self._opsets.get("", 11))
        op = find_operator(constant.name, constant.since_version)
        self._bind(name, make_call(op, (), {"sparse_value": value}))

    def _value(self, name: str, where: str) -> Expr:
        found = self._values.get(name)
        if found is None:
            raise ModelError(f"{where} use {name!r}, which nothing in the graph gives")
        return found

    def _read_node(self, index: int, node: Any) -> None:  # Any: a NodeProto
        where = (
            f"node {node.name!r} ({node.op_type})"
            if node.name
            else f"node {index} ({node.op_type})"
        )
        call = self._call(node, where)
        if node.name:
            call = call.with_fields(span=Span(node.name, index + 1, index + 1, 1, 1))
        outputs = list(node.output)
        first = next((name for name in outputs if name), "")
        self._note_details(first, node)
        if len(outputs) == 1 and outputs[0]:
            self._bind(first, call)
            return
        whole = Var(f"{first or node.name or node.op_type}.all")
        self._bindings.append((whole, call))
        for place, name in enumerate(outputs):
            if name:
                self._bind(name, TupleGetItem(whole, place))

    def _note_details(self, first: str, node: Any) -> None:  # Any: a NodeProto
        details: dict[str, object] = {}
        if node.doc_string:
            details["doc_string"] = node.doc_string
        if node.metadata_props:
            details["metadata"] = _properties(node)
        if first and details:
            self._details[first] = DictAttrs(details)

    def _call(self, node: Any, where: str) -> Call:  # Any: a NodeProto
        inputs = [self._value(name, f"inputs of {where}") if name else None for name in node.input]
        called = function_name(node.domain, node.op_type, node.overload)
        callee = self._model.globals.get(called)
        declared: Mapping[str, int] = {}
        identity: Identity | None = None
        if callee is None:
            identity = self._identify(node, where)
            declared = attribute_kinds(identity)
        attributes: dict[str, object] = {}
        graphs: dict[str, Any] = {}
        for each in node.attribute:
            if each.type == GRAPH and not each.ref_attr_name:
                graphs[each.name] = each.g
            elif each.type == GRAPHS and not each.ref_attr_name:
                graphs.update({f"{each.name}[{i}]": graph for i, graph in enumerate(each.graphs)})
            else:
                attributes[each.name] = value_of_attribute(
                    each, self._model.folder, self._model.dimensions, where, declared.get(each.name)
                )
        captured = list(dict.fromkeys(n for g in graphs.values() for n in free_names(g)))
        captured = [name for name in captured if name in self._values]
        read = {
            name: GraphReader(self._model, self._opsets, self).read(graph, captured)
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
        )

    def _identify(self, node: Any, where: str) -> Identity:  # Any: a NodeProto
        domain = "" if node.domain == "ai.onnx" else node.domain
        opset = self._opsets.get(domain)
        if opset is None:
            known = ", ".join(repr(each) for each in self._opsets)
            raise ModelError(
                f"{where} is of domain {domain!r}, of which the model imports no version; it "
                f"imports {known}"
            )
        return identify(node.op_type, opset, domain)


def _properties(proto: Any) -> DictAttrs:  # Any: whatever has metadata_props
    return DictAttrs({each.key: each.value for each in proto.metadata_props})
