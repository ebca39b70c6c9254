"""Functions as graphs of ONNX: a node for each call, in the order of the lets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from relayish.analysis import free_vars
from relayish.errors import ModelError
from relayish.frontend.onnx.external import as_array
from relayish.frontend.onnx.model_writer import ModelWriter
from relayish.frontend.onnx.names import Names, NodeNames
from relayish.frontend.onnx.written import Node, Value, as_name, operands_of, output_names
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.span import name_of_span
from relayish.ir.relay import expr as kinds
from relayish.ir.relay.type import Type
from relayish.onnx import info
from relayish.onnx.calls import attributes_of, captures_of, count_outputs, graphs_of, inputs_of
from relayish.onnx.operator_sets import attribute_kinds, is_optional_output
from relayish.onnx.operators import identity_of
from relayish.onnx.protos.attributes import (
    GRAPH,
    GRAPHS,
    TENSOR,
    attributes_to_protos,
    fill_attribute,
    sparse_to_proto,
)
from relayish.onnx.reading.node_order import DEEPEST
from relayish.onnx.reading.notes import (
    write_function_notes,
    write_graph_notes,
    write_node_notes,
    write_value,
    write_value_info,
)
from relayish.onnx.value_types import known_type, merge_types, part_types


class GraphWriter:
    """Writes one graph, and those in its nodes by writers of their own.

    Attributes:
        depth: In how many graphs it stands.
        names: The names of its values.
        values: What expressions are in it.
    """

    def __init__(self, model: ModelWriter, outer: GraphWriter | None = None) -> None:
        self._model = model
        self._outer = outer
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.names: Names = Names(None if outer is None else outer.names)
        self._hints: dict[kinds.Expr, str] = {}
        self.values: dict[kinds.Expr, Value] = {}
        self._types: dict[str, Type] = {}
        self._graph: Any = None  # Any: a GraphProto or a FunctionProto
        self._attrs: DictAttrs = DictAttrs()
        self._wanted: list[str] = []
        self._projected: dict[tuple[kinds.Expr, int], str] = {}
        self._node_names = NodeNames()
        if self.depth > DEEPEST:
            raise ModelError(
                f"graphs of the module are nested more than {DEEPEST} deep; expected no more, "
                f"since protobuf reads no file that holds them"
            )

    def fill(
        self, graph: Any, function: kinds.Function, captured: Sequence[Value] = ()
    ) -> None:  # Any: a GraphProto
        """Write ``function`` into ``graph``; ``captured`` is what its last parameters are."""
        self._begin(graph, function)
        count = len(function.params) - len(captured)
        for param, value in zip(function.params[count:], captured, strict=True):
            self._capture(param, value)
        self._capture_free(function)
        self._name_parts(function, count)
        defaults = self._attrs.get(info.DEFAULTS)
        for param in function.params[:count]:
            name = self._hints[param]
            self._enter(param, name)
            write_value(graph.input, name, known_type(param.type_annotation), self._attrs)
            default = defaults.get(param.name_hint) if isinstance(defaults, DictAttrs) else None
            if isinstance(default, kinds.Constant):
                self._write_initializer(default, name)
        results = self._write_body(function.body)
        self._write_outputs(graph, function, results)
        write_graph_notes(graph, self._attrs)
        write_value_info(graph, self._attrs, self._types)

    def fill_function(self, proto: Any, name: str, function: kinds.Function) -> None:
        """Write ``function`` into a ``FunctionProto``. Any: that."""
        self._begin(proto, function)
        domain, rest, overload = self._model.identify_function(name)
        proto.domain, proto.name = domain, rest
        if overload:
            proto.overload = overload
        told = self._attrs.get(info.FUNCTION)
        if isinstance(told, DictAttrs):
            names: Any = told["attributes"]  # Any: attributes are of any class
            proto.attribute.extend(names)
            defaults: Any = told["defaults"]  # Any: as above
            proto.attribute_proto.extend(attributes_to_protos(dict(defaults.items()), {}, name))
        for each, version in self._model.opsets_of(function).items():
            proto.opset_import.add(domain=each, version=version)
        self._name_parts(function, len(function.params))
        for param in function.params:
            self._enter(param, self._hints[param])
            proto.input.append(self._hints[param])
        results = self._write_body(function.body)
        proto.output.extend(self._name_results(results))
        write_function_notes(proto, self._attrs)
        write_value_info(proto, self._attrs, self._types)

    def _begin(self, graph: Any, function: kinds.Function) -> None:  # Any: a proto
        self._graph = graph
        if isinstance(function.attrs, DictAttrs):
            self._attrs = function.attrs

    def _capture(self, var: kinds.Expr, value: Value) -> None:
        self.values[var] = value
        if isinstance(value, str):
            self.names.reserve(value)

    def _capture_free(self, function: kinds.Function) -> None:
        """Let a function use variables from outside that nobody passes to it."""
        outer = self._outer
        if outer is not None:
            for var in free_vars(function):
                if var in outer.values:
                    self._capture(var, outer.values[var])

    def _name_parts(self, function: kinds.Function, count: int) -> None:
        """Choose names of parameters and variables, first those that outputs have to have."""
        bound: dict[kinds.Expr, kinds.Expr] = {}
        tail: kinds.Expr = function.body
        while type(tail) is kinds.Let:
            bound[tail.var] = tail.value
            tail = tail.body
        for param in function.params[:count]:
            self._hints[param] = self.names.choose(param.name_hint, is_input=True)
        results = tail.fields if type(tail) is kinds.Tuple else (tail,)
        self._wanted = output_names(function, len(results))
        for place, result in enumerate(results):
            self._name_result(place, result, bound)
        for var, value in bound.items():
            if var not in self._hints and type(var) is kinds.Var and type(value) is not kinds.Var:
                self._hints[var] = self.names.choose(var.name_hint)
        repeated: Any = self._attrs.get(info.REPEATED, ())  # Any: attributes are of any class
        told = [name_of_span(value.span) for value in bound.values() if type(value) is kinds.Call]
        self._node_names = NodeNames(told, repeated)
        for var, each in (*bound.items(), *[(each, each) for each in results]):
            if type(each) is kinds.TupleGetItem:
                whole = each.tuple_value
                while type(whole) is kinds.Var and whole in bound:
                    whole = bound[whole]
                self._projected[whole, each.index] = self._hints.get(var, "")

    def _name_result(
        self, place: int, result: kinds.Expr, bound: dict[kinds.Expr, kinds.Expr]
    ) -> None:
        wanted, origin = self._wanted[place], result
        while type(bound.get(origin)) is kinds.Var:
            origin = bound[origin]
        if not wanted or wanted == self._hints.get(origin) or wanted == self.values.get(origin):
            return
        if not self.names.is_free(wanted):
            self._wanted[place] = ""
            return
        self.names.reserve(wanted)
        if origin not in self._hints and origin not in self.values:
            self._hints[origin] = wanted

    def _enter(self, param: kinds.Expr, name: str) -> None:
        self.values[param] = name
        self.names.write(name)

    def _write_body(self, body: kinds.Expr) -> list[Value]:
        """Write all nodes; return what the results are."""
        value = self._demand(body)
        if isinstance(value, Node):
            return [self._name_output(value, place, None) for place in range(len(value.types))]
        if not isinstance(value, (tuple, kinds.Function)) and not value:
            return []  # of the empty tuple
        return list(value) if isinstance(value, tuple) else [value]

    def _demand(self, root: kinds.Expr) -> Value:
        """Write what computes ``root``, without recursion, and return what it is."""
        values = self.values
        stack: list[kinds.Expr] = [root]
        while stack:
            expr = stack[-1]
            if expr in values:
                stack.pop()
                continue
            if type(expr) is kinds.Let:
                stack += self._enter_let(expr)
                if stack[-1] is expr:
                    values[expr] = values[expr.body]
                    stack.pop()
                continue
            pending = [part for part in operands_of(expr) if part not in values]
            if pending:
                stack += reversed(pending)
                continue
            values[expr] = self._write(expr, self._hints.get(expr))
            stack.pop()
        return values[root]

    def _enter_let(self, let: kinds.Let) -> list[kinds.Expr]:
        """Return what has to be written before the let is; its variable is bound on the way."""
        values, value = self.values, let.value
        if let.var not in values:
            first = [value] if type(value) is kinds.Let else reversed(operands_of(value))
            pending = [part for part in first if part not in values]
            if pending:
                return pending
            values[let.var] = self._bind(let)
        return [] if let.body in values else [let.body]

    def _bind(self, let: kinds.Let) -> Value:
        found = self.values.get(let.value)
        if found is None:
            found = self.values[let.value] = self._write(let.value, self._hints.get(let.var))
        return found

    def _write(self, expr: kinds.Expr, name: str | None) -> Value:
        """Write an expression whose operands are written; it is called ``name`` if that is told."""
        match expr:
            case kinds.Call():
                return self._write_call(expr, name)
            case kinds.Constant():
                return self._write_constant(expr, name)
            case kinds.TupleGetItem():
                return self._write_projection(expr, name)
            case kinds.Tuple():
                return tuple([self.values[field] for field in expr.fields]) if expr.fields else ""
            case kinds.Function():
                return expr
            case kinds.Var():
                raise ModelError(
                    f"the variable {expr.name_hint!r} is bound by nothing; expected a parameter, "
                    f"or a let around its uses"
                )
        raise ModelError(
            f"{describe(expr)} cannot be written as a node of ONNX; expected calls of its "
            f"operators, constants and tuples"
        )

    def _write_constant(self, constant: kinds.Constant, name: str | None) -> str:
        if as_array(constant.data) is None:
            raise ModelError(
                f"the constant {describe(constant)} is no tensor; expected one, which initializers "
                f"of ONNX are"
            )
        if name is None:
            name = self.names.choose_fresh(name_of_span(constant.span) or "constant")
        self._write_initializer(constant, name)
        self.names.write(name)
        return name

    def _write_initializer(self, constant: kinds.Constant, name: str) -> None:
        array = as_array(constant.data)
        assert array is not None
        if hasattr(self._graph, "initializer"):
            self._model.store(self._graph.initializer.add(), array, name)
            return
        node = self._graph.node.add(op_type="Constant", output=[name])  # functions have none
        held = node.attribute.add(name="value", type=TENSOR)
        self._model.store(held.t, array, "")

    def _write_projection(self, item: kinds.TupleGetItem, name: str | None) -> Value:
        whole = self.values[item.tuple_value]
        if isinstance(whole, tuple) and item.index < len(whole):
            return whole[item.index]
        if not isinstance(whole, Node) or item.index >= len(whole.types):
            raise ModelError(
                f"{describe(item)} takes part {item.index} of what has no such part; expected a "
                f"call of several outputs, or a tuple"
            )
        return self._name_output(whole, item.index, name)

    def _name_output(self, node: Node, place: int, name: str | None) -> str:
        """Return how an output of a node is called, which is ``name`` if it has no name yet."""
        outputs = node.proto.output
        if not outputs[place]:
            chosen = self.names.choose_fresh(f"{node.name}_{place}") if name is None else name
            outputs[place] = chosen
            self._note_output(chosen, node.types[place])
            write_node_notes(node.proto, self._details().get(chosen))
        return str(outputs[place])

    def _details(self) -> DictAttrs:
        details = self._attrs.get(info.NODES)
        return details if isinstance(details, DictAttrs) else _NO_ATTRS

    def _note_output(self, name: str, ty: Type | None) -> None:
        self.names.write(name)
        if ty is not None:
            self._types[name] = ty

    def _write_call(self, call: kinds.Call, name: str | None) -> Value:
        op_type, domain, overload, declared = self._callee(call)
        where = f"a call of {op_type}"
        attributes = attributes_of(call)
        sparse = attributes.get("sparse_value")
        if isinstance(sparse, DictAttrs) and name is not None and self._is_sparse(op_type, name):
            self._graph.sparse_initializer.append(sparse_to_proto(sparse))
            self.names.write(name)
            return name
        inputs = [as_name(self.values[each], where) for each in inputs_of(call)]
        while inputs and not inputs[-1] and type(call.op) is kinds.GlobalVar:
            inputs.pop()  # a function may be given fewer than it takes
        captured = [self.values[each] for each in captures_of(call)]
        node = self._graph.node.add(op_type=op_type, input=inputs)
        if domain:
            node.domain = domain
        if overload:
            node.overload = overload
        called = self._node_names.choose(name_of_span(call.span))
        if called:
            node.name = called
        for key, value in attributes.items():
            fill_attribute(node.attribute.add(), key, value, declared.get(key), where)
        for key, graph in graphs_of(call).items():
            self._write_graph(node, key, self.values[graph], captured)
        count = count_outputs(call.attrs)
        types = part_types(call.checked_type, count)
        if count != 1:
            node.output.extend([""] * count)
            several = Node(node, name or op_type, types)
            self._name_unused_outputs(call, several)
            return several
        found = self.names.choose_fresh(op_type) if name is None else name
        node.output.append(found)
        self._note_output(found, types[0])
        write_node_notes(node, self._details().get(found))
        return found

    def _name_unused_outputs(self, call: kinds.Call, node: Node) -> None:
        """Give names to outputs that nobody uses, and that a node may not leave out."""
        identity = identity_of(call.op)
        places = range(len(node.types))
        unused = [place for place in places if (call, place) not in self._projected]
        if identity is None or not unused:
            return
        left_out: Any = self._attrs.get(info.LEFT_OUT, ())  # Any: attributes are of any class
        if left_out and any(self._projected.get((call, place)) in left_out for place in places):
            return
        for place in unused:
            if not is_optional_output(identity, place):
                self._name_output(node, place, None)

    def _is_sparse(self, op_type: str, name: str) -> bool:
        """Return whether a constant was a sparse initializer when it was read."""
        names: Any = self._attrs.get(info.SPARSE, ())  # Any: attributes are of any class
        return op_type == "Constant" and name in names

    def _callee(self, call: kinds.Call) -> tuple[str, str, str, Mapping[str, int]]:
        """Return type, domain and overload of a node, and the kinds of its attributes."""
        if type(call.op) is kinds.GlobalVar:
            domain, name, overload = self._model.identify_function(call.op.name_hint)
            return name, domain, overload, {}
        identity = identity_of(call.op)
        if identity is None:
            raise ModelError(
                f"{describe(call)} calls what is no operator of ONNX; expected those of the domain "
                f"onnx"
            )
        return identity.name, identity.domain, "", attribute_kinds(identity)

    def _write_graph(
        self, node: Any, key: str, graph: Value, captured: Sequence[Value]
    ) -> None:  # Any: a NodeProto
        if not isinstance(graph, kinds.Function) or len(graph.params) < len(captured):
            raise ModelError(
                f"graph {key!r} of a node of type {node.op_type} is not a function that takes the "
                f"{len(captured)} captured values; expected one"
            )
        name, bracket, _ = key.partition("[")
        held = next((each for each in node.attribute if each.name == name), None)
        if held is None:
            held = node.attribute.add(name=name, type=GRAPHS if bracket else GRAPH)
        inner = held.graphs.add() if bracket else held.g
        GraphWriter(self._model, self).fill(inner, graph, captured)

    def _name_results(self, results: list[Value]) -> list[str]:
        """Return the names of outputs, once each of them has the name it has to have."""
        names: list[str] = []
        for place, result in enumerate(results):
            name = as_name(result, "the outputs")
            wanted = self._wanted[place] if place < len(self._wanted) else ""
            if not name:
                raise ModelError(f"output {place} of a graph is missing; expected a value")
            if not wanted:  # a graph within another gives nothing but what its own nodes do
                is_outer = self._outer is not None and not self.names.is_written(name)
                is_new = name in names or is_outer
                wanted = self.names.choose_fresh(name) if is_new else name
            if name != wanted:
                self._model.need_own_operators()
                self._graph.node.add(op_type="Identity", input=[name], output=[wanted])
                self._note_output(wanted, self._types.get(name))
            names.append(wanted)
        return names

    def _write_outputs(
        self, graph: Any, function: kinds.Function, results: list[Value]
    ) -> None:  # Any: a GraphProto
        names = self._name_results(results)
        told = self._attrs.get(info.OUTPUT_TYPES)
        if not isinstance(told, tuple) or len(told) != len(names):
            told = part_types(function.ret_type, len(names))
        for name, ty in zip(names, told, strict=True):
            write_value(
                graph.output, name, merge_types(ty, self._types.pop(name, None)), self._attrs
            )


_NO_ATTRS: Final = DictAttrs()
