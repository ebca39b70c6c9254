"""Open tables from kinds of nodes to what is specific to each: a type rule, a value, a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar, overload

from relayish.errors import DeclarationError, UnknownKindError
from relayish.ir.claims import Claims
from relayish.ir.declarations import (
    Redo,
    Undo,
    changes_of,
    declared_temporarily,
    watch_declarations,
)
from relayish.ir.field import is_node_class
from relayish.ir.node import Node, lineage
from relayish.ir.traversal import ByKind

V = TypeVar("V")


class KindTable(dict[type[Node], V], Generic[V]):
    """What some part of the library does with nodes of each kind; other packages add theirs.

    A kind that is not in the table is served by the entry of the nearest class above it that is,
    so one entry for a family serves all its kinds. ``table[kind]`` of a kind that nothing serves
    is an error which says what to register. What is registered where declarations are temporary is
    forgotten with them.

    Args:
        purpose: What asks, as the subject of a sentence: ``"type inference"``.
        registered_by: The public function that adds an entry, as users call it:
            ``"relay.analysis.register_type_rule"``.
        entries: What is there from the start.

    Complexity:
        Constant; that of a dictionary for kinds that were asked for before.

    Example:
        >>> table: KindTable[str] = KindTable("the census", "census.register")
        >>> table[Node]
        Traceback (most recent call last):
        ...
        relayish.errors.UnknownKindError: the census knows no Node; call census.register(Node, ...)
    """

    __slots__ = ("_claims", "_declared", "_derived", "purpose", "registered_by")

    def __init__(
        self, purpose: str, registered_by: str, entries: Mapping[type[Node], V] | None = None
    ) -> None:
        super().__init__(entries or {})
        self.purpose = purpose
        self.registered_by = registered_by
        self._declared: dict[type[Node], V] = dict(self)
        self._derived: list[ByKind] = []
        self._claims: Claims[type[Node]] = Claims()
        watch_declarations(self._watch)

    @overload
    def register(
        self, kind: type[Node], entry: V, *, replace: bool = False, by: object = None
    ) -> V: ...
    @overload
    def register(self, kind: type[Node], *, replace: bool = False) -> Callable[[V], V]: ...
    def register(
        self,
        kind: type[Node],
        entry: V | None = None,
        *,
        replace: bool = False,
        by: object = None,
    ) -> V | Callable[[V], V]:
        """Add what serves nodes of class ``kind``, or of all classes below it; also a decorator.

        Args:
            kind: A kind or a family.
            entry: What serves it.
            replace: Take the place of whatever entry there is.
            by: The function that somebody registers, where the entry is made of it.

        Raises:
            DeclarationError: If ``kind`` is no class of nodes.
            DuplicateNameError: If somebody else gave the kind an entry and ``replace`` is false.
        """
        if not is_node_class(kind):
            raise DeclarationError(
                f"{self.registered_by} is given {kind!r}; expected a class of nodes: a family, or "
                f"a kind that @node declares"
            )
        if entry is None:
            return lambda given: self.register(kind, given, replace=replace)
        self._claims.enter(
            kind,
            entry if by is None else by,
            f"{self.purpose} knows {kind.__name__} already; the entry",
            taken=kind in self._declared,
            instead="say replace=True to put the second in place of the first",
            replace=replace,
        )
        self._declared[kind] = entry
        self._renew()
        return entry

    def knows(self, kind: type[Node]) -> bool:
        """Return whether some entry serves nodes of class ``kind``."""
        return any(base in self._declared for base in lineage(kind))

    def derive(self, generate: Callable[[type[Node]], object]) -> ByKind:
        """Return a table of what ``generate`` makes of each kind, anew where an entry changes."""
        made = ByKind(generate)
        self._derived.append(made)
        return made

    def _renew(self) -> None:
        """Forget what was found by way of classes further up, and what was derived."""
        self.clear()
        self.update(self._declared)
        for derived in self._derived:
            derived.clear()

    def _watch(self, context: declared_temporarily) -> Undo:
        def stays(kind: type[Node], _: V) -> bool:
            return context.stays(self._claims.module_of(kind))

        forget = changes_of(self._declared, stays)

        def undo() -> Redo:
            declare = forget()
            self._renew()

            def redo() -> None:
                declare()
                self._renew()

            return redo

        return undo

    def __missing__(self, kind: type[Node]) -> V:
        for base in lineage(kind):
            if base in self._declared:
                found = self[kind] = self[base]
                return found
        raise UnknownKindError(
            f"{self.purpose} knows no {kind.__name__}; "
            f"call {self.registered_by}({kind.__name__}, ...)"
        )
