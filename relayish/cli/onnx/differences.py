"""Differences of two models: facts, operators by count, nodes one by one.

Nodes are told apart by what they give: one that gives a value of the same name in both is the same
node, and may have changed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from relayish.cli.onnx.protos import attribute_texts, show_tensor
from relayish.cli.onnx.reading import ModelFile
from relayish.cli.onnx.statistics import count_model, graphs_of, operator_name
from relayish.cli.onnx.summary import summarise
from relayish.onnx.protos.files import DataFiles
from relayish.onnx.protos.tensors import array_of_proto


def diff_models(before: ModelFile, after: ModelFile) -> Iterator[str]:
    """Yield lines that say how two models differ; none if they do not.

    Complexity:
        Linear in the nodes, and the bytes of tensors of the same names.
    """
    yield from _section("", _facts(before.proto), _facts(after.proto))
    yield from _counts(before.proto, after.proto)
    yield from _section("constant ", constants_of(before), constants_of(after))
    yield from _section("node ", nodes_of(before), nodes_of(after))


def _facts(model: Any) -> dict[str, str]:  # Any: a ModelProto, which onnx does not type
    summary = summarise(model)
    facts = dict(summary.facts)
    facts.update({f"metadata {key}": value for key, value in summary.metadata})
    facts.update({f"input {name}": text for name, text in summary.inputs})
    facts.update({f"output {name}": text for name, text in summary.outputs})
    facts.update({f"function {name}": "there" for name in summary.functions})
    return facts


def _counts(before: Any, after: Any) -> Iterator[str]:  # Any: as above
    old, new = count_model(before), count_model(after)
    rows = [("operators", old.total, new.total)]
    rows += [
        (f"  {name}", old.operators[name], new.operators[name])
        for name in sorted(old.operators.keys() | new.operators.keys())
    ]
    rows.append(("bytes of constants", old.constant_bytes, new.constant_bytes))
    for name, was, now in rows:
        if was != now:
            yield f"{name}: {was:,} -> {now:,}"


def _section(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield what is gone, what is new, and what is otherwise, in the order in which it stands."""
    for name, text in before.items():
        if name not in after:
            yield f"- {what}{name}: {text}"
        elif after[name] != text:
            yield f"- {what}{name}: {text}"
            yield f"+ {what}{name}: {after[name]}"
    for name, text in after.items():
        if name not in before:
            yield f"+ {what}{name}: {text}"


def nodes_of(model: ModelFile) -> dict[str, str]:
    """Return what each node is, by the name of the first value it gives, with its graph before it.

    Graphs within nodes, and functions, are told by where they stand.
    """
    found: dict[str, str] = {}
    proto, files = model.proto, DataFiles.beside(Path(model.path))
    todo = [(proto.graph.node, "")]
    todo += [(each.node, f"{each.domain}.{each.name}/") for each in reversed(proto.functions)]
    while todo:
        nodes, where = todo.pop()
        for number, node in enumerate(nodes):
            first = next((name for name in node.output if name), f"#{number}")
            found[f"{where}{first}"] = _describe(node, files)
            for attribute in node.attribute:
                graphs = [attribute.g] if attribute.HasField("g") else attribute.graphs
                inside = f"{where}{first}.{attribute.name}"
                todo += [
                    (each.node, f"{inside}/" if attribute.HasField("g") else f"{inside}[{place}]/")
                    for place, each in enumerate(graphs)
                ]
    return found


def _describe(node: Any, files: DataFiles) -> str:  # Any: a NodeProto
    attributes = dict(attribute_texts(node))
    attributes.update(
        {a.name: show_elements(a.t, files) for a in node.attribute if a.HasField("t")}
    )
    shown = ", ".join(f"{name}={attributes[name]}" for name in sorted(attributes))
    called = f"{operator_name(node)}({', '.join(node.input)})"
    more = f" -> {', '.join(node.output)}" if len(node.output) > 1 else ""
    return f"{called}{{{shown}}}{more}" if shown else f"{called}{more}"


def constants_of(model: ModelFile) -> dict[str, str]:
    """Return the initializers of a model by name: type, and what tells the elements."""
    files = DataFiles.beside(Path(model.path))
    return {
        tensor.name: show_elements(tensor, files)
        for _, initializers in graphs_of(model.proto)
        for tensor in initializers
    }


_FEW: Final = 8
"""So many elements are told one by one."""


def show_elements(tensor: Any, files: DataFiles) -> str:  # Any: a TensorProto
    """Return type and elements of a tensor; of many elements a digest.

    Args:
        tensor: A ``TensorProto``.
        files: The files beside the model.

    Raises:
        ModelError: If the elements cannot be read.
    """
    array = array_of_proto(tensor, files, f"tensor {tensor.name!r}")
    if array.size <= _FEW:
        return f"{show_tensor(tensor)} {array.tolist()}"
    held = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
    return f"{show_tensor(tensor)} with digest {zlib.crc32(held):08x}"
