"""Signatures of functions of other languages: the types by which Relay programs call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish._support import hooks
from relayish.ir.kinds.callables import CallSignature, ValueType, signature_of
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import FuncType, TensorType, TupleType, Type

Signature: TypeAlias = Callable[[Any], Type]  # Any: a node of the kind it is registered for
"""``signature(function)``: the type of what a function of another language is to Relay."""

SIGNATURES: Final[KindTable[Signature]] = KindTable(
    "type inference of calls of other languages",
    "relay.analysis.SIGNATURES",
)


def declared_type(definition: Node) -> Type | None:
    """Return the type a definition carries or says in full, or ``None``.

    Raises:
        UnknownKindError: If it is of another language, and nothing was registered for its kind.
    """
    if not isinstance(definition, Expr):
        told = _told_by_language(definition)
        if told is not None:
            return _type_of_call(told)
        return SIGNATURES[type(definition)](definition)
    if definition.checked_type is not None:
        return definition.checked_type
    if not isinstance(definition, Function) or definition.ret_type is None:
        return None
    annotations = [param.type_annotation for param in definition.params]
    known = tuple(ty for ty in annotations if ty is not None)
    if len(known) < len(annotations):
        return None
    return FuncType(known, definition.ret_type, definition.type_params)


def tells_type(definition: Node) -> bool:
    """Return whether it is known by which type Relay calls a definition of another language."""
    return SIGNATURES.knows(type(definition)) or _told_by_language(definition) is not None


def _told_by_language(definition: Node) -> CallSignature | None:
    if SIGNATURES.knows(type(definition)):
        return None  # somebody said of Relay in particular what it is
    hooks.load_handlers("evaluate")
    return signature_of(definition)


def _type_of_call(told: CallSignature) -> FuncType:
    results = [_tensor(each) for each in told.results]
    result = results[0] if len(results) == 1 else TupleType(tuple(results))
    return FuncType(tuple([_tensor(each) for each in told.params]), result)


def _tensor(told: ValueType) -> TensorType:
    return TensorType(
        tuple([AnySize() if size is None else size for size in told.shape]), told.dtype
    )


def stated_type(definition: Node) -> Type:
    """Return the type of a definition that has one."""
    found = declared_type(definition)
    assert found is not None
    return found
