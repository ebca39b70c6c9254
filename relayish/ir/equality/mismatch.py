"""The place where two programs differ, by the way that leads there, and what stands there."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from relayish._support.display import repr_mimebundle
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import Shape
from relayish.ir.modules.module import Module
from relayish.ir.modules.object_path import ObjectPath
from relayish.ir.nodes.node import Node

Pair: TypeAlias = "tuple[object, object, Pair | None, str, int]"
"""Two things to compare, the pair whose field they are, the field, and the index in it or -1."""


class Mismatch(NamedTuple):
    """The first place where two programs differ.

    ``path`` leads there from the root (``<root>.body.args[1].data``); ``lhs`` and ``rhs`` are what
    stands there; ``reason`` says what is wrong with them. ``places`` are paths to follow, in the
    one program and in the other.
    """

    path: str
    lhs: object
    rhs: object
    reason: str
    places: tuple[ObjectPath, ObjectPath]

    def _repr_mimebundle_(self, **chosen: object) -> dict[str, str]:
        return repr_mimebundle(self, **chosen)

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}: {self.lhs!r} against {self.rhs!r}"


def find_mismatch(pair: Pair, reason: str) -> Mismatch:
    """Return what is to be said of two things that differ."""
    return Mismatch(_show(pair), pair[0], pair[1], reason, _find_places(pair))


def _show(pair: Pair) -> str:
    steps: list[str] = []
    parent: Pair | None = pair
    while parent is not None:
        _, _, parent, name, index = parent
        if name or index >= 0:
            steps.append((f".{name}" if name else "") + (f"[{index}]" if index >= 0 else ""))
    return "<root>" + "".join(reversed(steps))


def _find_places(pair: Pair) -> tuple[ObjectPath, ObjectPath]:
    """Return the paths to two things, or to what one of them has and the other has not."""
    chain: list[Pair] = []
    above: Pair | None = pair
    while above is not None:
        chain.append(above)
        above = above[2]
    path = ObjectPath.root()
    for left, _, owner, name, index in chain[-2::-1]:
        path = path if owner is None or not name else _enter(path, owner[0], name, left)
        path = path if index < 0 else path.array_index(index)
    return _beyond(path, pair[0], pair[1])


def _enter(path: ObjectPath, owner: object, name: str, found: object) -> ObjectPath:
    if isinstance(owner, DictAttrs):
        return path.map_value(name)
    if isinstance(owner, Module):
        for section, held in owner.sections().items():
            if held.get(name) is found:
                return path.attr(section).map_value(name)
    return path.attr(name)


def _beyond(path: ObjectPath, lhs: object, rhs: object) -> tuple[ObjectPath, ObjectPath]:
    """Go on to the first item, or entry, that only one of two things has, if there is one."""
    if type(lhs) is not type(rhs):
        return path, path
    if isinstance(lhs, tuple) and isinstance(rhs, tuple):
        return _beyond_items(path, lhs, rhs)
    if isinstance(lhs, Attrs) and isinstance(rhs, Attrs):
        return _beyond_keys(path, lhs.keys(), rhs.keys())
    if isinstance(lhs, Module) and isinstance(rhs, Module):
        for section, held in lhs.sections().items():
            inside, other = path.attr(section), rhs.sections().get(section, {})
            if held.keys() != other.keys():
                return _beyond_keys(inside, tuple(held), tuple(other))
    if isinstance(lhs, Node) and isinstance(rhs, Node):
        for declared in sorted(type(lhs).fields_, key=lambda f: not f.binder):
            left, right = getattr(lhs, declared.name), getattr(rhs, declared.name)
            if declared.compared and declared.shape is Shape.MANY and len(left) != len(right):
                return _beyond_items(path.attr(declared.name), left, right)
    return path, path


def _beyond_items(
    path: ObjectPath, lhs: tuple[object, ...], rhs: tuple[object, ...]
) -> tuple[ObjectPath, ObjectPath]:
    if len(lhs) == len(rhs):
        return path, path
    index = min(len(lhs), len(rhs))
    there, missing = path.array_index(index), path.missing_array_element(index)
    return (there, missing) if len(lhs) > len(rhs) else (missing, there)


def _beyond_keys(
    path: ObjectPath, lhs: tuple[str, ...], rhs: tuple[str, ...]
) -> tuple[ObjectPath, ObjectPath]:
    for key in sorted({*lhs} ^ {*rhs})[:1]:
        there, missing = path.map_value(key), path.missing_map_entry()
        return (there, missing) if key in lhs else (missing, there)
    return path, path
