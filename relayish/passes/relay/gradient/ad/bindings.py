"""Building programs in A-normal form, one scope at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from relayish.functor import ExprMutator
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.expr import Expr, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.ir.scopes.replacing import rebuild_fields
from relayish.ir.scopes.scoping import has_parts, has_scopes, operands_of


class Names:
    """Gives out variables called ``x_0``, ``x_1`` and so on."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def make_var(self, ty: Type | None = None) -> Var:
        """Return a new variable, of which it is known that its value is a ``ty``."""
        made: Var = Var._make(f"x_{self._count}", None, None, None, None, ty)
        self._count += 1
        return made


class Bindings:
    """The lets of one scope, in order."""

    __slots__ = ("_bindings", "names")

    def __init__(self, names: Names) -> None:
        self.names = names
        self._bindings: list[tuple[Var, Expr]] = []

    def push(self, value: Expr, ty: Type | None = None) -> Var:
        """Bind ``value``, of type ``ty``, and return its variable."""
        var = self.names.make_var(ty)
        self._bindings.append((var, value))
        return var

    def bind(self, var: Var, value: Expr) -> None:
        """Bind ``value`` to ``var``."""
        self._bindings.append((var, value))

    def close(self, body: Expr) -> Expr:
        """Return ``body`` within all the lets."""
        for var, value in reversed(self._bindings):
            body = Let._make(var, value, body, None, None)
        return body

    def flatten(
        self, exprs: Sequence[tuple[Expr, Type | None]], known: dict[Node, Expr]
    ) -> list[Expr]:
        """Bind every call, tuple and projection in ``exprs``; return what stands for each.

        Args:
            exprs: Expressions with their types. Parts that they share are bound once.
            known: What stands for some nodes already.
        """
        images, atoms, bound_before = dict(known), ATOMS, _BOUND_BEFORE

        def missing(node: Node) -> list[Node]:
            found = bound_before[type(node)](node)
            return [part for part in found if type(part) not in atoms and part not in images]

        for root, ty in exprs:
            if type(root) in atoms or root in images:
                continue
            below = missing(root)
            for node in EXPRESSIONS.order_after(below, missing) if below else ():
                images[node] = self.push(_OVER[type(node)](node, images))
            images[root] = self.push(_OVER[type(root)](root, images), ty)
        return [images.get(root, root) for root, _ in exprs]


def _list_none(_: Node) -> tuple[Node, ...]:
    return ()


_BOUND_BEFORE: Final = ByKind(lambda kind: _list_none if has_scopes(kind) else operands_of(kind))
"""For each kind, what gives what is bound before a node is; what opens scopes stays whole."""


def _substitute(node: Expr, images: dict[Node, Expr]) -> Expr:
    substitution = ExprMutator()
    substitution.memo_map.update(images)
    return substitution.visit(node)


def over_operands(node: Expr, images: Mapping[Node, Expr]) -> Expr:
    """Return a node without scopes over ``images`` of its operands, those of its parts included."""
    made: Expr = rebuild_fields(node, lambda _owner, _field, held: images.get(held, held))
    return made


def _over_of_kind(kind: type[Node]) -> Callable[[Any, dict[Node, Expr]], Expr]:  # Any: of that kind
    if has_scopes(kind):
        return _substitute
    rebuild = EXPRESSIONS.rebuild[kind]
    if EXPRESSIONS.push[kind] is None or has_parts(kind):
        return over_operands
    return lambda node, images: rebuild(node, images.get)


_OVER: Final = ByKind(_over_of_kind)
"""For each kind, what gives a node with images in the place of what they are of."""
