"""Occurrences: the places at which nodes stand, told by the path from the root.

A node object may stand at several places of one program: a statement twice in a block, an
expression in both branches. What an analysis knows differs from place to place, so its results are
keyed by occurrence and not by node. Where programs are graphs, as Relay's are, a node that several
others use is computed once, and occurs once, in each scope in which they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node


class Occurrence:
    """A node at one of the places where it stands: the path that leads there from the root.

    Immutable and hashable. Equal paths are equal, whoever made them; there is no need to keep one.

    Args:
        node: What stands there; the root of a program, unless there is a parent.
        parent: The occurrence of the node that holds it. Of what is computed once, however many
            nodes of the scope use it: that of the root of the scope.
        place: Which of the places in the parent that hold this node, in the order in which they
            are visited; 0 where there is but one.

    Complexity:
        To make and to hash one is constant. To compare equal ones is linear in the length of the
        part of the path that they do not share; they share it from then on, so that going down two
        copies of a path, comparing all along, is linear as a whole.

    Example:
        >>> x = Var("x")
        >>> pair = Tuple((x, x))
        >>> root = Occurrence(pair)
        >>> first, second = root.child(x), root.child(x, 1)
        >>> first == second, first == Occurrence(pair).child(x)
        (False, True)
        >>> str(second)
        '%x (2nd) in (%x, %x)'
    """

    __slots__ = ("_hash", "_node", "_parent", "_place")

    def __init__(self, node: Node, parent: Occurrence | None = None, place: int = 0) -> None:
        self._node = node
        self._parent = parent
        self._place = place
        self._hash = hash((hash(parent), node, place))

    @property
    def node(self) -> Node:
        """What stands there."""
        return self._node

    @property
    def parent(self) -> Occurrence | None:
        """The occurrence it is in; ``None`` of the root."""
        return self._parent

    @property
    def place(self) -> int:
        """Which of the places in the parent that hold this node."""
        return self._place

    def child(self, node: Node, place: int = 0) -> Occurrence:
        """Return the occurrence of ``node`` in this one."""
        return Occurrence(node, self, place)

    def path(self) -> Iterator[Occurrence]:
        """Yield this occurrence, the one that holds it, and so on up to the root."""
        found: Occurrence | None = self
        while found is not None:
            yield found
            found = found.parent

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Occurrence):
            return NotImplemented
        if self._hash != other._hash:
            return False
        mine: Occurrence | None = self
        theirs: Occurrence | None = other
        while mine is not theirs:
            if mine is None or theirs is None:
                return False
            if mine._node is not theirs._node or mine._place != theirs._place:
                return False
            mine, theirs = mine._parent, theirs._parent
        self._parent = other._parent  # equal, and the next comparison ends there
        return True

    def __reduce__(self) -> tuple[Any, ...]:  # Any: what pickle takes
        return Occurrence, (self._node, self._parent, self._place)  # the hash is of this process

    def __str__(self) -> str:
        shown = one_line(self._node)
        if self._place:
            shown += f" ({_ordinal(self._place + 1)})"
        return shown if self._parent is None else f"{shown} in {one_line(self._parent.node)}"

    def __repr__(self) -> str:
        return f"<Occurrence {self}>"


def _ordinal(number: int) -> str:
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return f"{number}{('th', 'st', 'nd', 'rd')[last] if last < 4 else 'th'}"
