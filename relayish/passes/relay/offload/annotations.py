"""The marks where values enter and leave what a compiler computes."""

from __future__ import annotations

from typing import Final, TypeGuard

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.op.declaration.registry import relay_op
from relayish.op.runtime.annotation import CompilerAttrs

_BEGIN: Final = relay_op("annotation.compiler_begin")
_END: Final = relay_op("annotation.compiler_end")


def begin(value: Expr, compiler: str) -> Call:
    """Return ``value`` as it enters what ``compiler`` computes; it carries the type of that."""
    return _mark(_BEGIN, value, compiler)


def end(value: Expr, compiler: str) -> Call:
    """Return ``value`` as it leaves what ``compiler`` computed; it carries the type of that."""
    return _mark(_END, value, compiler)


def _mark(op: Op, value: Expr, compiler: str) -> Call:
    attrs = CompilerAttrs(compiler)
    return Call(op, (value,), attrs, span=value.span, checked_type=value.checked_type)


def is_begin(node: Node) -> TypeGuard[Call]:
    """Return whether ``node`` marks where a value enters."""
    return type(node) is Call and node.op is _BEGIN


def is_end(node: Node) -> TypeGuard[Call]:
    """Return whether ``node`` marks where a value leaves."""
    return type(node) is Call and node.op is _END


def compiler_of(mark: Expr) -> str:
    """Return the name of the compiler that a mark is for."""
    assert type(mark) is Call
    assert isinstance(mark.attrs, CompilerAttrs)
    return mark.attrs.compiler
