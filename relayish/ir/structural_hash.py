"""A hash of a program that agrees with structural equality."""

from __future__ import annotations

from typing import Final

from relayish.ir.adt import Constructor, TypeData
from relayish.ir.attrs import Attrs
from relayish.ir.expr import Call, Constant
from relayish.ir.literal import hash_literal, stable_hash
from relayish.ir.module import IRModule
from relayish.ir.node import Field, Node, Shape
from relayish.ir.structural_equal import VARIABLES
from relayish.ir.traversal import Traversal

_SKIPPED: Final[dict[type[Node], frozenset[str]]] = {
    Call: frozenset({"type_args"}),
    Constructor: frozenset({"inputs"}),
    TypeData: frozenset({"constructors"}),
}
"""Fields that equality compares only in some cases, or looks into differently."""


class _Hashed(Traversal):
    def fields(self, kind: type[Node]) -> list[Field]:
        skipped = _SKIPPED.get(kind, frozenset())
        return [f for f in super().fields(kind) if f.name not in skipped]


_HASHED: Final = _Hashed(Node)


def structural_hash(thing: object) -> int:
    """Return a hash that is the same for any two structurally equal nodes, modules or values.

    Variables, bound or free, count by order of first occurrence, so the hash serves with and
    without ``map_free_vars``; it is the same in every process. Sharing does not count.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> structural_hash(Function((x,), x)) == structural_hash(Function((y,), y))
        True
    """
    return _Hasher().hash(thing)


class _Hasher:
    """Numbers variables on the way down, combines hashes on the way up."""

    def __init__(self) -> None:
        self._hashes: dict[Node, int] = {}
        self._numbers: dict[Node, int] = {}

    def hash(self, thing: object) -> int:
        if isinstance(thing, Node):
            return self._hash_node(thing)
        if isinstance(thing, IRModule):
            types = [(t.name_hint, self.hash(v)) for t, v in thing.type_definitions.items()]
            functions = [(f.name_hint, self.hash(v)) for f, v in thing.functions.items()]
            return hash(tuple((stable_hash(name), part) for name, part in types + functions))
        if isinstance(thing, Attrs):
            return hash(frozenset((stable_hash(k), self.hash(v)) for k, v in thing.items()))
        if isinstance(thing, tuple):
            return hash((5, *map(self.hash, thing)))
        return hash_literal(thing)

    def _hash_node(self, root: Node) -> int:
        hashes, numbers, table = self._hashes, self._numbers, _HASHED.push
        stack: list[Node | None] = [root]
        pop, append = stack.pop, stack.append
        entered: set[Node] = set()
        while stack:
            node = pop()
            if node is None:
                done = pop()
                assert done is not None
                hashes[done] = self._combine(done)
                continue
            if node in hashes or node in entered:
                continue
            entered.add(node)
            kind = type(node)
            if kind in VARIABLES:
                numbers[node] = len(numbers)
            push = table[kind]
            if push is None:
                hashes[node] = self._combine(node)
                continue
            append(node)
            append(None)
            push(node, hashes, append)
        return hashes[root]

    def _combine(self, node: Node) -> int:
        kind = type(node)
        hashes = self._hashes
        parts: list[object] = [stable_hash(kind.visit_name)]
        if kind in VARIABLES:
            parts.append(self._numbers[node])
        for name, shape in _layout(kind):
            value = getattr(node, name)
            match shape:
                case Shape.ONE:
                    parts.append(hashes[value])
                case Shape.OPTIONAL:
                    parts.append(0 if value is None else hashes[value])
                case Shape.MANY:
                    parts.append(len(value))
                    parts += [hashes[item] for item in value]
                case _ if kind is Constant:
                    parts.append(hash_literal(value))
                case _:
                    parts.append(self.hash(value))
        return hash(tuple(parts))


_LAYOUTS: dict[type[Node], tuple[tuple[str, Shape], ...]] = {}


def _layout(kind: type[Node]) -> tuple[tuple[str, Shape], ...]:
    found = _LAYOUTS.get(kind)
    if found is None:
        unnamed = {"name_hint", "name", "nonnegative"} if kind in VARIABLES else set()
        skipped = _SKIPPED.get(kind, frozenset()) | unnamed
        fields = [f for f in kind.fields_ if f.compared and f.name not in skipped]
        found = _LAYOUTS[kind] = tuple((f.name, f.shape) for f in fields)
    return found
