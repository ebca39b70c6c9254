"""Models as programs, without what exporters and authors wrote beside what they compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.functor import ExprMutator
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.onnx import info

NOTES: Final = frozenset(
    {info.DOC_STRING, info.METADATA, info.VALUE_INFO, info.NODES, info.VALUES}
    | {info.MODEL_DOC_STRING, info.MODEL_METADATA, info.OTHER}
)
"""Attributes that are notes: documentation, metadata, types of values beside the nodes."""


def without_notes(mod: IRModule) -> IRModule:
    """Return a model without its notes, the functions inside others included.

    Complexity:
        Linear in distinct nodes.
    """
    mutator = _NotesDropper()
    found: Mapping[GlobalVar, Node] = mod.functions  # of loops as well
    functions = {
        name: mutator.visit(each) if isinstance(each, Function) else each
        for name, each in found.items()
    }
    return mod.with_functions(functions).with_attrs(_without(mod.attrs))


class _NotesDropper(ExprMutator):
    def visit_function(self, function: Function) -> Expr:
        func = super().visit_function(function)
        assert isinstance(func, Function)
        return func.with_fields(attrs=_without(func.attrs))


def _without(attrs: DictAttrs | None) -> DictAttrs | None:
    if attrs is None or NOTES.isdisjoint(attrs.keys()):
        return attrs
    return DictAttrs({name: value for name, value in attrs.items() if name not in NOTES}) or None
