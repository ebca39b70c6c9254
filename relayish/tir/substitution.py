"""Capture-avoiding substitution and alpha-renaming in the loop IR, bounds of variables included.

What stands below :class:`Tensor` as its operation is not entered, nor are shapes of buffers: these
name no variables of loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar, cast

from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.renaming import (
    check_free,
    duplicate,
    find_captured_variables,
    make_fresh_variable,
    replace_nodes,
)
from relayish.ir.scopes.scoping import RoleTraversal, bound_by, collect_variables
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var

N = TypeVar("N", bound=Node)


class _WithBounds(RoleTraversal):
    """All that is evaluated, with the bounds of variables, which axes run over."""

    def fields(self, kind: type[Node]) -> list[Field]:
        if kind is Var:
            return [f for f in kind.fields_ if f.name in ("lower_bound", "upper_bound")]
        return super().fields(kind)


LOOPS: Final = _WithBounds(Role.OPERAND, Role.SCOPE, Role.BINDER, Role.PART)
"""All that a function of the loop IR evaluates, what it binds, and the bounds of that."""


def substitute(root: N, images: Mapping[Any, Node]) -> N:
    """Return ``root`` with each key of ``images``, a variable or any other node, replaced.

    Images are looked into: what occurs in them is replaced as well, so they may build upon one
    another, but none upon itself. Nothing is renamed: ``root`` binds no variable that is free in an
    image, and what binds a variable that is replaced is replaced itself.

    Returns:
        ``root`` itself when no key occurs in it; sharing is preserved.

    Complexity:
        Linear in the number of distinct nodes of ``root`` and the images; no recursion.

    Example:
        >>> from relayish.tir.ir.operators import IntImm
        >>> i, j = Var("i"), Var("j")
        >>> image = substitute(i + j, {i: j + 1, j: IntImm(2)})
        >>> image.a.a.value, image.b.value
        (2, 2)
    """
    return _rebuild(root, images, fresh=False) if images else root


def replace(root: N, images: Mapping[Any, Node]) -> N:
    """Return ``root`` with each key of ``images`` replaced; images are not looked into.

    Nothing is renamed: ``root`` binds no variable that is free in an image. Variables that it does
    not bind stay what they are, whatever their bounds name.

    Returns:
        ``root`` itself when no key occurs in it; sharing is preserved.

    Complexity:
        Linear in the number of distinct nodes of ``root``; no recursion.
    """
    occurring, bound = collect_variables(root, LOOPS)
    kept = {variable: variable for variable in occurring if variable not in bound}
    return replace_nodes(root, {**kept, **images}, traversal=LOOPS)


def replace_free_variables(root: N, images: Mapping[Any, Node]) -> N:
    """Return ``root`` with free variables replaced, without capture; images are not looked into.

    Returns:
        ``root`` itself when none of the variables occurs in it.

    Raises:
        PassError: If ``root`` binds one of the variables.

    Complexity:
        Linear in the number of distinct nodes of ``root`` and the images; no recursion.
    """
    occurring, bound = collect_variables(root, LOOPS)
    if not any(variable in occurring for variable in images):
        return root
    check_free(images, bound, root, LOOPS)
    captured = find_captured_variables(bound, list(images.values()), LOOPS)
    fresh = {variable: make_fresh_variable(variable) for variable in captured}
    if fresh:
        root = replace(root, fresh)  # their bounds still name what they named, until below
    return replace(root, {**fresh, **images})


def copy_with_fresh_variables(root: N, images: Mapping[Any, Node] | None = None) -> N:
    """Return a copy of ``root`` that binds variables of its own, as a second place for it needs.

    Its statements are nodes of its own as well; expressions are shared where they are the same.

    Args:
        root: A statement or expression.
        images: What to replace meanwhile, as in :func:`substitute`.

    Complexity:
        Linear in the number of distinct nodes of ``root`` and the images; no recursion.
    """
    return _rebuild(root, images or {}, fresh=True)


def _rebuild(root: N, images: Mapping[Any, Node], *, fresh: bool) -> N:
    def before(node: Node) -> tuple[Node] | None:
        image = images.get(node)
        return None if image is None else (image,)

    order = LOOPS.order_after(root, before)
    bound = {variable for node in order for variable in bound_by(node)}
    found: dict[Node, Node] = {}
    get, table = found.get, LOOPS.rebuild
    for node in order:
        if node in images:
            image = images[node]
            found[node] = get(image, image)
            continue
        if type(node) is Var and node not in bound:
            continue  # what is known of it is said where it is bound
        image = table[type(node)](node, get)
        if image is node and fresh:
            image = make_fresh_variable(node) if node in bound else _duplicate_statement(node)
        if image is not node:
            found[node] = image
    return cast("N", get(root, root))


def _duplicate_statement(node: Node) -> Node:
    return duplicate(node) if isinstance(node, Stmt) and not isinstance(node, Expr) else node
