"""Types beside the slots of their values: instances, and what they are with cells in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from relayish._support.graph import post_order
from relayish.analysis.infer_type.compound import COMPOUND
from relayish.ir.nodes.node import Node
from relayish.ir.relay import type as types
from relayish.ir.relay.traversal import TYPES
from relayish.passes.relay.gradient.lazy_gradient.slots import CONTENT, FIXED, RESULT, Slots

CELL: Final = "GradCell"
"""The name of the type of cells."""


def is_cell_header(header: types.Type) -> bool:
    """Return whether ``header`` is the name of the type of cells."""
    return isinstance(header, types.GlobalTypeVar) and header.name_hint == CELL


def is_flat(ty: types.Type | None) -> bool:
    """Return whether ``ty`` is that of a tuple of tensors."""
    return isinstance(ty, types.TupleType) and all(
        type(field) is types.TensorType for field in ty.fields
    )


class Instances:
    """Makes slots for types in which type variables stand for what has slots of its own."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._polymorphic: dict[Node, bool] = {}

    def instance(self, ty: types.Type, slot: int, known: Mapping[types.Type, int]) -> int:
        """Return the slot of values of type ``ty`` where ``known`` are the slots of variables.

        Args:
            ty: The type in general.
            slot: Its slot in general; what does not depend on variables keeps its slot.
            known: The slots that variables stand for here.

        Complexity:
            Linear in the distinct parts of ``ty`` with variables in them; no recursion.
        """
        slots = self._slots
        made: dict[tuple[types.Type, int], int] = {}
        pending: list[tuple[types.Type, int]] = []

        def slot_of(ty: types.Type, slot: int) -> int:
            if ty in known:
                return known[ty]
            if not self._is_polymorphic(ty):
                return slot
            key = ty, slots.find(slot)
            if key not in made:
                made[key] = slots.make_slot()
                pending.append(key)
            return made[key]

        root = slot_of(ty, slot)
        while pending:
            key = pending.pop()
            whole, general = key
            parts = _parts(whole)
            if parts is None:  # whoever knows such values knows nothing of cells
                for inner in TYPES.post_order(whole):
                    if inner in known:
                        slots.unify(known[inner], FIXED)  # type: ignore[index]
            for number, part in parts or ():
                of_part = slot_of(part, slots.child(general, number))
                if type(whole) is types.TypeCall and is_cell_header(whole.func):
                    slots.unify(of_part, FIXED)  # there are no cells in cells
                slots.set_child(made[key], number, of_part)
        return root

    def _is_polymorphic(self, ty: types.Type) -> bool:
        """Return whether there are type variables in ``ty``, other than for sizes of tensors."""
        found = self._polymorphic
        if ty not in found:
            for part in TYPES.post_order(ty):
                if part not in found:
                    typed = [] if type(part) is types.TensorType else _parts(part)
                    inside = TYPES.children(part) if typed is None else [p for _, p in typed]
                    found[part] = type(part) is types.TypeVar or any(found[p] for p in inside)
        return found[ty]


def _parts(ty: Node) -> list[tuple[int, types.Type]] | None:
    """Return the parts of a type, by the child that holds their slot.

    ``None`` for kinds of which is not known where values of these types come from; of the others,
    the parts are in the order of :data:`~relayish.analysis.infer_type.compound.COMPOUND`.
    """
    match ty:
        case types.TupleType():
            return list(enumerate(ty.fields))
        case types.RefType():
            return [(CONTENT, ty.value)]
        case types.FuncType():
            return [*enumerate(ty.arg_types), (RESULT, ty.ret_type)]
        case types.TypeCall():
            return list(enumerate(ty.args))
    return None


class Converted:
    """Tells the types of values whose slots are known.

    Args:
        slots: All slots.
        cells: Those, of tensors, that are cells.
        header: The name of the type of cells.
    """

    def __init__(self, slots: Slots, cells: frozenset[int], header: types.GlobalTypeVar) -> None:
        self._slots = slots
        self._cells = cells
        self._header = header
        self._made: dict[tuple[types.Type, int], types.Type] = {}

    def type_of(self, ty: types.Type, slot: int) -> types.Type:
        """Return what ``ty`` is for a value in ``slot``; itself where there are no cells in it.

        Complexity:
            Linear in the distinct pairs of types and slots; no recursion.
        """
        slots, made = self._slots, self._made
        root = ty, slots.find(slot)
        if root in made:
            return made[root]

        def below(key: tuple[types.Type, int]) -> list[tuple[types.Type, int]]:
            part, at = key
            if key in made or type(part) is types.TensorType or not slots.has_children(at):
                return []
            return [(p, slots.find(slots.child(at, n))) for n, p in _parts(part) or ()]

        for key in post_order([root], below):
            part, at = key
            if type(part) is types.TensorType:
                made[key] = types.TypeCall(self._header, (part,)) if at in self._cells else part
            elif key not in made:
                parts = [made[pair] for pair in below(key)]
                made[key] = _rebuild(part, parts) if parts else part
        return made[root]


def _rebuild(ty: types.Type, parts: Sequence[types.Type]) -> types.Type:
    before = _parts(ty) or []
    if all(new is old for new, (_, old) in zip(parts, before, strict=True)):
        return ty
    compound = COMPOUND[type(ty)]
    assert compound is not None
    made: types.Type = compound.make(ty, tuple(parts))
    return made
