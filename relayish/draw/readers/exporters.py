"""Notes of exporters on the nodes of a model: the part of it they are in, and their source."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Function
from relayish.onnx.info import NODES

_SCOPES: Final = "pkg.torch.onnx.name_scopes"
_TRACE: Final = "pkg.torch.onnx.stack_trace"
_MOST_LINES: Final = 4
"""Of a trace; what a user wrote stands last."""


class ExporterNotes:
    """What a graph tells of its nodes beside what they compute.

    Args:
        function: The graph of a model; any other function tells nothing.
    """

    def __init__(self, function: object) -> None:
        attrs = function.attrs if isinstance(function, Function) else None
        held = attrs.get(NODES) if attrs is not None else None
        self._held: Final = dict(held.items()) if isinstance(held, DictAttrs) else {}

    def scopes_of(self, node: str, output: str) -> Sequence[str]:
        """Return the parts of a model that a node lies in, from the outermost in.

        Args:
            node: Its name, which may tell them as a path: ``/layer.3/attn/MatMul``.
            output: The name of its first result, by which PyTorch tells them.
        """
        if "/" in node.strip("/"):
            return node.strip("/").split("/")[:-1]
        told = self._metadata(output).get(_SCOPES)
        if not isinstance(told, str):
            return ()
        return _relative(_read_list(told)[:-1])

    def notes_of(self, output: str) -> Mapping[str, str]:
        """Return what is told of the node with this first result: its text, where it comes from."""
        notes = {}
        text = self._of(output).get("doc_string")
        if isinstance(text, str) and text:
            notes["documentation"] = text
        trace = self._metadata(output).get(_TRACE)
        if isinstance(trace, str):
            notes["source"] = "\n".join(trace.splitlines()[-_MOST_LINES:])
        return notes

    def _of(self, output: str) -> Mapping[str, object]:
        found = self._held.get(output, self._held.get(output.removesuffix(".all")))
        return dict(found.items()) if isinstance(found, DictAttrs) else {}

    def _metadata(self, output: str) -> Mapping[str, object]:
        found = self._of(output).get("metadata")
        return dict(found.items()) if isinstance(found, DictAttrs) else {}


def _read_list(text: str) -> list[str]:
    """Return the list of names that a text spells; none where it spells something else."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _relative(names: Sequence[str]) -> list[str]:
    """Return names each of which repeats the one before, without what they repeat.

    Example:
        >>> _relative(["", "m", "m.layer.0", "m.layer.0.attn"])
        ['m', 'layer.0', 'attn']
    """
    found, before = [], ""
    for name in names:
        if name and name != before:
            found.append(name.removeprefix(f"{before}.") if before else name)
            before = name
    return found
