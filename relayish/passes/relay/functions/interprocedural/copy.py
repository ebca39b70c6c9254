"""Alpha-renamed copies of expressions.

A variable is bound once in a program, so an expression that is to stand in a second place of it
needs variables of its own. What has an effect, or makes a reference, needs nodes of its own as
well: a node that several places share is evaluated once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar, cast

from relayish.analysis.referential_transparency import find_opaque_nodes
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.naming import name_of
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Type
from relayish.ir.scopes.renaming import (
    duplicate,
    make_fresh_variable,
    make_fresh_variables,
    rename_bound,
    replace_nodes,
)

_Copy = TypeVar("_Copy", bound=Expr)
_Node = TypeVar("_Node", bound=Node)


def make_fresh_var(var: Expr, *, typed: bool = False) -> Var:
    """Return another variable of the same name and type, which a function may take.

    It is Relay's, of whatever kind the first one is. With ``typed``, it carries the type that
    ``var`` carries; see :func:`has_said_type`.
    """
    if type(var) is Var:
        device, carried = var.virtual_device, var.checked_type if typed else None
        annotation = var.type_annotation
        return Var(var.name_hint, annotation, None, device, span=var.span, checked_type=carried)
    return Var(name_of(var), var.checked_type, span=var.span)


def has_said_type(var: Expr) -> bool:
    """Return whether ``var`` carries the type it is annotated with, as fresh ones made of it may.

    A variable of an operator has a type that no annotation can say.
    """
    if type(var) is not Var or var.checked_type is None:
        return False
    said = var.type_annotation
    return said is not None and structural_equal(said, var.checked_type)


def retype_var(var: _Node, retype: Callable[[Type], Type]) -> _Node:
    """Return another variable of the same kind, of other types, which names no other variable."""
    changes: dict[str, object] = {}
    for declared in var.fields_:
        held = getattr(var, declared.name)
        if type(held) in VARIABLES:
            changes[declared.name] = declared.default
        elif isinstance(held, Type) and not declared.inferred:
            changes[declared.name] = retype(held)
    image: _Node = make_fresh_variable(var).with_fields(**changes)
    return image


def substitute_all(expr: _Copy, values: Mapping[Expr, Expr], *, typed: bool = False) -> _Copy:
    """Return ``expr`` with each key of ``values`` replaced; what is put in is not looked into.

    Nothing is renamed: ``expr`` binds no variable that occurs free in a value. With ``typed``, each
    value has the type of what it replaces, and what carries a type keeps it.

    Returns:
        ``expr`` itself when no key occurs in it; sharing is preserved.

    Complexity:
        Linear in the number of distinct nodes of ``expr``; no recursion.
    """
    return replace_nodes(expr, values, traversal=EXPRESSIONS, typed=typed)


def substitute_body(
    function: Function, values: Mapping[Expr, Expr], *, typed: bool = False
) -> Function:
    """Return ``function`` with :func:`substitute_all` done in its body; itself if that stays."""
    body = substitute_all(function.body, values, typed=typed)
    if body is function.body:
        return function
    return function.with_fields(body=body, checked_type=function.checked_type if typed else None)


def copy_expr(expr: Expr, values: Mapping[Expr, Expr], *, typed: bool = False) -> Expr:
    """Return ``expr`` with each key of ``values`` replaced, and with fresh variables bound in it.

    With ``typed``, each value has the type of what it replaces, and types are kept.

    Complexity:
        Linear in the number of distinct nodes of ``expr``; no recursion.
    """
    if type(expr) in ATOMS and EXPRESSIONS.push_all[type(expr)] is None:
        return values.get(expr, expr)
    image = substitute_all(expr, copy_vars(expr, values, typed=typed), typed=typed)
    return OwnNodes(find_opaque_nodes(expr), values.values()).of(image)


def copy_vars(expr: Expr, values: Mapping[Expr, Expr], *, typed: bool = False) -> dict[Expr, Expr]:
    """Return ``values``, and a fresh variable for each other one that is bound in ``expr``.

    With ``typed``, they carry the types of those they replace.

    Complexity:
        Linear in the number of distinct nodes of ``expr``; no recursion.
    """
    images = make_fresh_variables(expr, values, traversal=EXPRESSIONS, typed=typed)
    return cast("dict[Expr, Expr]", images)


def copy_function(function: Function) -> Function:
    """Return ``function`` with fresh parameters, and fresh variables bound in its body."""
    image = rename_bound(function, traversal=EXPRESSIONS)
    return OwnNodes(find_opaque_nodes(function), ()).of(image)


class OwnNodes:
    """Puts other nodes in the place of those that a copy shares with its original.

    Args:
        shared: The nodes of the original that must not be evaluated for the copy as well.
        kept: What was put into the copy from elsewhere, and stays.
    """

    def __init__(self, shared: Collection[Node], kept: Iterable[Node]) -> None:
        self._shared = shared
        self._images: dict[Node, Node] = {node: node for node in kept}

    def of(self, copy: _Copy) -> _Copy:
        """Return ``copy``, or a part of it, with nodes of its own; itself if it shares none.

        Complexity:
            Linear in the distinct nodes that were not met before; no recursion.
        """
        if not self._shared:
            return copy
        images, shared = self._images, self._shared
        for node in EXPRESSIONS.post_order(copy, lambda node: node not in images):
            if node in images:
                continue
            image = EXPRESSIONS.retain[type(node)](node, images.get)
            if image is node and node in shared:
                image = duplicate(node)
            images[node] = image
        return cast("_Copy", images[copy])
