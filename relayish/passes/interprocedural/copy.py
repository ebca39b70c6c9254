"""Copies of expressions in which other variables are bound.

A variable is bound once in a program, so an expression that is to stand in a second place of it
needs variables of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from relayish.functor import ExprMutator
from relayish.ir.node import Node
from relayish.ir.relay.adt import PatternVar
from relayish.ir.relay.expr import Expr, Function, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS

BINDERS: Final[dict[type[Node], Callable[[Any], tuple[Var, ...]]]] = {  # Any: one kind of node
    Let: lambda let: (let.var,),
    Function: lambda function: function.params,
    PatternVar: lambda pattern: (pattern.var,),
}
"""The variables that nodes of each kind bind."""


def fresh_var(var: Var) -> Var:
    """Return another variable of the same name and annotation."""
    return Var(var.name_hint, var.type_annotation, span=var.span)


def substituted(expr: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """Return ``expr`` with each key of ``values`` replaced; what is put in is not looked into.

    Nothing is renamed: ``expr`` binds no variable that occurs free in a value.

    Returns:
        ``expr`` itself when no key occurs in it; sharing is preserved.

    Complexity:
        Linear in the number of distinct nodes of ``expr``; no recursion.
    """
    mutator = ExprMutator()
    mutator.memo_map.update(values.items())  # what is put in is not visited
    return mutator.visit(expr)


def copied(expr: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """Return ``expr`` with each key of ``values`` replaced, and with fresh variables bound in it.

    Complexity:
        Linear in the number of distinct nodes of ``expr``; no recursion.
    """
    return substituted(expr, copied_vars(expr, values))


def copied_vars(expr: Expr, values: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return ``values``, and a fresh variable for each other one that is bound in ``expr``.

    Complexity:
        Linear in the number of distinct nodes of ``expr``; no recursion.
    """
    images: dict[Expr, Expr] = {}
    sharing: list[Var] = []
    for node in EXPRESSIONS.pre_order(expr):
        binds = BINDERS.get(type(node))
        if binds is None:
            continue
        for var in binds(node):
            images[var] = fresh_var(var)
            if var.may_share is not None:
                sharing.append(var)
    images.update(values)
    for var in sharing:  # outer ones first, so what a variable shares with has its image
        image = images[var]
        assert isinstance(image, Var)
        assert var.may_share is not None
        other = images.get(var.may_share, var.may_share)
        images[var] = image.with_fields(may_share=other if isinstance(other, Var) else None)
    return images


def copied_function(function: Function) -> Function:
    """Return ``function`` with fresh parameters, and fresh variables bound in its body."""
    image = copied(function, {})
    assert isinstance(image, Function)
    return image
