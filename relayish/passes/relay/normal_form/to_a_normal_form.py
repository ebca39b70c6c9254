"""A-normal form: bind every intermediate value to a variable.

Before::

    %0 = add(%x, 1);
    if (%c) { multiply(%0, %0) } else { %0 }

After::

    let %x_1 = 1;
    let %x_2 = add(%x, %x_1);
    let %x_3 = if (%c) { let %x_0 = multiply(%x_2, %x_2); %x_0 } else { %x_2 };
    %x_3
"""

from __future__ import annotations

from relayish.analysis.effectful import EffectfulNodes, FindEffectful, find_effectful_nodes
from relayish.analysis.normal_form import is_a_normal_form
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.normal_form.functions import transform_body, transform_functions
from relayish.passes.relay.normal_form.let_insertion import bind_all


def to_a_normal_form(
    expr: Expr, mod: IRModule | None = None, *, find_effectful: FindEffectful | None = None
) -> Expr:
    """Return ``expr`` in A-normal form: operands are names, lets bind everything else in order.

    A node that several places share is bound once, in the innermost scope around all of them: one
    that two branches share stands in front of the ``If``, and is evaluated whichever is taken.
    Constants are bound as well. Lets in the values of others become one chain, to which each let
    that is not needed for it adds another name of its result. Where devices are planned, each value
    has an ``on_device`` around it that says its own.

    Args:
        expr: Any well-formed expression. Of a function the body is brought into the form. It may
            have free variables. Functions with the attribute ``Primitive`` stay as they are.
        mod: Where the functions are that ``expr`` calls by global name; without it they are taken
            to have effects, and what they may act on keeps its order.
        find_effectful: What tells which nodes may act, where that is known for all of ``mod``.

    Returns:
        ``expr`` itself when it is in A-normal form.

    Raises:
        PassError: If a node that blocks share may act, and what would bind it evaluates it at
            another time than the blocks need it first.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on what several scopes share; no
        recursion.

    Source:
        Relay ``ToANormalForm``, which changes the module it is given, binds another name for the
        result of each let even where the form is reached, and is quadratic on chains of lets.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x = Var("x")
        >>> tup = to_a_normal_form(Tuple((Tuple((x,)),)))
        >>> tup.value.fields[0] is x, tup.body.value.fields[0] is tup.var
        (True, True)
    """
    if is_a_normal_form(expr):
        return expr
    find = find_effectful or (lambda body: find_effectful_nodes(body, mod))
    around = expr.virtual_device if type(expr) is Function else None
    return transform_body(expr, lambda body: bind_all(body, find, around))


def ToANormalFormExpr(e: Expr) -> Expr:  # noqa: N802 - Relay's name
    """Return ``e`` in A-normal form, as :func:`to_a_normal_form` does.

    Source:
        Relay ``ToANormalFormExpr``.
    """
    return to_a_normal_form(e)


@register_pass("ToANormalForm", opt_level=1, idempotent=True, ensures=("a_normal_form",))
def to_a_normal_form_of_module(mod: IRModule) -> IRModule:
    """A-normal form: bind every intermediate value to a variable, so that operands are names.

    What :func:`to_a_normal_form` does, with each function but for those other compilers own.
    """
    find_effectful = EffectfulNodes(mod)
    return transform_functions(
        mod, lambda func: to_a_normal_form(func, mod, find_effectful=find_effectful)
    )
