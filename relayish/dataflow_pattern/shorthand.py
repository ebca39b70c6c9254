"""Constructors of patterns under Relay's names: ``is_op``, ``wildcard``, ``dominates``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.dataflow_pattern.node_pattern import NodePattern
from relayish.dataflow_pattern.pattern import (
    AltPattern,
    AttrPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    IfPattern,
    LetPattern,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
)
from relayish.ir.domains.language import find_kind, languages
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import PrimExpr, Type
from relayish.op.declaration.registry import get_op


def wildcard() -> WildcardPattern:
    """Return a new pattern of anything."""
    return WildcardPattern()


def is_op(op_name: str | Op) -> ExprPattern | NodePattern:
    """Return the pattern of the operator ``op_name``; call it with patterns of its arguments.

    Args:
        op_name: A declared operator, or its name: ``"add"``, ``"mydomain::add"``; also of a
            language whose operators are kinds of nodes: ``"core.add"``, ``"tir.load"``.

    Raises:
        UnknownNameError: If no operator of that name is declared.
        AmbiguousNameError: If operators of several domains have the name.
    """
    found = find_operator(op_name)
    return ExprPattern(found) if isinstance(found, Op) else NodePattern(found)


def find_operator(name: str | Op) -> Op | type[Node]:
    """Return the operator ``name``, or the kind of nodes that it is, as :func:`is_op` finds it."""
    if isinstance(name, str):
        language, _, operator = name.replace("::", ".").partition(".")
        kind = find_kind(language, operator) if language in languages() else None
        if kind is not None:
            return kind
    return get_op(name)


def is_node(kind: type[Node]) -> NodePattern:
    """Return the pattern of nodes of a kind; call it with patterns of what these are made of."""
    return NodePattern(kind)


def is_var(name: str = "") -> VarPattern:
    """Return the pattern of a local variable called ``name``, or of any."""
    return VarPattern(name)


def is_constant() -> ConstantPattern:
    """Return the pattern of a constant."""
    return ConstantPattern()


def is_expr(expr: Node) -> ExprPattern:
    """Return the pattern of expressions structurally equal to ``expr``."""
    return ExprPattern(expr)


def is_tuple(fields: Sequence[DFPattern] | None = None) -> TuplePattern:
    """Return the pattern of a tuple of ``fields``, or of any fields."""
    return TuplePattern(tuple(fields or ()), fields is None)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> TupleGetItemPattern:
    """Return the pattern of the projection of field ``index``, or any, of ``tuple_value``."""
    return TupleGetItemPattern(tuple_value, index)


def is_if(cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> IfPattern:
    """Return the pattern of an if."""
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern, value: DFPattern, body: DFPattern) -> LetPattern:
    """Return the pattern of a let."""
    return LetPattern(var, value, body)


def has_type(ttype: Type, pattern: DFPattern | None = None) -> TypePattern:
    """Return the pattern of what matches ``pattern`` (anything) and is of type ``ttype``."""
    return TypePattern(wildcard() if pattern is None else pattern, ttype)


def has_dtype(dtype: str, pattern: DFPattern | None = None) -> DataTypePattern:
    """Return the pattern of tensors with elements of ``dtype`` that match ``pattern``."""
    return DataTypePattern(wildcard() if pattern is None else pattern, dtype)


def has_shape(shape: Sequence[int | PrimExpr], pattern: DFPattern | None = None) -> ShapePattern:
    """Return the pattern of tensors of ``shape`` that match ``pattern``."""
    return ShapePattern(wildcard() if pattern is None else pattern, tuple(shape))


def has_attr(attrs: Mapping[str, object], pattern: DFPattern | None = None) -> AttrPattern:
    """Return the pattern of what has ``attrs`` and matches ``pattern``.

    Raises:
        UnknownNameError: If ``pattern`` tells the operator, and that has no such attribute.
    """
    return (wildcard() if pattern is None else pattern).has_attr(attrs)


def dominates(parent: DFPattern, path: DFPattern, child: DFPattern) -> DominatorPattern:
    """Return the pattern of ``child`` over ``parent`` by way of ``path``.

    See :class:`~relayish.dataflow_pattern.pattern.DominatorPattern`.
    """
    return DominatorPattern(parent, path, child)


def alternatives(first: DFPattern, *others: DFPattern) -> DFPattern:
    """Return the pattern of what any of these matches, the first that does."""
    found = first
    for other in others:
        found = AltPattern(found, other)
    return found
