"""Graphs of models as diagrams: a box for each node, input and output, an edge for each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from relayish.cli.onnx.statistics import CONSTANT, operator_name
from relayish.onnx.element_types import ELEMENT_TYPES

MOST_CHARACTERS: Final = 36
"""Of a line in a box; what is longer is cut, and told where the pointer rests."""


@dataclass(frozen=True, slots=True)
class Box:
    """What is drawn as a rectangle.

    Attributes:
        kind: ``node``, ``input`` or ``output``.
        title: Its first line: an operator, or a name.
        lines: Those below.
        details: What is told where the pointer rests.
    """

    kind: str
    title: str
    lines: tuple[str, ...] = ()
    details: str = ""


@dataclass(slots=True)
class Diagram:
    """A graph to be drawn.

    Attributes:
        title: What it is.
        boxes: Its boxes, each behind those it hangs on.
        edges: Pairs of their numbers, and what is written where each begins.
    """

    title: str
    boxes: list[Box] = field(default_factory=list)
    edges: list[tuple[int, int, str]] = field(default_factory=list)


def diagrams_of(proto: Any) -> list[Diagram]:  # Any: a ModelProto, which onnx does not type
    """Return a diagram of the graph of a model, of those within its nodes, and of its functions."""
    found = list(_diagrams(proto.graph, proto.graph.name or "graph"))
    for function in proto.functions:
        title = f"function {function.domain}.{function.name}"
        found += _diagrams(_FunctionGraph(function), title)
    return found


class _FunctionGraph:
    """A function of a model as if it were a graph: its inputs and outputs have names alone."""

    def __init__(self, function: Any) -> None:  # Any: a FunctionProto
        self.node = function.node
        self.initializer: tuple[Any, ...] = ()  # Any: as in a graph
        self.value_info = function.value_info
        self.input = [_Named(name) for name in function.input]
        self.output = [_Named(name) for name in function.output]


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    type: None = None


def _diagrams(graph: Any, title: str) -> Iterator[Diagram]:  # Any: a GraphProto
    yield _Drawer(graph, title).diagram
    for node in graph.node:
        for attribute in node.attribute:
            inner = [attribute.g] if attribute.HasField("g") else list(attribute.graphs)
            for number, each in enumerate(inner):
                place = f"[{number}]" if len(inner) > 1 else ""
                named = node.name or f"{node.op_type} of {node.output[0]}"
                yield from _diagrams(each, f"{named}: {attribute.name}{place}")


class _Drawer:
    """Makes the diagram of one graph."""

    def __init__(self, graph: Any, title: str) -> None:  # Any: a GraphProto
        self.diagram = Diagram(title)
        self._source: dict[str, int] = {}
        self._labelled: set[str] = set()
        self._types = {
            each.name: shown
            for each in (*graph.value_info, *graph.input, *graph.output)
            if (shown := show_type(each.type))
        }
        self._constants = {each.name: show_tensor(each) for each in graph.initializer}
        for each in graph.input:
            if each.name not in self._constants:
                self._source[each.name] = self._add(
                    Box("input", each.name, _lines(self._types.get(each.name, "")))
                )
        for node in graph.node:
            self._add_node(node)
        for each in graph.output:
            box = self._add(Box("output", each.name, _lines(self._types.get(each.name, ""))))
            self._connect(each.name, box)

    def _add(self, box: Box) -> int:
        self.diagram.boxes.append(box)
        return len(self.diagram.boxes) - 1

    def _add_node(self, node: Any) -> None:  # Any: a NodeProto
        if node.op_type == CONSTANT and not node.domain:
            held = [show_tensor(each.t) for each in node.attribute if each.HasField("t")]
            self._constants[node.output[0]] = held[0] if held else show_attributes(node)
            return
        constants = [
            f"{name}: {self._constants[name]}" for name in node.input if name in self._constants
        ]
        details = [node.name, *constants, show_attributes(node)]
        lines = [_cut(self._constants[n]) for n in node.input if n in self._constants]
        box = self._add(
            Box(
                "node",
                operator_name(node),
                tuple(lines[:3]),
                "\n".join([line for line in details if line]),
            )
        )
        for name in dict.fromkeys(node.input):
            self._connect(name, box)
        self._source.update({name: box for name in node.output if name})

    def _connect(self, name: str, box: int) -> None:
        """Draw an edge from what gives a value; what lies outside of the graph has none."""
        source = self._source.get(name)
        if source is None:
            return
        is_told = name in self._labelled or self.diagram.boxes[source].kind == "input"
        label = "" if is_told else self._types.get(name, "")
        self._labelled.add(name)
        self.diagram.edges.append((source, box, label))


def show_type(proto: Any) -> str:  # Any: a TypeProto, or None
    """Return a type in few characters: ``float32[1, 3, h, w]``; empty if nothing is known."""
    case = None if proto is None else proto.WhichOneof("value")
    if case == "tensor_type":
        name = ELEMENT_TYPES.get(proto.tensor_type.elem_type, "?")
        if not proto.tensor_type.HasField("shape"):
            return name
        dims = proto.tensor_type.shape.dim
        return f"{name}[{', '.join(_show_dim(each) for each in dims)}]"
    if case == "sequence_type":
        return f"sequence of {show_type(proto.sequence_type.elem_type) or '?'}"
    if case == "optional_type":
        return f"optional {show_type(proto.optional_type.elem_type) or '?'}"
    if case == "map_type":
        key = ELEMENT_TYPES.get(proto.map_type.key_type, "?")
        return f"map of {key} to {show_type(proto.map_type.value_type) or '?'}"
    return case.removesuffix("_type") if case else ""


def _show_dim(dim: Any) -> str:  # Any: a dimension of a TensorShapeProto
    if dim.WhichOneof("value") == "dim_value":
        return str(dim.dim_value) if dim.dim_value >= 0 else "?"
    return dim.dim_param or "?"


def show_tensor(tensor: Any) -> str:  # Any: a TensorProto
    """Return element type and shape of a tensor: ``float32[16, 3, 3, 3]``."""
    return f"{ELEMENT_TYPES.get(tensor.data_type, '?')}[{', '.join(map(str, tensor.dims))}]"


def show_attributes(node: Any) -> str:  # Any: a NodeProto
    """Return the attributes of a node, but for its graphs, a line each."""
    return "\n".join(f"{name} = {value}" for name, value in attribute_texts(node).items())


def attribute_texts(node: Any) -> Mapping[str, str]:  # Any: a NodeProto
    """Return the attributes of a node by name, as they are shown, graphs left out."""
    shown = {}
    for each in node.attribute:
        if each.ref_attr_name:
            shown[each.name] = f"@{each.ref_attr_name}"
        elif each.HasField("t"):
            shown[each.name] = show_tensor(each.t)
        elif not each.HasField("g") and not each.graphs:
            shown[each.name] = _plain_value(each)
    return shown


def _plain_value(attribute: Any) -> str:  # Any: an AttributeProto
    for name in ("i", "f", "s"):
        if attribute.HasField(name):
            return _show_value(getattr(attribute, name))
    values = [*attribute.ints, *attribute.floats, *attribute.strings]
    return f"[{', '.join(map(_show_value, values))}]"


def _show_value(value: object) -> str:
    if isinstance(value, bytes):
        return repr(value.decode("utf-8", "backslashreplace"))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _lines(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
