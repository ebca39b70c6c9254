"""Copies of expressions in which other variables are bound.

A variable is bound once in a program, so an expression that is to stand in a second place of it
needs variables of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.renaming import fresh_variables, rename_bound, replace_nodes


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
    return replace_nodes(expr, values, traversal=EXPRESSIONS)


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
    images = fresh_variables(expr, values, traversal=EXPRESSIONS)
    return cast("dict[Expr, Expr]", images)


def copied_function(function: Function) -> Function:
    """Return ``function`` with fresh parameters, and fresh variables bound in its body."""
    return rename_bound(function, traversal=EXPRESSIONS)
