"""Building programs in A-normal form, one scope at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.functor import ExprMutator, MixedModeMutator
from relayish.ir.adt import Match
from relayish.ir.expr import Call, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relayish.ir.type import Type

_FLATTENED: Final = frozenset({Call, Tuple, TupleGetItem})


class Names:
    """Gives out variables called ``x_0``, ``x_1`` and so on."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def fresh(self, ty: Type | None = None) -> Var:
        """Return a new variable, of which it is known that its value is a ``ty``."""
        made: Var = Var._make(f"x_{self._count}", None, None, None, ty)
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
        var = self.names.fresh(ty)
        self._bindings.append((var, value))
        return var

    def bind(self, var: Var, value: Expr) -> None:
        """Bind ``value`` to ``var``."""
        self._bindings.append((var, value))

    def close(self, body: Expr) -> Expr:
        """Return ``body`` within all the lets."""
        for var, value in reversed(self._bindings):
            body = Let(var, value, body)
        return body

    def flatten(
        self, exprs: Sequence[tuple[Expr, Type | None]], known: dict[Expr, Expr]
    ) -> list[Expr]:
        """Bind every call, tuple and projection in ``exprs``; return what stands for each.

        Args:
            exprs: Expressions with their types. Parts that they share are bound once.
            known: What stands for some nodes already.
        """
        flattener = _Flattener(self, known)
        return [flattener.bound(expr, ty) for expr, ty in exprs]


class _Flattener(MixedModeMutator):
    """Puts a variable in the place of what it binds; functions and branches stay whole."""

    def __init__(self, bindings: Bindings, known: dict[Expr, Expr]) -> None:
        self._bindings = bindings
        self._known = known
        self.memo_map.update(known.items())

    def bound(self, expr: Expr, ty: Type | None) -> Expr:
        """Return what stands for ``expr``, of type ``ty``."""
        if expr not in self.memo_map and type(expr) in _FLATTENED:
            self.memo_map[expr] = self._bindings.push(self.mutate_children(expr), ty)
        return self.visit(expr)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:  # noqa: ARG002
        return self._bindings.push(post)

    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:  # noqa: ARG002
        return self._bindings.push(post)

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:  # noqa: ARG002
        return self._bindings.push(post)

    def visit_function(self, func: Function) -> Expr:
        return self._bound_whole(func)

    def visit_if(self, if_: If) -> Expr:
        return self._bound_whole(if_)

    def visit_let(self, let: Let) -> Expr:
        return self._bound_whole(let)

    def visit_match(self, match_: Match) -> Expr:
        return self._bound_whole(match_)

    def _bound_whole(self, expr: Expr) -> Expr:
        substitution = ExprMutator()
        substitution.memo_map.update(self._known.items())
        return self._bindings.push(substitution.visit(expr))
