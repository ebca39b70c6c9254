"""Quoting programs in type errors: the offending expression in one line, where it has no span.

Nothing is looked at before there is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from relayish.ir.fields.naming import display_name
from relayish.ir.kinds.one_line import one_line_where
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Expr, Let
from relayish.ir.scopes.scoping import PROGRAM, binders, evaluated


class Surroundings:
    """What stands around the expressions of some definitions.

    Args:
        roots: The definitions.
        typed: Whether to look into what carries a type already.

    Complexity:
        What is asked first takes time linear in the nodes that are looked at, the rest constant
        time; no recursion.
    """

    def __init__(self, roots: Sequence[Expr], *, typed: bool) -> None:
        self._roots = roots
        self._typed = typed

    def user(self, node: Node) -> Node | None:
        """Return the first expression that uses ``node``, or else a let that it is the value of."""
        return self._users.get(node)

    def quote(self, node: Node, message: str) -> str:
        """Return ``message`` behind the expression it is about: ``%y = add(%0, %b): ...``.

        A name of what is called, with which messages begin, is part of that expression. What the
        numbers stand for is told at the end.
        """
        if type(node) in ATOMS:
            return message
        line, where = one_line_where(node)
        called, _, rest = message.partition(": ")
        if rest and line.startswith(f"{called}("):
            message = rest
        user = self.user(node)
        if isinstance(user, Let) and user.value is node:
            line = f"{display_name(user.var)} = {line}"
        return f"{line}: {message}; {where}" if where else f"{line}: {message}"

    def has_namesake(self, variable: Node) -> bool:
        """Return whether another variable is bound that goes by the name of ``variable``."""
        return display_name(variable) in self._names

    @cached_property
    def _order(self) -> list[Node]:
        if self._typed:
            return PROGRAM.post_order(self._roots)
        return PROGRAM.post_order(self._roots, lambda n: getattr(n, "checked_type", None) is None)

    @cached_property
    def _users(self) -> dict[Node, Node]:
        users: dict[Node, Node] = {}
        for node in self._order:
            for used in evaluated(node):
                users.setdefault(used, node)
            if isinstance(node, Let):
                users[node.value] = node
        return users

    @cached_property
    def _names(self) -> set[str]:
        return {display_name(variable) for node in self._order for variable in binders(node)}
