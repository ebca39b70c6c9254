"""Loop variables that the bodies of loops write: what the bounds of loops tell is not so then."""

from __future__ import annotations

from typing import Final

from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Access, Role, Runs
from relayish.ir.nodes.getters import nodes_held
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import EVERYTHING, ByKind
from relayish.ir.scopes.def_use import places


class LoopVariables:
    """What may write the variables of the loops of a program.

    Args:
        root: The program.

    Complexity:
        Linear in the program when made, and again for each variable that is written in more than
        one place when it is first asked about; no recursion.
    """

    def __init__(self, root: Node) -> None:
        self._root = root
        self._writers: dict[Node, list[Node]] = {}
        self._escaping: set[Node] = set()
        self._users: dict[Node, list[Node]] | None = None
        self._reaching: dict[Node, set[Node]] = {}
        for node in EVERYTHING.post_order(root):
            for declared in _OTHER_THAN_READS[type(node)]:
                for place in nodes_held(declared, node):
                    if type(place) not in VARIABLES:
                        continue
                    self._writers.setdefault(place, []).append(node)
                    if Access.WRITE not in declared.access:
                        self._escaping.add(place)

    def may_be_written(self, loop: Node) -> bool:
        """Return whether what ``loop`` runs may write a variable that the loop itself steps.

        What goes by a name, what has its address taken anywhere, and what belongs to another
        program may be written anywhere.
        """
        return any(self._may_write(loop, place) for place in places(loop, Access.WRITE))

    def _may_write(self, loop: Node, place: Node) -> bool:
        writers = self._writers.get(place, [])
        if place in self._escaping or not writers:
            return True
        if len(writers) == 1:
            return writers[0] is not loop
        reaching = self._find_reaching(place)
        return loop not in reaching or any(
            child in reaching
            for declared in loop.fields_
            if declared.runs is Runs.REPEATEDLY
            for child in nodes_held(declared, loop)
        )

    def _find_reaching(self, place: Node) -> set[Node]:
        """Return what writes ``place``, and all that this is below."""
        found = self._reaching.get(place)
        if found is None:
            if self._users is None:
                self._users = EVERYTHING.users(self._root)
            found = self._reaching[place] = set()
            pending = list(self._writers[place])
            while pending:
                node = pending.pop()
                if node not in found:
                    found.add(node)
                    pending += self._users[node]
        return found


def _find_fields(kind: type[Node]) -> list[Field]:
    """Return the fields whose nodes may be written through the node that holds them."""
    return [
        declared
        for declared in kind.fields_
        if declared.role is Role.OPERAND
        and (declared.access & ~Access.PARTLY) != Access.READ
        and not Access.INDIRECT & declared.access
    ]


_OTHER_THAN_READS: Final = ByKind(_find_fields)
