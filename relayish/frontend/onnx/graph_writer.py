"""Functions as graphs of ONNX: a node for each call, in the order of the lets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias, Union

from numpy.typing import NDArray

from relayish.errors import ModelError
from relayish.frontend.onnx.external import Store, as_array
from relayish.ir.attrs import DictAttrs
from relayish.ir.one_line import describe
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
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.onnx import info
from relayish.onnx.calls import (
    attributes_of,
    captures_of,
    count_outputs,
    graphs_of,
    inputs_of,
)
from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import attribute_kinds, identify
from relayish.onnx.operators import identity_of
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.attributes import attributes_to_protos, sparse_to_proto
from relayish.onnx.protos.tensors import array_to_proto
from relayish.onnx.protos.types import type_to_proto
from relayish.onnx.types import UnknownType


class _Node:
    """A node of several outputs, which get their names when somebody uses them."""

    __slots__ = ("name", "proto")

    def __init__(self, proto: Any, name: str) -> None:  # Any: a NodeProto
        self.proto = proto
        self.name = name


_Value: TypeAlias = Union[str, _Node, Function, "tuple[_Value, ...]"]
"""What an expression is in a graph: a name, ``""`` for what is missing, or several of them."""


class ModelWriter:
    """What all graphs of a model share.

    Attributes:
        functions: Definitions that become functions of the model.
        opsets: The version of each operator set.
        names: All names that values have anywhere.
    """

    def __init__(self, mod: IRModule, store: Store | None) -> None:
        self.store: Store = array_to_proto if store is None else store
        self.names: set[str] = set()
        self.functions: dict[str, Function] = {}
        for key, function in mod.functions.items():
            if key.name_hint != "main":
                self.functions[key.name_hint] = _check_function(key.name_hint, function)
        told = None if mod.attrs is None else mod.attrs.get(info.OPSETS)
        self._is_told = isinstance(told, DictAttrs)
        self.opsets: dict[str, int] = {}
        if isinstance(told, DictAttrs):
            self.opsets = {domain: _number(version) for domain, version in told.items()}

    @staticmethod
    def constants(mod: IRModule) -> Iterator[NDArray[Any]]:  # Any: of whatever element type
        """Yield the tensors in a module."""
        for root in mod.functions.values():
            for each in EXPRESSIONS.post_order(root):
                found = as_array(each.data) if type(each) is Constant else None
                if found is not None:
                    yield found

    def fill_main(self, graph: Any, main: Function) -> None:  # Any: a GraphProto
        """Write the graph of the model."""
        GraphWriter(self).fill(graph, main)

    def check_opset(self, identity: Identity, opsets: Mapping[str, int] | None = None) -> None:
        """Refuse an operator of another version than its operator set says."""
        domain, name, since = identity
        held = self.opsets if opsets is None else opsets
        version = held.get(domain, held.get("ai.onnx") if not domain else None)
        if version is None or (not self._is_told and version < since):
            version = self.opsets[domain] = since
        meant = identify(name, version, domain).since_version
        if meant != since:
            raise ModelError(
                f"the module calls {identity}, and version {version} of its operator set means "
                f"version {meant} of it; convert the module to one version: ConvertOpset"
            )


def _check_function(name: str, function: object) -> Function:
    if type(function) is not Function:
        raise ModelError(
            f"@{name} is a {type(function).__name__}, which a model of ONNX cannot hold; expected "
            f"a function"
        )
    return function


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


class GraphWriter:
    """Writes one graph, and those in its nodes by writers of their own."""

    def __init__(self, model: ModelWriter, opsets: Mapping[str, int] | None = None) -> None:
        self._model = model
        self._opsets = opsets
        self._values: dict[Expr, _Value] = {}
        self._names: dict[Expr, str] = {}
        self._graph: Any = None  # Any: a GraphProto or a FunctionProto
        self._details: DictAttrs = DictAttrs()
        self._sparse: tuple[str, ...] = ()

    def fill(
        self, graph: Any, function: Function, captured: tuple[_Value, ...] = ()
    ) -> None:  # Any: a GraphProto
        """Write ``function`` into ``graph``; ``captured`` is what its last parameters are."""
        attrs = self._begin(graph, function)
        count = len(function.params) - len(captured)
        self._name_parts(function, count)
        for param, value in zip(function.params[count:], captured, strict=True):
            self._values[param] = value
        defaults = attrs.get(info.DEFAULTS)
        for param in function.params[:count]:
            self._values[param] = self._names[param]
            self._add_value(graph.input, self._names[param], param.type_annotation, attrs)
            default = defaults.get(param.name_hint) if isinstance(defaults, DictAttrs) else None
            if isinstance(default, Constant):
                self._add_initializer(default, self._names[param])
        results = self._write_body(function.body)
        types = attrs.get(info.OUTPUT_TYPES)
        for place, name in enumerate(self._end(function, results)):
            told = types[place] if isinstance(types, tuple) and len(types) == len(results) else None
            self._add_value(graph.output, name, told, attrs)
        self._fill_graph(graph, attrs)

    def fill_function(self, proto: Any, name: str, function: Function) -> None:  # Any: a proto
        """Write ``function`` into a ``FunctionProto``."""
        attrs = self._begin(proto, function)
        told = attrs.get(info.FUNCTION)
        domain, _, rest = name.partition("::")
        if isinstance(told, DictAttrs):
            proto.domain, proto.name = str(told["domain"]), str(told["name"])
            if told["overload"]:
                proto.overload = str(told["overload"])
            names: Any = told["attributes"]  # Any: attributes are of any class
            proto.attribute.extend(names)
            defaults: Any = told["defaults"]  # Any: as above
            proto.attribute_proto.extend(attributes_to_protos(dict(defaults.items()), {}, name))
        else:
            proto.domain, proto.name = (domain, rest) if rest else ("functions", domain)
        opsets = attrs.get(info.OPSETS)
        if isinstance(opsets, DictAttrs):
            self._opsets = {each: _number(version) for each, version in opsets.items()}
        for each, version in (self._opsets or self._model.opsets).items():
            proto.opset_import.add(domain=each, version=version)
        self._name_parts(function, len(function.params))
        for param in function.params:
            self._values[param] = self._names[param]
            proto.input.append(self._names[param])
        results = self._write_body(function.body)
        proto.output.extend(self._end(function, results))
        if attrs.get(info.DOC_STRING):
            proto.doc_string = str(attrs[info.DOC_STRING])
        fill_properties(proto, attrs.get(info.METADATA))
        self._fill_value_info(proto, attrs)

    def _begin(self, graph: Any, function: Function) -> DictAttrs:  # Any: a proto
        attrs = function.attrs if isinstance(function.attrs, DictAttrs) else DictAttrs()
        self._graph = graph
        details, sparse = attrs.get(info.NODES), attrs.get(info.SPARSE, ())
        if isinstance(details, DictAttrs):
            self._details = details
        if isinstance(sparse, tuple):
            self._sparse = sparse
        return attrs

    def _name_parts(self, function: Function, count: int) -> None:
        """Give parameters and variables their names, first those that outputs have to have."""
        used: set[str] = set()
        bound: dict[Expr, Expr] = {}
        tail: Expr = function.body
        while type(tail) is Let:
            bound[tail.var] = tail.value
            tail = tail.body
        for param in function.params[:count]:
            self._names[param] = self._choose(param.name_hint, used)
        results = tail.fields if type(tail) is Tuple else (tail,)
        wanted = _output_names(function, len(results))
        used.update(wanted)
        for result, name in zip(results, wanted, strict=True):
            origin: Expr = result
            while type(bound.get(origin)) is Var:
                origin = bound[origin]
            if origin in bound and origin not in self._names and name:
                self._names[origin] = name
        for var, value in bound.items():
            if var not in self._names and type(var) is Var and type(value) is not Var:
                self._names[var] = self._choose(var.name_hint, used)
        self._model.names |= used

    def _choose(self, hint: str, used: set[str]) -> str:
        name, count = hint or "value", 0
        while name in used:
            count += 1
            name = f"{hint}_{count}"
        used.add(name)
        return name

    def _fresh(self, hint: str) -> str:
        return self._choose(hint, self._model.names)

    def _write_body(self, body: Expr) -> list[_Value]:
        """Write all nodes; return what the results are."""
        value = self._demand(body)
        if isinstance(value, tuple):
            return list(value)
        return [value]

    def _demand(self, root: Expr) -> _Value:
        """Write what computes ``root``, without recursion, and return what it is."""
        values = self._values
        stack: list[Expr] = [root]
        while stack:
            expr = stack[-1]
            if expr in values:
                stack.pop()
                continue
            if type(expr) is Let:
                stack += self._enter_let(expr)
                if stack[-1] is expr:
                    values[expr] = values[expr.body]
                    stack.pop()
                continue
            pending = [part for part in _operands(expr) if part not in values]
            if pending:
                stack += reversed(pending)
                continue
            values[expr] = self._write(expr, None)
            stack.pop()
        return values[root]

    def _enter_let(self, let: Let) -> list[Expr]:
        """Return what has to be written before the let is; its variable is bound on the way."""
        values, value = self._values, let.value
        if let.var not in values:
            first = [value] if type(value) is Let else reversed(_operands(value))
            pending = [part for part in first if part not in values]
            if pending:
                return pending
            values[let.var] = self._bind(let)
        return [] if let.body in values else [let.body]

    def _bind(self, let: Let) -> _Value:
        found = self._values.get(let.value)
        if found is None:
            found = self._values[let.value] = self._write(let.value, self._names.get(let.var))
        return found

    def _write(self, expr: Expr, name: str | None) -> _Value:
        """Write an expression whose operands are written; it is called ``name`` if that is told."""
        match expr:
            case Call():
                return self._write_call(expr, name)
            case Constant():
                return self._write_constant(expr, name)
            case TupleGetItem():
                return self._write_projection(expr, name)
            case Tuple():
                return tuple([self._values[field] for field in expr.fields]) if expr.fields else ""
            case Function():
                return expr
            case Var():
                raise ModelError(f"the variable {expr.name_hint!r} is bound by nothing")
        raise ModelError(
            f"{describe(expr)} cannot be written as a node of ONNX; expected calls of its "
            f"operators, constants and tuples; for operators of Relay see to_onnx"
        )

    def _write_constant(self, constant: Constant, name: str | None) -> str:
        if as_array(constant.data) is None:
            raise ModelError(
                f"the constant {describe(constant)} is no tensor, which initializers of ONNX are"
            )
        if name is None:
            name = self._fresh("constant" if constant.span is None else constant.span.source_name)
        self._add_initializer(constant, name)
        return name

    def _add_initializer(self, constant: Constant, name: str) -> None:
        array = as_array(constant.data)
        assert array is not None
        if hasattr(self._graph, "initializer"):
            self._graph.initializer.append(self._model.store(array, name))
            return
        node = self._graph.node.add(op_type="Constant", output=[name])  # functions have none
        node.attribute.extend(attributes_to_protos({"value": array}, {}, name))

    def _write_projection(self, item: TupleGetItem, name: str | None) -> _Value:
        whole = self._values[item.tuple_value]
        if isinstance(whole, tuple):
            return whole[item.index]
        if not isinstance(whole, _Node):
            raise ModelError(f"{describe(item)} takes a part of what has no parts")
        outputs = whole.proto.output
        if not outputs[item.index]:
            outputs[item.index] = (
                self._fresh(f"{whole.name}_{item.index}") if name is None else name
            )
            self._note_details(whole.proto)
        return str(outputs[item.index])

    def _write_call(self, call: Call, name: str | None) -> _Value:
        op_type, domain, overload, declared = self._callee(call)
        where = f"a call of {op_type}"
        attributes = attributes_of(call)
        if op_type == "Constant" and name in self._sparse and "sparse_value" in attributes:
            value = attributes["sparse_value"]
            assert isinstance(value, DictAttrs)
            self._graph.sparse_initializer.append(sparse_to_proto(value))
            return str(name)
        inputs = [_as_name(self._values[each], where) for each in inputs_of(call)]
        node = load_onnx().NodeProto()
        node.op_type = op_type
        if domain:
            node.domain = domain
        if overload:
            node.overload = overload
        if call.span is not None:
            node.name = call.span.source_name
        node.input.extend(inputs)
        node.attribute.extend(attributes_to_protos(attributes, declared, where))
        captured = tuple([self._values[each] for each in captures_of(call)])
        for key, graph in graphs_of(call).items():
            self._write_graph(node, key, self._values[graph], captured)
        count = count_outputs(call.attrs)
        found: _Value
        if count == 1:
            found = self._fresh(op_type) if name is None else name
            node.output.append(found)
        else:
            node.output.extend([""] * count)
        self._graph.node.append(node)
        kept = self._graph.node[-1]
        if count == 1:
            self._note_details(kept)
            return str(kept.output[0])
        return _Node(kept, name or op_type)

    def _callee(self, call: Call) -> tuple[str, str, str, Mapping[str, int]]:
        if type(call.op) is GlobalVar:
            function = self._model.functions.get(call.op.name_hint)
            if function is None:
                raise ModelError(f"@{call.op.name_hint} is called, and the module does not have it")
            told = function.attrs.get(info.FUNCTION) if function.attrs is not None else None
            if isinstance(told, DictAttrs):
                return str(told["name"]), str(told["domain"]), str(told["overload"]), {}
            domain, _, rest = call.op.name_hint.partition("::")
            return (rest, domain, "", {}) if rest else (domain, "functions", "", {})
        identity = identity_of(call.op)
        if identity is None:
            raise ModelError(
                f"{describe(call)} calls what is no operator of ONNX; expected those of the domain "
                f"onnx"
            )
        self._model.check_opset(identity, self._opsets)
        return identity.name, identity.domain, "", attribute_kinds(identity)

    def _write_graph(
        self, node: Any, key: str, graph: _Value, captured: tuple[_Value, ...]
    ) -> None:  # Any: a NodeProto
        if not isinstance(graph, Function):
            raise ModelError(f"graph {key!r} of a node of type {node.op_type} is no function")
        name, bracket, _ = key.partition("[")
        held = next((each for each in node.attribute if each.name == name), None)
        if held is None:
            held = node.attribute.add(name=name)
            held.type = _GRAPHS if bracket else _GRAPH
        inner = held.graphs.add() if bracket else held.g
        GraphWriter(self._model, self._opsets).fill(inner, graph, captured)

    def _note_details(self, node: Any) -> None:  # Any: a NodeProto
        first = next((name for name in node.output if name), "")
        details = self._details.get(first) if first else None
        if isinstance(details, DictAttrs) and not node.doc_string and not node.metadata_props:
            if details.get("doc_string"):
                node.doc_string = str(details["doc_string"])
            fill_properties(node, details.get("metadata"))

    def _end(self, function: Function, results: list[_Value]) -> list[str]:
        """Return the names of outputs, once each of them has the name it has to have."""
        names: list[str] = []
        for result, wanted in zip(results, _output_names(function, len(results)), strict=True):
            name = _as_name(result, "the outputs")
            if not wanted:
                wanted = name if name not in names else self._fresh(name)  # noqa: PLW2901
            if name != wanted:
                self._model.check_opset(identify("Identity", self._model.opsets.get("", 13)))
                self._graph.node.add(op_type="Identity", input=[name], output=[wanted])
            names.append(wanted)
        return names

    def _add_value(
        self, values: Any, name: str, ty: object, attrs: DictAttrs
    ) -> None:  # Any: ValueInfoProtos
        proto = values.add(name=name)
        if isinstance(ty, Type) and not isinstance(ty, UnknownType):
            proto.type.CopyFrom(type_to_proto(ty))
        self._fill_value(proto, attrs)

    def _fill_value(self, proto: Any, attrs: DictAttrs) -> None:  # Any: a ValueInfoProto
        told = attrs.get(info.VALUES)
        details = told.get(proto.name) if isinstance(told, DictAttrs) else None
        if isinstance(details, DictAttrs):
            if details.get("doc_string"):
                proto.doc_string = str(details["doc_string"])
            fill_properties(proto, details.get("metadata"))

    def _fill_graph(self, graph: Any, attrs: DictAttrs) -> None:  # Any: a GraphProto
        graph.name = str(attrs.get(info.NAME, "main"))
        if attrs.get(info.DOC_STRING):
            graph.doc_string = str(attrs[info.DOC_STRING])
        fill_properties(graph, attrs.get(info.METADATA))
        self._fill_value_info(graph, attrs)
        annotations: Any = attrs.get(info.QUANTIZATION, ())  # Any: attributes are of any class
        for name, parameters in annotations:
            annotation = graph.quantization_annotation.add(tensor_name=name)
            for key, value in parameters:
                annotation.quant_parameter_tensor_names.add(key=key, value=value)

    def _fill_value_info(self, graph: Any, attrs: DictAttrs) -> None:  # Any: a proto
        """Write the types of values: those inferred, else those the model was read with."""
        told = attrs.get(info.VALUE_INFO)
        if not isinstance(told, DictAttrs):
            return
        given = {name for node in graph.node for name in node.output}
        given.update(each.name for each in getattr(graph, "initializer", ()))
        for name, ty in told.items():
            if name in given:
                self._add_value(graph.value_info, name, ty, attrs)


_GRAPH: Final = 5
_GRAPHS: Final = 10


def _operands(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Call():
            return expr.args
        case Tuple():
            return expr.fields
        case TupleGetItem():
            return (expr.tuple_value,)
    return ()


def _output_names(function: Function, count: int) -> tuple[str, ...]:
    told = None if function.attrs is None else function.attrs.get(info.OUTPUTS)
    if isinstance(told, tuple) and len(told) == count:
        return told
    return ("",) * count


def _as_name(value: _Value, where: str) -> str:
    if isinstance(value, str):
        return value
    raise ModelError(
        f"{where} use a value that is no tensor, sequence or map, but several of them or a "
        f"function; take a part of it, or pass it as a graph"
    )


def fill_properties(proto: Any, properties: object) -> None:  # Any: what has metadata_props
    """Write the metadata of a part of a model."""
    if isinstance(properties, DictAttrs):
        for key, value in properties.items():
            proto.metadata_props.add(key=key, value=str(value))
