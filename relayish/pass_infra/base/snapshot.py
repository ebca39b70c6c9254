"""Snapshots of modules: finding passes that change the program they are given in place.

Nodes, attributes and modules refuse assignment, and the arrays of constants refuse writing, but
Python lets anyone around that who tries: ``object.__setattr__``, ``array.flags.writeable``, a
mutable object among the attributes. Structural equality and hashing leave out spans and inferred
types, so what is compared here is every field of every node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from relayish.errors import PassError, add_note, indefinite
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.fields.field import Field
from relayish.ir.fields.naming import name_of
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span
from relayish.ir.nodes.traversal import ByKind, Traversal
from relayish.ir.values.literal import hash_literal
from relayish.pass_infra.base.info import PassInfo


class Snapshot:
    """What every field of every node of a module held at some time, so that changes are found."""

    def __init__(self, mod: AnyModule) -> None:
        self._mod = mod
        self._slots = [(name, getattr(mod, name)) for name in mod.slots_]
        self._prints = _Prints()  # keeps what it printed alive, so that no other thing takes its id
        of = self._prints.of
        self._nodes = [
            (n, [of(value) for value in _FIELDS[type(n)](n)]) for n in _ALL.post_order(mod.nodes())
        ]

    def check(self, info: PassInfo) -> None:
        """Raise if the module is not as it was.

        Raises:
            PassError: That names the pass, and the first field found that is another.
        """
        found = self.difference()
        if found is not None:
            raise PassError(
                f"pass {info.name} changed the program it was given: {found}; nodes and modules "
                f"are immutable, build others with with_fields and with_function"
            )

    def note(self, error: BaseException, info: PassInfo) -> None:
        """Note on ``error``, in which the pass ended, what it changed before."""
        found = self.difference()
        if found is not None:
            add_note(error, f"pass {info.name} changed the program it was given: {found}")

    def difference(self) -> str | None:
        """Return what of the module is not as it was, ``None`` if nothing is."""
        for name, held in self._slots:
            if held is not getattr(self._mod, name):
                return f"{name} of the module is another"
        of = _Prints().of
        for node, fields in self._nodes:
            now = _FIELDS[type(node)](node)
            for declared, held, value in zip(node.fields_, fields, now, strict=True):
                if held is not value and not _is_same(held, of(value)):
                    return f"{declared.name} of {_describe(node)} is another"
        return None


class _All(Traversal):
    """Follows every field, what type inference left on nodes included."""

    def fields(self, kind: type[Node]) -> list[Field]:
        return [field for field in kind.fields_ if field.kind is not None]


_ALL: Final = _All(Node)


def _reader(kind: type[Node]) -> Callable[[Node], list[object]]:
    names = [field.name for field in kind.fields_]
    return lambda node: [getattr(node, name) for name in names]


_FIELDS: Final = ByKind(_reader)
"""For each class of nodes, what reads all fields of one."""


class _Print(NamedTuple):
    """What stands for a value that may be changed in place: equal while it holds the same."""

    content: object


_LITERALS: Final = (np.ndarray, np.generic, tuple, float)
_CONTAINERS: Final = (list, dict, set, bytearray)


class _Prints:
    """Prints of values; what several nodes share is looked at once."""

    def __init__(self) -> None:
        self._of_attrs: dict[int, tuple[Attrs, _Print]] = {}

    def of(self, value: object) -> object:
        """Return what to compare later: the value itself where nothing inside it can change."""
        if isinstance(value, Attrs):
            return self._attrs(value)
        if isinstance(value, _LITERALS) and not _holds_nodes(value):
            return _Print(hash_literal(value))
        if isinstance(value, _CONTAINERS):
            return _Print(repr(value))
        return value

    def _attrs(self, attrs: Attrs) -> _Print:
        found = self._of_attrs.get(id(attrs))
        if found is None:
            inside = [(name, self.of(value)) for name, value in attrs.items()]
            found = self._of_attrs[id(attrs)] = attrs, _Print((id(attrs), inside))
        return found[1]


def _holds_nodes(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(item, Node) for item in value)


def _is_same(old: object, new: object) -> bool:
    return old is new or (isinstance(old, _Print) and isinstance(new, _Print) and old == new)


def _describe(node: Node) -> str:
    name = name_of(node)
    called = f" {name}" if name else ""
    return f"{indefinite(type(node))}{called}{at_span(node)}"
