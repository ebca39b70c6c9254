"""Basic-block normal form: bind what several blocks share to variables.

Before::

    %0 = add(%x, %x);
    if (%c) { multiply(%0, 2) } else { %0 }

After::

    let %x_0 = add(%x, %x);
    if (%c) { multiply(%x_0, 2) } else { %x_0 }
"""

from __future__ import annotations

from relayish.analysis.effectful import EffectfulNodes, FindEffectful, find_effectful_nodes
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.normal_form.functions import transform_body, transform_functions
from relayish.passes.relay.normal_form.let_insertion import bind_lifted


def to_basic_block_normal_form(
    expr: Expr,
    mod: IRModule | None = None,
    *,
    find_effectful: FindEffectful | None = None,
    whole: bool = False,
) -> Expr:
    """Return ``expr`` with lets for the nodes that several blocks share.

    Blocks are bodies of functions, branches and arms. A shared node is bound in the innermost scope
    around its uses: one that two branches share stands in front of the ``If``, and is evaluated
    whichever is taken. What is shared within one block remains a graph, and so does what that block
    uses first, and then others inside of it: it is evaluated there as it stands. Where a node is
    bound that may act, so are all others that may, which keeps them in order.

    Args:
        expr: Any well-formed expression. Of a function the body is brought into the form. It may
            have free variables. Functions with the attribute ``Primitive`` stay as they are.
        mod: Where the functions are that ``expr`` calls by global name; without it they are taken
            to have effects.
        find_effectful: What tells which nodes may act, where that is known for all of ``mod``.
        whole: Whether to bind as well what the block around all uses uses first.

    Returns:
        ``expr`` itself when nothing is shared so.

    Raises:
        PassError: If a node that blocks share may act, and what would bind it evaluates it at
            another time than the blocks need it first.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on what several scopes share; no
        recursion.

    Source:
        Relay ``ToBasicBlockNormalForm``.

    Example:
        >>> from relayish.ir.relay.expr import If, Tuple, Var
        >>> x, shared = Var("x"), Tuple(())
        >>> let = to_basic_block_normal_form(If(x, shared, shared))
        >>> let.value is shared, let.body.true_branch is let.var
        (True, True)
    """
    find = find_effectful or (lambda body: find_effectful_nodes(body, mod))
    return transform_body(expr, lambda body: bind_lifted(body, find, whole=whole))


@register_pass(
    "ToBasicBlockNormalForm", opt_level=1, idempotent=True, ensures=("basic_block_normal_form",)
)
def to_basic_block_normal_form_of_module(mod: IRModule) -> IRModule:
    """Basic-block normal form: bind what branches, arms and bodies of functions share to variables.

    What :func:`to_basic_block_normal_form` does, with each function but for those other compilers
    own.
    """
    return _transform(mod, whole=False)


def bind_all_shared(mod: IRModule) -> IRModule:
    """Return ``mod`` with all that several blocks share bound, whichever uses it first."""
    return _transform(mod, whole=True)


def _transform(mod: IRModule, *, whole: bool) -> IRModule:
    find = EffectfulNodes(mod)
    return transform_functions(
        mod,
        lambda func: to_basic_block_normal_form(func, mod, find_effectful=find, whole=whole),
    )
