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
from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scoping import bound_by, display_name, name_of
from relayish.transform import FunctionPass, register_pass


def rename_vars(expr: Expr, named: Mapping[str, Var] | None = None) -> Expr:
    """Return ``expr`` with its bound variables called ``a1``, ``a2``, … in order of binding.

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
    renaming = _Renaming()
    if named is not None:
        for var in free_vars(expr):
            name = name_of(var)
            if name not in named:
                raise UnknownNameError(
                    f"free variable {display_name(var)} has no entry in named"
                    f"{suggest(name, named)}; give one for each free variable"
                )
            renaming.memo_map[var] = named[name]
    renaming.name_all(expr)
    return renaming.visit(expr)


class _Renaming(ExprMutator):
    """Replaces variables by others."""

    def __init__(self) -> None:
        self._count = 0

    def name_all(self, root: Expr) -> None:
        """Give every variable that ``root`` binds its name."""
        bound: set[Var] = set()
        for node in EXPRESSIONS.pre_order(root):
            for var in bound_by(node):
                if isinstance(var, Var):
                    self._name(var, bound)

    def _name(self, var: Var, bound: set[Var]) -> None:
        if var in bound:
            raise WellFormedError(
                f"variable %{var.name_hint} is bound twice; a variable is bound once, use a new "
                f"Var for the second"
            )
        bound.add(var)
        self._count += 1
        shared = var.may_share
        if shared is not None:
            image = self.memo_map.get(shared, shared)
            assert isinstance(image, Var)
            shared = image
        name = f"a{self._count}"
        if var.name_hint == name and var.may_share is shared:
            self.memo_map[var] = var
        else:
            self.memo_map[var] = var.with_fields(name_hint=name, may_share=shared)


@register_pass(opt_level=0, idempotent=True)
class RenameVars(FunctionPass, applies=rename_vars):
    """Call the variables of each function ``a1``, ``a2``, … in the order in which they are bound.

    Pass form of :func:`rename_vars`.

    Example:
        >>> from relayish.text import parse_expr
        >>> func = parse_expr("fn (%x: int32) { let %tmp = negative(%x); add(%x, %tmp) }")
        >>> main = RenameVars()(IRModule.from_expr(func))["main"]
        >>> main.params[0].name_hint, main.body.var.name_hint
        ('a1', 'a2')
    """
