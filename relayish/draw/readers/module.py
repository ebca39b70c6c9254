"""Diagrams of modules: each definition a box, read as its language is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from relayish.analysis.infer_type import infer_type
from relayish.draw.diagram import Box, BoxKind, Diagram
from relayish.draw.keys import join_key
from relayish.draw.readers.table import READERS, list_options, read
from relayish.draw.readers.texts import attribute_lines, with_attributes
from relayish.errors import ModelError, PackageError, TypeInferenceError, UnknownKindError
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import calls_onnx
from relayish.onnx.info import NAME
from relayish.passes.onnx.shapes.infer_shapes_onnx import infer_shapes_onnx


@READERS.register(Module)
def read_module(
    mod: Module[Any],  # Any: of whatever names
    *,
    only: str | None = None,
    title: str = "",
    types: bool = True,
    work: bool = False,
) -> Diagram:
    """Return the diagram of a module.

    Args:
        mod: The module; one that is ill-typed is drawn without types.
        only: The name of the one definition that is drawn; by default all are.
        title: What stands above the picture.
        types: Whether types are inferred where the module has none.
        work: Whether loops tell what they do.

    Raises:
        UnknownNameError: If the module has no definition ``only``.
    """
    if types and isinstance(mod, IRModule):
        mod, types = _with_types(mod)
    definitions = _definitions(mod) if only is None else {only: mod[only]}
    if len(definitions) == 1:
        ((name, node),) = definitions.items()
        told = with_attributes(find_title(name, node), node)
        return read(node, title=title or told, **_options(node, types=types, work=work))
    diagram = Diagram(title or "module")
    for name, node in definitions.items():
        holder = diagram.add(
            Box(
                BoxKind.FUNCTION,
                find_title(name, node),
                key=f"@{name}",
                lines=tuple(attribute_lines(node)),
            )
        )
        inner = read(node, **_options(node, types=types, work=work))
        embed(inner, diagram, holder, f"@{name}")
    return diagram


def _with_types(mod: IRModule) -> tuple[IRModule, bool]:
    """Return a module with types, and whether there are any."""
    is_model = any(map(calls_onnx, mod.functions_of(Expr).values()))
    try:
        return (infer_shapes_onnx if is_model else infer_type)(mod), True
    except (ModelError, PackageError, TypeInferenceError, UnknownKindError):
        return mod, False


def embed(inner: Diagram, outer: Diagram, holder: int, path: str) -> None:
    """Put all that a diagram has into a box of another, with keys below a path."""
    first = len(outer.boxes)
    for box in inner.boxes:
        parent = holder if box.parent is None else first + box.parent
        outer.add(replace(box, parent=parent, key=join_key(path, box.key)))
    for edge in inner.edges:
        outer.connect(replace(edge, source=first + edge.source, target=first + edge.target))


def find_title(name: str, node: Node) -> str:
    """Return the title of a definition: its name in the module, and in the model it comes from."""
    attrs = getattr(node, "attrs", None)
    told = attrs.get(NAME) if attrs is not None else None
    return f"@{name}: {told}" if isinstance(told, str) and told else f"@{name}"


def _definitions(mod: Module[Any]) -> Mapping[str, Node]:  # Any: as above
    return {name: node for section in mod.sections().values() for name, node in section.items()}


def _options(node: Node, **asked: bool) -> dict[str, bool]:
    """Return the options among those that are asked for that a definition can be drawn with."""
    known = list_options(node)
    return {name: value for name, value in asked.items() if name in known}
