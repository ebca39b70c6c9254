"""Structural hashing: equal programs, whatever their variables are called, have equal hashes."""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish._kernel import loop
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.comparison import COMPARISONS
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import Atom
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.values.literal import hash_literal, hash_stably


class _Hashed(Traversal):
    def fields(self, kind: type[Node]) -> list[Field]:
        return [f for f in super().fields(kind) if f.name not in _find_skipped(kind)]


def _find_skipped(kind: type[Node]) -> tuple[str, ...]:
    return COMPARISONS[kind].skipped


_PUSH: Final = COMPARISONS.derive(lambda kind: _Hashed(Node).push[kind])


def structural_hash(thing: object, map_free_vars: bool = False) -> int:  # noqa: ARG001 - see below
    """Return a hash that is the same for any two structurally equal nodes, modules or values.

    Variables, bound or free, count by order of first occurrence, so the hash serves with and
    without ``map_free_vars``, which is taken as TVM takes it; it is the same in every process.
    Sharing does not count.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> structural_hash(Function((x,), x)) == structural_hash(Function((y,), y))
        True
    """
    return _Hasher().hash(thing)


_ONE: Final = Shape.ONE
_MANY: Final = Shape.MANY
_OPTIONAL: Final = Shape.OPTIONAL


class _Layout(NamedTuple):
    """What of nodes of one kind is hashed: each field, and how it holds nodes.

    A field holds ``None`` where it is the value of a literal.
    """

    name_hash: int
    is_variable: bool
    fields: tuple[tuple[str, Shape | None], ...]


def _layout_of_kind(kind: type[Node]) -> _Layout:
    hashed = COMPARISONS[kind].hashed
    if hashed:
        return _Layout(
            hash_stably(kind.visit_name), False, tuple([(n, Shape.LEAF) for n in hashed])
        )
    skipped, hints = _find_skipped(kind), kind in VARIABLES
    fields = [f for f in kind.fields_ if f.compared and f.name not in skipped]
    is_literal = kind.traits_.atom is Atom.LITERAL
    held = [
        (f.name, None if is_literal and f.kind is None else f.shape)
        for f in fields
        if not (hints and f.hint)
    ]
    return _Layout(hash_stably(kind.visit_name), hints, tuple(held))


_LAYOUTS: Final = COMPARISONS.derive(_layout_of_kind)


class _Hasher:
    """Numbers variables on the way down, combines hashes on the way up."""

    def __init__(self) -> None:
        self._hashes: dict[Node, int] = {}
        self._numbers: dict[Node, int] = {}
        self._leaf_hashes: dict[int, tuple[int, object]] = {}

    def hash(self, thing: object) -> int:
        if isinstance(thing, Node):
            return self._hash_node(thing)
        if isinstance(thing, Module):
            definitions = [item for part in thing.sections().values() for item in part.items()]
            return hash(tuple([(hash_stably(name), self.hash(part)) for name, part in definitions]))
        if isinstance(thing, Attrs):
            return hash(frozenset((hash_stably(k), self.hash(v)) for k, v in thing.items()))
        if isinstance(thing, tuple):
            return hash((5, *map(self.hash, thing)))
        return hash_literal(thing)

    @loop("hash_node", _PUSH, _LAYOUTS, VARIABLES, _ONE, _MANY, _OPTIONAL, hash_literal)
    def _hash_node(self, root: Node) -> int:
        hashes, numbers, table = self._hashes, self._numbers, _PUSH
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
        name_hash, is_variable, fields = _LAYOUTS[type(node)]
        hashes = self._hashes
        parts: list[object] = [name_hash]
        if is_variable:
            parts.append(self._numbers[node])
        for name, held in fields:
            value = getattr(node, name)
            if held is _ONE:
                parts.append(hashes[value])
            elif held is _MANY:
                parts.append(len(value))
                parts += [hashes[item] for item in value]
            elif held is _OPTIONAL:
                parts.append(0 if value is None else hashes[value])
            elif held is None:
                parts.append(hash_literal(value))
            elif value is None:
                parts.append(0)
            else:
                parts.append(self._hash_leaf(value))
        return hash(tuple(parts))

    def _hash_leaf(self, value: object) -> int:
        """Return the hash of a value that a node holds, or makes when asked; many hold the same."""
        known = self._leaf_hashes.get(id(value))
        if known is None:  # with the value, as another may be at its address once it is gone
            known = self._leaf_hashes[id(value)] = self.hash(value), value
        return known[0]
