"""Call variables by the order in which they are bound.

Before::

    fn (%x) { let %tmp = negative(%x); add(%x, %tmp) }

After::

    fn (%a1) { let %a2 = negative(%a1); add(%a1, %a2) }
"""

from __future__ import annotations

from collections.abc import Mapping

from relayish.analysis.variables import free_vars
from relayish.errors import UnknownNameError, WellFormedError, suggest
from relayish.ir.fields.naming import display_name, name_field, name_of
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.renaming import replace_nodes, with_names
from relayish.ir.scopes.scoping import bound_by
from relayish.pass_infra import register_pass


def rename_vars(expr: Expr, named: Mapping[str, Var] | None = None) -> Expr:
    """Return ``expr`` with its bound variables called ``a1``, ``a2``, … in order of binding.

    That is those of every kind that has a name: a field of text that is declared a hint. Variables
    of other kinds, which text calls by their kind, stay as they are and are not counted.

    Args:
        expr: Any well-formed expression.
        named: What to put in the place of free variables, by their names; they stay as they are
            where it is not given.

    Returns:
        ``expr`` itself when its variables have these names.

    Raises:
        UnknownNameError: If ``named`` is given and lacks the name of a free variable.
        WellFormedError: If a variable is bound twice.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        RAF ``RenameVars``.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> x, y = Var("x"), Var("y")
        >>> rename_vars(Function((x,), Tuple((x, y))), {"y": y}).params[0].name_hint
        'a1'

    """
    images: dict[Node, Node] = {}
    if named is not None:
        for var in free_vars(expr):
            name = name_of(var)
            if name not in named:
                raise UnknownNameError(
                    f"free variable {display_name(var)} has no entry in named"
                    f"{suggest(name, named)}; give one for each free variable"
                )
            images[var] = named[name]
    count = 0
    for bound in _collect_bound(expr):
        image = with_names(bound, images)
        hint = name_field(type(bound))
        if hint is not None:
            count += 1
            if name_of(bound) != f"a{count}":
                image = image.with_fields(**{hint.name: f"a{count}"})
        if image is not bound:
            images[bound] = image
    return replace_nodes(expr, images, traversal=EXPRESSIONS)


def _collect_bound(root: Expr) -> list[Node]:
    """Return the variables that ``root`` binds, in order."""
    bound: dict[Node, None] = {}
    for node in EXPRESSIONS.pre_order(root):
        for var in bound_by(node):
            if var in bound:
                raise WellFormedError(
                    f"variable {display_name(var)} is bound twice; a variable is bound once, use a "
                    f"new {type(var).__name__} for the second"
                )
            bound[var] = None
    return list(bound)


@register_pass("RenameVars", opt_level=0, idempotent=True)
def rename_bound_vars(func: Function) -> Function:
    """Alpha-renaming: call variables ``a1``, ``a2``, … in the order in which they are bound.

    What :func:`rename_vars` does where no variable is free.

    Example:
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.text import parse_expr
        >>> from relayish.transform import RenameVars
        >>> func = parse_expr("fn (%x: int32) { let %tmp = negative(%x); add(%x, %tmp) }")
        >>> main = RenameVars()(IRModule.from_expr(func))["main"]
        >>> main.params[0].name_hint, main.body.var.name_hint
        ('a1', 'a2')
    """
    image = rename_vars(func)
    assert isinstance(image, Function)
    return image
