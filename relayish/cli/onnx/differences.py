"""Differences of two models: facts, operators by count, constants and nodes one by one.

Nodes are told apart by what they give: one that gives a value of the same name in both is the same
node, and may have changed. One that gives a value of another name is the same where it computes the
same of the same.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from relayish.cli.differences import CONSTANT, Change, are_same, largest_difference, sections
from relayish.cli.onnx.protos import attribute_texts, show_type
from relayish.cli.onnx.reading import ModelFile
from relayish.cli.onnx.statistics import graphs_of, operator_name
from relayish.cli.onnx.summary import FACTS, summarise
from relayish.onnx.protos.files import DataFiles
from relayish.onnx.protos.tensors import array_of_proto
from relayish.text.relay.brief_text import ConstantNames

_DOCUMENTATION: Final = "description"
"""The fact that is documentation."""
_SHORT: Final = 24
"""Elements of which the text is no longer are told in place of a digest."""
_FEW: Final = 8
"""So many elements are told one by one where values are asked for."""
_MANY: Final = 3
"""So many constants of a node, or more, that one model alone has are counted."""


def diff_models(
    before: ModelFile,
    after: ModelFile,
    *,
    types: bool = False,
    metadata: bool = False,
    values: bool = False,
    names: bool = False,
) -> Iterator[Change]:
    """Yield what differs between two models; nothing if nothing does.

    Args:
        before: The first.
        after: The second.
        types: Whether types of values within a graph are compared.
        metadata: Whether documentation and metadata are.
        values: Whether constants and attributes are told in full.
        names: Whether another name of a value within a graph makes it another one.

    Complexity:
        Linear in the nodes, and the bytes of tensors.
    """
    facts = [_facts(each, metadata) for each in (before, after)]
    yield from sections("", *facts)
    if types:
        yield from sections("value", *[_types(each.proto) for each in (before, after)])
    sides = _Side(before), _Side(after)
    if not names:
        sides[1].rename(_same_names(*sides))
    yield from _diff_constants(*sides, values)
    yield from _diff_nodes(*sides, values)


def _facts(model: ModelFile, metadata: bool) -> dict[str, str]:
    told = summarise(model.proto, model.name)
    facts = {name: str(text) for name, text in told.items() if name in FACTS}
    if metadata:
        facts.update({f"metadata {key}": value for key, value in told["metadata"].items()})
    else:
        facts.pop(_DOCUMENTATION, None)
    facts.update({f"input {each['name']}": each["type"] for each in told["inputs"]})
    facts.update({f"output {each['name']}": each["type"] for each in told["outputs"]})
    facts.update({f"function {name}": "there" for name in told["functions"]})
    return facts


def _types(model: Any) -> dict[str, str]:  # Any: a ModelProto, which onnx does not type
    return {each.name: show_type(each.type) for each in model.graph.value_info}


class _Node(NamedTuple):
    """A node: what it gives, of what it is made, and where it stands.

    Attributes:
        operator: The name of its operator.
        inputs: Names of values.
        attributes: As they are told, by name.
        outputs: Names of values.
        where: Of which graph, ``""`` for that of the model.
    """

    operator: str
    inputs: Sequence[str]
    attributes: Mapping[str, str]
    outputs: Sequence[str]
    where: str

    def text(self, inputs: Sequence[str], attributes: Mapping[str, str]) -> str:
        """Return what it is, with these inputs and attributes told."""
        shown = ", ".join(f"{name}={attributes[name]}" for name in sorted(attributes))
        called = f"{self.operator}({', '.join(inputs)})"
        more = f" -> {', '.join(self.outputs)}" if len(self.outputs) > 1 else ""
        return f"{called}{{{shown}}}{more}" if shown else f"{called}{more}"


class _Side:
    """One of two models.

    Attributes:
        constants: Initializers by name.
        nodes: Nodes by the name of the first value each gives, with its graph before it.
    """

    def __init__(self, model: ModelFile) -> None:
        self._shown = ConstantNames()
        files = DataFiles.beside(Path(model.path))
        self.constants = {
            tensor.name: array_of_proto(tensor, files, f"tensor {tensor.name!r}")
            for _, initializers in graphs_of(model.proto)
            for tensor in initializers
        }
        self.nodes = {
            f"{where}{first}": node for where, first, node in self._nodes(model.proto, files)
        }

    def show(self, array: Any, *, values: bool = False) -> str:  # Any: an array
        """Return type and shape of elements, and what tells them: themselves, or a digest."""
        shown = self._shown.of(array)
        held = str(array.tolist()) if array.size <= _FEW else ""
        if held and (values or len(held) <= _SHORT):
            return f"{shown.rpartition('#')[0] or shown} {held}"
        return shown

    def rename(self, names: Mapping[str, str]) -> None:
        """Call values of the graph of the model otherwise."""
        self.constants = {names.get(name, name): each for name, each in self.constants.items()}
        self.nodes = {
            names.get(first, first): node._replace(
                inputs=[names.get(name, name) for name in node.inputs],
                outputs=[names.get(name, name) for name in node.outputs],
            )
            for first, node in self.nodes.items()
        }

    def _nodes(
        self, proto: Any, files: DataFiles
    ) -> Iterator[tuple[str, str, _Node]]:  # Any: a ModelProto
        todo = [(proto.graph.node, "")]
        todo += [(each.node, f"{each.domain}.{each.name}/") for each in reversed(proto.functions)]
        while todo:
            nodes, where = todo.pop()
            for number, node in enumerate(nodes):
                first = next((name for name in node.output if name), f"#{number}")
                attributes = dict(attribute_texts(node))
                for attribute in node.attribute:
                    if attribute.HasField("t"):
                        array = array_of_proto(attribute.t, files, f"tensor of {first!r}")
                        attributes[attribute.name] = self.show(array)
                    graphs = [attribute.g] if attribute.HasField("g") else attribute.graphs
                    inside = f"{where}{first}.{attribute.name}"
                    todo += [
                        (each.node, f"{inside}{'' if attribute.HasField('g') else f'[{place}]'}/")
                        for place, each in enumerate(graphs)
                    ]
                operator = operator_name(node)
                yield (
                    where,
                    first,
                    _Node(operator, list(node.input), attributes, list(node.output), where),
                )


def _same_names(before: _Side, after: _Side) -> dict[str, str]:
    """Return what values of the second model are called in the first, where that is otherwise.

    A constant is the same by its elements, a node of the graph of the model by its operator, its
    attributes and what it takes.
    """
    names: dict[str, str] = {}
    waiting: dict[object, deque[Sequence[str]]] = defaultdict(deque)
    for name, array in before.constants.items():
        if name not in after.constants:
            waiting[before.show(array)].append([name])
    for first, node in before.nodes.items():
        if not node.where and first not in after.nodes:
            waiting[_key(node, {})].append(node.outputs)
    for name, array in after.constants.items():
        found = waiting.get(after.show(array))
        if name not in before.constants and found:
            (same,) = found[0]
            if are_same(before.constants[same], array):
                names[name] = same
                found.popleft()
    for first, node in after.nodes.items():
        if node.where or first in before.nodes:
            continue
        found = waiting.get(_key(node, names))
        if found:
            names.update(zip(node.outputs, found.popleft(), strict=True))
    return names


def _key(node: _Node, names: Mapping[str, str]) -> object:
    inputs = tuple([names.get(name, name) for name in node.inputs])
    return node.operator, inputs, tuple(sorted(node.attributes.items())), len(node.outputs)


def _diff_constants(before: _Side, after: _Side, values: bool) -> Iterator[Change]:
    for name, was in before.constants.items():
        now = after.constants.get(name)
        if now is None:
            yield Change(CONSTANT, name, before.show(was, values=values), None)
        elif not are_same(was, now):
            difference = largest_difference(was, now)
            note = "" if difference is None else f"largest difference {difference:.2g}"
            shown = before.show(was, values=values), after.show(now, values=values)
            yield Change(CONSTANT, name, *shown, note)
    for name, now in after.constants.items():
        if name not in before.constants:
            yield Change(CONSTANT, name, None, after.show(now, values=values))


def _diff_nodes(before: _Side, after: _Side, values: bool) -> Iterator[Change]:
    lonely = before.constants.keys() ^ after.constants.keys()
    full = [
        {name: node.text(node.inputs, node.attributes) for name, node in side.nodes.items()}
        for side in (before, after)
    ]
    for change in sections("node", *full):
        old, new = before.nodes.get(change.name), after.nodes.get(change.name)
        brief = [_brief(old, new, lonely), _brief(new, old, lonely)]
        is_full = values or brief[0] == brief[1]
        yield change if is_full else replace(change, before=brief[0], after=brief[1])


def _brief(node: _Node | None, other: _Node | None, lonely: Any) -> str | None:  # Any: names
    """Return what a node is, in comparison with another one that stands in its place.

    Attributes are told where the other is of the same operator, and has others; many constants
    that one of the models alone has are counted.
    """
    if node is None:
        return None
    attributes = {}
    if other is not None and other.operator == node.operator:
        attributes = {
            name: text
            for name, text in node.attributes.items()
            if other.attributes.get(name) != text
        }
    count = sum(name in lonely for name in node.inputs)
    inputs = node.inputs
    if count >= _MANY:
        inputs = [*[name for name in inputs if name not in lonely], f"{count} constants"]
    return node.text(inputs, attributes)
