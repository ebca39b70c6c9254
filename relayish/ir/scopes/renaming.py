"""Alpha-renaming and capture-avoiding substitution, for variables of any kind.

What binds variables is told by the roles of fields, so this holds of kinds that other packages
declare, and of the variables of other languages.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from relayish.errors import PassError
from relayish.ir.fields.naming import display_name
from relayish.ir.kinds.one_line import describe
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import Traversal
from relayish.ir.scopes.scoping import PROGRAM, bound_by, collect_variables

# Any: keys of mappings are of the kinds that callers have
N = TypeVar("N", bound=Node)


def make_fresh_variable(variable: N) -> N:
    """Return another variable of the same kind, with the same fields but what was inferred."""
    kind = type(variable)
    fields = [f.default if f.inferred else getattr(variable, f.name) for f in kind.fields_]
    made: N = kind._make(*fields)
    return made


def duplicate(node: N) -> N:
    """Return another node of the same fields: one that is evaluated, and compared, by itself.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> unit = Tuple(())
        >>> duplicate(unit) is unit, duplicate(unit).fields is unit.fields
        (False, True)
    """
    made: N = node._make(*[getattr(node, declared.name) for declared in node.fields_])
    return made


def make_fresh_variables(
    root: Node,
    images: Mapping[Any, Node] | None = None,
    *,
    traversal: Traversal = PROGRAM,
    typed: bool = False,
) -> dict[Node, Node]:
    """Return a fresh variable for each that ``root`` binds, and ``images``, which come first.

    Where a variable names another one that is replaced, its image names the image of that. With
    ``typed``, fresh ones carry what was inferred of those they replace.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    found: dict[Node, Node] = {}
    for node in traversal.pre_order(root):
        for variable in bound_by(node):
            if variable not in found:
                found[variable] = duplicate(variable) if typed else make_fresh_variable(variable)
    fresh = [variable for variable in found if not images or variable not in images]
    found.update(images or {})
    for variable in fresh:  # outer ones first, so what a variable names has its image
        found[variable] = with_names(found[variable], found)
    return found


def with_names(variable: N, images: Mapping[Node, Node]) -> N:
    """Return ``variable`` naming the images of the variables it names.

    An image of a kind that may not stand there is left out, where something need not. What was
    inferred of the variable holds of it still.
    """
    changes: dict[str, object] = {}
    for declared in variable.fields_:
        named = None if declared.kind is None else getattr(variable, declared.name)
        if isinstance(named, Node) and named in images:
            image = images[named]
            assert declared.kind is not None
            fits = isinstance(image, declared.kind)
            changes[declared.name] = image if fits else declared.default
    if not changes:
        return variable
    inferred = {f.name: getattr(variable, f.name) for f in variable.fields_ if f.inferred}
    return variable.with_fields(**inferred, **changes)


def replace_nodes(
    root: N, images: Mapping[Any, Node], *, traversal: Traversal = PROGRAM, typed: bool = False
) -> N:
    """Return ``root`` with each key of ``images`` replaced; what is put in is not looked into.

    Nothing is renamed: ``root`` binds no variable that occurs free in an image.

    Args:
        root: Any program.
        images: What to put in the place of each node.
        traversal: What of ``root`` is looked at.
        typed: Whether each image has the type of what it replaces, so that what is made anew keeps
            its type, if it carries one.

    Returns:
        ``root`` itself when no key occurs in it; sharing is preserved.

    Complexity:
        Linear in the number of distinct nodes of ``root``; no recursion.
    """
    found = dict(images)
    get, table = found.get, traversal.retain if typed else traversal.rebuild
    for node in traversal.post_order(root, lambda node: node not in found):
        if node in found:
            continue
        image = table[type(node)](node, get)
        if image is not node:
            found[node] = image
    return cast("N", get(root, root))


def rename_bound(root: N, *, traversal: Traversal = PROGRAM) -> N:
    """Return a copy of ``root`` that binds variables of its own, as a second place for it needs.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import Let, Tuple, Var
        >>> x, y = Var("x"), Var("y")
        >>> image = rename_bound(Let(x, y, Tuple((x, y))))
        >>> image.var is x, image.body.fields[0] is image.var, image.body.fields[1] is y
        (False, True, True)
    """
    return replace_nodes(root, make_fresh_variables(root, traversal=traversal), traversal=traversal)


def substitute_variables(
    root: N, images: Mapping[Any, Node], *, traversal: Traversal = PROGRAM
) -> N:
    """Return ``root`` with free variables replaced, without capture.

    A variable that ``root`` binds and that is free in one of the images is renamed in ``root``, so
    that images mean what they meant.

    Args:
        root: Any well-formed program, of any language.
        images: What to put in the place of each variable.
        traversal: What of ``root`` and of the images is looked at.

    Returns:
        ``root`` itself when none of the variables occurs. Shared nodes remain shared; an image
        used in several places is one node.

    Raises:
        PassError: If ``root`` binds one of the variables.

    Complexity:
        Linear in the distinct nodes of ``root`` and the images; no recursion.
    """
    occurring, bound = collect_variables(root, traversal)
    if not any(var in occurring for var in images):
        return root
    check_free(images, bound, root, traversal)
    found: dict[Node, Node] = dict(images)
    captured = find_captured_variables(bound, list(images.values()), traversal)
    found.update({var: make_fresh_variable(var) for var in captured})
    for var in captured:
        found[var] = with_names(found[var], found)
    return replace_nodes(root, found, traversal=traversal)


def find_captured_variables(
    bound: Container[Node], images: Sequence[Node], traversal: Traversal = PROGRAM
) -> list[Node]:
    """Return the free variables of ``images`` that are in ``bound``, and would be captured."""
    occurring, own = collect_variables(images, traversal)
    return [var for var in occurring if var in bound and var not in own]


def check_free(
    variables: Iterable[Node], bound: Container[Node], root: Node, traversal: Traversal = PROGRAM
) -> None:
    """Raise if one of ``variables``, which are to be replaced in ``root``, is ``bound`` there.

    Raises:
        PassError: Naming the variable and what binds it.
    """
    for var in variables:
        if var in bound:
            binder = next(node for node in traversal.pre_order(root) if var in bound_by(node))
            raise PassError(
                f"{display_name(var)} cannot be replaced: "
                f"{describe(binder)} binds it; only free variables are replaced"
            )
