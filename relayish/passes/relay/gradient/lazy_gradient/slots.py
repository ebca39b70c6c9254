"""Unification of slots: places whose values have the same representation.

A slot stands for every place in which the same representation must be used: the content of a
reference, the argument of a function and what its callers pass, a field of a tuple wherever the
tuple goes. Slots are made equal by unification. A slot has *children* for the parts of its values,
each made when somebody asks for it, so that deep and shared types cost what is looked at.
"""

from __future__ import annotations

from typing import Final

FIXED: Final = 0
"""The slot of what is as it was, in all of its parts: what other functions and operators see."""

CONTENT: Final = 0
"""The child for what a reference holds. Fields, arguments and type arguments are by number."""

RESULT: Final = -1
"""The child for what a function returns."""


class Slots:
    """Slots, which are numbers, and which of them are the same.

    Complexity:
        Almost linear in the number of calls, times the logarithm of the number of parts; no
        recursion.
    """

    def __init__(self) -> None:
        self._parents = [FIXED]
        self._children: dict[int, dict[int, int]] = {}

    def make_slot(self) -> int:
        """Return a slot of which nothing is known."""
        self._parents.append(len(self._parents))
        return len(self._parents) - 1

    def find(self, slot: int) -> int:
        """Return the slot that stands for all that are the same as ``slot``."""
        parents = self._parents
        while parents[slot] != slot:
            parents[slot] = slot = parents[parents[slot]]
        return slot

    def has_children(self, slot: int) -> bool:
        """Return whether anything is known of parts."""
        return self.find(slot) in self._children

    def child(self, slot: int, key: int) -> int:
        """Return the slot of a part."""
        slot = self.find(slot)
        if slot == FIXED:
            return FIXED
        children = self._children.setdefault(slot, {})
        if key not in children:
            children[key] = self.make_slot()
        return children[key]

    def set_child(self, slot: int, key: int, part: int) -> None:
        """Let ``part`` be the part of a slot that is no part of :data:`FIXED`."""
        children = self._children.setdefault(self.find(slot), {})
        known = children.setdefault(key, part)
        self.unify(known, part)

    def unify(self, one: int, other: int) -> None:
        """Make two slots the same, and so their parts."""
        pending = [(one, other)]
        while pending:
            one, other = map(self.find, pending.pop())
            if one == other:
                continue
            if FIXED in (one, other):
                parts = self._children.pop(one or other, {}).values()
                pending += [(part, FIXED) for part in parts]
                self._parents[one or other] = FIXED
                continue
            few, many = self._children.get(one, {}), self._children.get(other, {})
            if len(few) > len(many):
                one, other, few, many = other, one, many, few
            self._parents[one] = other
            self._children.pop(one, None)
            for key, part in few.items():
                known = many.setdefault(key, part)
                if known != part:
                    pending.append((known, part))
