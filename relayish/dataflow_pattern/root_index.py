"""Root index: which expressions a pattern can match at all, by their outermost parts.

Every expression has a key: the operator that a call calls, and its kind for everything else.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from relayish._support.graph import reachable
from relayish.dataflow_pattern.node_pattern import NodePattern
from relayish.dataflow_pattern.pattern import (
    STRUCTURAL,
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    ShapePattern,
    TupleGetItemPattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
)
from relayish.dataflow_pattern.pattern_analysis import Analysed, list_ops, regroup
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Constant, TupleGetItem, Var
from relayish.rewriting.relay.calls import Key, Root, key_of

_KINDS: dict[type[DFPattern], type[Node]] = {
    VarPattern: Var,
    ConstantPattern: Constant,
    **STRUCTURAL,
    TupleGetItemPattern: TupleGetItem,
}
_WRAPPERS = (AttrPattern, TypePattern, DataTypePattern, ShapePattern)
# What was found of patterns, which are looked for in many functions.
_KNOWN: WeakKeyDictionary[Analysed, list[Root] | None] = WeakKeyDictionary()


def roots_of(analysed: Analysed) -> list[Root] | None:
    """Return how expressions that match the pattern may begin; ``None`` if any may."""
    if analysed not in _KNOWN:
        _KNOWN[analysed] = _find_roots(analysed)
    return _KNOWN[analysed]


def _find_roots(analysed: Analysed) -> list[Root] | None:
    found: list[Root] = []
    for pattern in _unwrap(analysed.root):
        if type(pattern) is CallPattern:
            ops = list_ops(pattern.op)
            if ops is None:
                return None
            orders = [pattern.args]
            if pattern in analysed.commutes:
                orders.append(pattern.args[::-1])
            for order in orders:
                args = None if pattern.any_args else tuple(map(_keys, order))
                found += [Root(op, args) for op in ops]
            found += [Root(op, None) for op, _ in analysed.regroupings(pattern)]
        else:
            keys = _keys(pattern)
            if keys is None:
                return None
            found += [Root(key, None) for key in keys]
    return found


def _unwrap(root: DFPattern) -> list[DFPattern]:
    """Return the patterns one of which matches what ``root`` does, none of them around others."""
    return [each for each in reachable([root], _list_wrapped) if not _list_wrapped(each)]


def _list_wrapped(pattern: DFPattern) -> tuple[DFPattern, ...]:
    """Return the patterns that match the same expression, where ``pattern`` is around others."""
    if type(pattern) is AltPattern:
        return (pattern.left, pattern.right)
    if type(pattern) is DominatorPattern:
        return (pattern.child,)
    if type(pattern) is WildcardPattern and pattern.pattern is not None:
        return (pattern.pattern,)
    if isinstance(pattern, _WRAPPERS):
        return (pattern.pattern,)
    return ()


def _keys(root: DFPattern) -> frozenset[Key] | None:
    """Return the keys of expressions that may match ``root``; ``None`` for any."""
    found: set[Key] = set()
    for pattern in _unwrap(root):
        if type(pattern) in _KINDS:
            found.add(_KINDS[type(pattern)])
        elif type(pattern) is NodePattern:
            found.add(pattern.kind)
        elif type(pattern) is ExprPattern:
            found.add(key_of(pattern.expr))
        elif type(pattern) is CallPattern:
            ops = list_ops(pattern.op)
            if ops is None:
                return None
            found.update(ops)
            found.update(op for op, _ in regroup(pattern))
        else:
            return None
    return frozenset(found)
