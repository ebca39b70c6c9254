"""Value numbering: nodes that do the same with their operands have a number in common."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Final

from relayish._support.graph import post_order
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, GlobalVar, Op, Tuple, TupleGetItem
from relayish.ir.relay.type import Any, TensorType, TupleType, Type
from relayish.ir.scopes.scoping import operands
from relayish.op.declaration import properties, registry

NO_LABEL: Final = -1
"""Stands for the label of a node that stays where it is."""

_NO_TYPE: Final = -1


class Labels:
    """The labels of the nodes of one program, and of what is made by joining some.

    Args:
        effectful: The nodes of which evaluating may do more than give a value.
        consider_type: Tell nodes apart by the types of operands and result.
    """

    def __init__(self, effectful: Collection[Node], *, consider_type: bool) -> None:
        self._effectful = effectful
        self._consider_type = consider_type
        self._numbers: dict[Hashable, int] = {}
        self._types: dict[Type, int] = {}
        self._attrs: dict[int, Hashable] = {}
        self._held: list[Attrs] = []  # attributes whose identity is a key in ``_attrs``

    def number(self, key: Hashable) -> int:
        """Return the number of ``key``, a new one if it has none."""
        return self._numbers.setdefault(key, len(self._numbers))

    def of(self, node: Node) -> int:
        """Return the label of a typed node; ``NO_LABEL`` for one that is not to be moved.

        Those are what may act, what only marks a place, all kinds but tuples, projections, and
        calls of operators and of functions of the module, and what has to do with values other
        than tensors and tuples of them.
        """
        key = None if node in self._effectful else self._describe(node)
        if key is None:
            return NO_LABEL
        types = self.types_of(node)
        if _NO_TYPE in types:
            return NO_LABEL
        return self.number((key, types if self._consider_type else len(types)))

    def _describe(self, node: Node) -> Hashable | None:
        """Return what counts of ``node`` beside its operands, ``None`` if it stays where it is."""
        match node:
            case Call():
                return self._call(node)
            case Tuple():
                return (Tuple, len(node.fields))
            case TupleGetItem():
                return (TupleGetItem, node.index)
        return None

    def types_of(self, node: Node) -> tuple[int, ...]:
        """Return the numbers of the types of the value and operands of ``node``."""
        exprs = [one for one in (node, *data_operands(node)) if isinstance(one, Expr)]
        return tuple([self._type(expr.checked_type) for expr in exprs])

    def _type(self, root: Type | None) -> int:
        """Return a number that equal types have in common, ``_NO_TYPE`` for what is no data."""
        if root is None:
            return _NO_TYPE
        known = self._types
        if root in known:
            return known[root]

        def fields_of(ty: Type) -> tuple[Type, ...]:
            return ty.fields if type(ty) is TupleType and ty not in known else ()

        for ty in post_order([root], fields_of):
            if type(ty) is TupleType:
                fields = tuple([known[field] for field in ty.fields])
                known[ty] = _NO_TYPE if _NO_TYPE in fields else self.number((TupleType, fields))
            elif ty not in known:
                known[ty] = self.number(make_exact_key(ty)) if _is_tensor(ty) else _NO_TYPE
        return known[root]

    def _call(self, call: Call) -> Hashable | None:
        op = call.op
        if type(op) is GlobalVar:
            return None if call.type_args else (GlobalVar, op.name_hint)
        if type(op) is not Op or not registry.is_registered(op):
            return None
        if op in properties.non_computational or op in properties.fusion_barrier:
            return None
        return (op, self._attrs_key(call.attrs))

    def _attrs_key(self, attrs: Attrs | None) -> Hashable:
        if attrs is None:
            return None
        key = self._attrs.get(id(attrs))
        if key is None:
            self._held.append(attrs)
            key = self._attrs[id(attrs)] = make_exact_key(attrs)
        return key


def _is_tensor(ty: Type) -> bool:
    """Return whether ``ty`` is a tensor of sizes that mean the same everywhere."""
    if type(ty) is not TensorType:
        return False
    return all(type(size) is int or type(size) is Any for size in ty.shape)


def data_operands(node: Node) -> tuple[Node, ...]:
    """Return the operands of ``node``, but for what a call calls."""
    return node.args if type(node) is Call else operands(node)
