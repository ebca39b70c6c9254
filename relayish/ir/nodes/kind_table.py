"""Open tables from kinds of nodes to what is specific to each: a type rule, a value, a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar, overload
from weakref import ref

from relayish.errors import DeclarationError, UnknownKindError, indefinite
from relayish.ir.fields.field import is_node_class
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import Node, lineage
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.registration.claimed_table import REPLACE
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import (
    Redo,
    Undo,
    changes_of,
    declared_temporarily,
    watch_declarations,
)

V = TypeVar("V")
G = TypeVar("G")


class KindTable(dict[type[Node], V], Generic[V]):
    """What some part of the library does with nodes of each kind; other packages add theirs.

    A kind that is not in the table is served by the entry of the nearest class above it that is,
    so one entry for a family serves all its kinds. ``table[kind]`` of a kind that nothing serves
    is an error which says what to register. What is registered where declarations are temporary is
    forgotten with them.

    Args:
        purpose: What asks, as the subject of a sentence: ``"type inference"``.
        name: Where users find the table, ``"relay.analysis.TYPE_RULES"``, or the function that
            adds entries.
        entries: What is there from the start.
        held_as: What nodes of the kinds it is for are to nodes that hold them, if it is for such
            kinds alone: operands, which are evaluated, or what binds variables.
        expects: The class of entries, where they are of one.

    Complexity:
        Constant; that of a dictionary for kinds that were asked for before.

    Example:
        >>> table: KindTable[str] = KindTable("the census", "COUNTS")
        >>> table[Node]
        Traceback (most recent call last):
        ...
        relayish.errors.UnknownKindError: the census knows no Node; call COUNTS.register(Node, ...)
    """

    __slots__ = ("_claims", "_declared", "_derived", "_expects", "_held_as", "name", "purpose")

    def __init__(
        self,
        purpose: str,
        name: str,
        entries: Mapping[type[Node], V] | None = None,
        *,
        held_as: Role | None = None,
        expects: type[V] | None = None,
    ) -> None:
        super().__init__(entries or {})
        self.purpose = purpose
        self.name = name
        self._held_as = held_as
        self._expects = expects
        self._declared: dict[type[Node], V] = dict(self)
        self._derived: list[ref[ByKind]] = []
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
            by: The function that somebody registers, where the entry is made of it; by default
                the first that a tuple holds.

        Raises:
            DeclarationError: If ``kind`` is no class of nodes that the table is for, or the entry
                is of another class.
            DuplicateNameError: If somebody else gave the kind an entry and ``replace`` is false.
        """
        self._check(kind)
        if entry is None:
            return lambda given: self.register(kind, given, replace=replace)
        if self._expects is not None and not isinstance(entry, self._expects):
            raise DeclarationError(
                f"{self._way()}({kind.__name__}, ...) is given {entry!r}; expected "
                f"{indefinite(self._expects)}"
            )
        return self._enter(kind, entry, entry if by is None else by, replace)

    def _check(self, kind: type[Node]) -> None:
        if not is_node_class(kind):
            raise DeclarationError(
                f"{self._way()} is given {kind!r}; expected a class of nodes: a family, or "
                f"a kind that @node declares"
            )
        if self._held_as not in (None, kind.held_as_):
            raise DeclarationError(
                f"{self._way()} is given {kind.__name__}, whose nodes are held as "
                f"{kind.held_as_.name}; {self.purpose} is of what is held as "
                f"{self._held_as.name}"
            )

    def _enter(self, kind: type[Node], entry: V, by: object, replace: bool) -> V:
        self._claims.enter(
            kind,
            by,
            f"{self.purpose} knows {kind.__name__} already; the entry",
            taken=kind in self._declared,
            instead=REPLACE,
            replace=replace,
        )
        self._declared[kind] = entry
        self._renew()
        return entry

    def _way(self) -> str:
        return self.name if self.name.rpartition(".")[2].islower() else f"{self.name}.register"

    def knows(self, kind: type[Node]) -> bool:
        """Return whether some entry serves nodes of class ``kind``."""
        return any(base in self._declared for base in lineage(kind))

    def derive(self, generate: Callable[[type[Node]], object]) -> ByKind:
        """Return a table of what ``generate`` makes of each kind, anew where an entry changes."""
        made = ByKind(generate)
        self.renew(made)
        return made

    def renew(self, derived: ByKind) -> None:
        """Empty a table, as long as it is there, whenever an entry of this one changes."""
        self._derived = [*[each for each in self._derived if each() is not None], ref(derived)]

    def _renew(self) -> None:
        """Forget what was found by way of classes further up, and what was derived."""
        self.clear()
        self.update(self._declared)
        for each in self._derived:
            derived = each()
            if derived is not None:
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
            f"{self.purpose} knows no {kind.__name__}; call {self._way()}({kind.__name__}, ...)"
        )


class MadeTable(KindTable[V], Generic[V, G]):
    """A table whose entries are made of what is registered, or are that, once it is checked.

    Args:
        purpose: As of a :class:`KindTable`.
        name: Likewise.
        make: ``make(kind, given)``: the entry; raises where ``given`` does not do.
        entries: As of a :class:`KindTable`: entries, not what they are made of.
        held_as: As of a :class:`KindTable`.
    """

    __slots__ = ("_make",)

    def __init__(
        self,
        purpose: str,
        name: str,
        make: Callable[[type[Node], G], V],
        entries: Mapping[type[Node], V] | None = None,
        *,
        held_as: Role | None = None,
    ) -> None:
        super().__init__(purpose, name, entries, held_as=held_as)
        self._make = make

    @overload  # type: ignore[override]  # it takes what entries are made of
    def register(self, kind: type[Node], entry: G, *, replace: bool = False) -> G: ...
    @overload
    def register(self, kind: type[Node], *, replace: bool = False) -> Callable[[G], G]: ...
    def register(
        self, kind: type[Node], entry: G | None = None, *, replace: bool = False
    ) -> G | Callable[[G], G]:
        """Add what serves nodes of class ``kind``, or of all classes below it; also a decorator.

        Returns:
            What was given.

        Raises:
            DeclarationError: If ``kind`` is no class of nodes, or there can be no such entry.
            DuplicateNameError: If somebody else gave the kind an entry and ``replace`` is false.
        """
        self._check(kind)
        if entry is None:
            return lambda given: self.register(kind, given, replace=replace)
        self._enter(kind, self._make(kind, entry), entry, replace)
        return entry
