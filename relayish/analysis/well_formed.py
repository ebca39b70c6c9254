"""Whether every variable is bound at most once, and used only where it is in scope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from relayish.errors import WellFormedError
from relayish.ir.node import Node
from relayish.ir.relay.adt import Match, PatternVar
from relayish.ir.relay.expr import Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS, PATTERNS
from relayish.ir.scope_tree import ScopeTree


def well_formed(program: Expr | IRModule) -> bool:
    """Return whether ``program`` keeps Relay's rules of scoping; see :func:`check_well_formed`.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> well_formed(Let(x, y, x)), well_formed(Let(x, y, Let(x, y, x)))
        (True, False)
    """
    try:
        check_well_formed(program)
    except WellFormedError:
        return False
    return True


def check_well_formed(program: Expr | IRModule) -> None:
    """Raise unless ``program`` keeps Relay's rules of scoping.

    A variable is bound at most once in the whole expression (a function that occurs in several
    places is one function). Where it is bound, every use lies in the scope of its binder: value and
    body of a let, body of a function, arm of a clause. A node that occurs in several places
    must be in scope in each. Variables that nothing binds are free, and welcome.
    The functions of a module are looked at one by one.

    Raises:
        WellFormedError: Naming the variable and, where nodes carry spans, the places.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on variables used in other scopes
        than that which binds them; no recursion.
    """
    if isinstance(program, IRModule):
        for name, definition in program.functions.items():
            try:
                _Checker(definition).check()
            except WellFormedError as error:
                error.add_note(f"in the definition of @{name.name_hint}")
                raise
        return
    _Checker(program).check()


_OPENS: Final = frozenset({Let, Function, Match})


class _Checker:
    """Places every node in the scope that all of its uses lie in, parents before children."""

    def __init__(self, root: Expr) -> None:
        self.order = EXPRESSIONS.post_order(root)
        self.tree = ScopeTree()
        self.scope: dict[Node, int] = {root: 0}
        self.binder: dict[Var, tuple[Expr, int]] = {}

    def check(self) -> None:
        scope_of, tree, push = self.scope, self.tree, EXPRESSIONS.push
        placed = scope_of.setdefault
        for node in reversed(self.order):
            kind = type(node)
            push_children = push[kind]
            if push_children is None or kind is Var or node not in scope_of:
                continue
            scope = scope_of[node]
            if kind in _OPENS:
                for child, inner in self.enter(node, scope):
                    if placed(child, inner) != inner:
                        scope_of[child] = tree.common(scope_of[child], inner)
                continue
            children: list[Node] = []
            push_children(node, (), children.append)
            for child in children:
                if placed(child, scope) != scope:
                    scope_of[child] = tree.common(scope_of[child], scope)
        for var, (binder, inner) in self.binder.items():
            used = scope_of.get(var)
            if used is not None and used != inner and tree.common(used, inner) != inner:
                self.refuse(var, binder, inner)

    def enter(self, node: Node, scope: int) -> Iterator[tuple[Node, int]]:
        """Bind what ``node`` binds; yield its children with the scopes they stand in."""
        if isinstance(node, Let):
            inner = self.tree.open(scope)
            self.bind(node.var, node, inner)
            yield node.value, inner
            yield node.body, inner
        elif isinstance(node, Function):
            inner = self.tree.open(scope)
            for param in node.params:
                self.bind(param, node, inner)
            yield node.body, inner
        else:
            assert isinstance(node, Match)
            yield node.data, scope
            for clause in node.clauses:
                inner = self.tree.open(scope)
                for pattern in PATTERNS.post_order(clause.lhs):
                    if isinstance(pattern, PatternVar):
                        self.bind(pattern.var, node, inner)
                yield clause.rhs, inner

    def bind(self, var: Var, binder: Expr, scope: int) -> None:
        if var in self.binder:
            first, _ = self.binder[var]
            raise WellFormedError(
                f"variable %{var.name_hint}{_at(var)} is bound twice: by {_name(first)} and by "
                f"{_name(binder)}; a variable is bound once, use a new Var for the second"
            )
        self.binder[var] = (binder, scope)

    def refuse(self, var: Var, binder: Expr, inner: int) -> None:
        """Raise the error for a variable that is used outside ``inner``."""
        outside = [
            parent
            for parent in self.order
            if parent in self.scope
            and parent is not binder
            and self.tree.common(self.scope[parent], inner) != inner
            and var in EXPRESSIONS.children(parent)
        ]
        used = f" by {_name(outside[0])}" if outside else ""
        raise WellFormedError(
            f"variable %{var.name_hint}{_at(var)} is used{used} outside the scope of its binder, "
            f"{_name(binder)}; use it only in there, or bind it further out"
        )


def _name(node: Node) -> str:
    return f"a {type(node).__name__.lower()}{_at(node)}"


def _at(node: Node) -> str:
    span = getattr(node, "span", None)
    return f" at {span}" if span is not None else ""
