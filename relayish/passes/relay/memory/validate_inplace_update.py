"""Drop ``may_share`` where the shared storage is still live.

Before, where ``%b`` may share the memory of ``%a``::

    let %b(share: %a) = scatter_elements(%a, %indices, %updates);
    add(%a, %b)

After::

    let %b = scatter_elements(%a, %indices, %updates);
    add(%a, %b)
"""

from __future__ import annotations

from relayish.analysis.liveness import analyse_liveness
from relayish.errors import PassError
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.passes.relay.memory.inplace_update import share


@register_pass("ValidateInplaceUpdate", opt_level=1, idempotent=True)
def validate_inplace_update(func: Function, *, enforce_inplace_update: bool = False) -> Function:
    """Validation of in-place updates: drop ``may_share`` where shared storage is still live.

    Return ``func`` in which variables share memory only where nothing is lost by it.

    A let-bound variable may not take the place of a value that is used later, perhaps by another
    name, as part of a tuple, by a closure or through a reference; nor that of a constant, or of
    something that a function around it, or the caller of an inner function, has.

    Args:
        func: A function in A-normal form, if any variable shares memory.
        enforce_inplace_update: Refuse ``func`` rather than let a value have memory of its own.

    Returns:
        ``func`` itself when every sharing is allowed.

    Raises:
        PassError: If one is not and ``enforce_inplace_update`` is true, or ``func`` is not in
            A-normal form.

    Complexity:
        That of :func:`~relayish.analysis.liveness.analyse_liveness`.

    Source:
        RAF ``ValidateInplaceUpdate``.

    Example:
        >>> from relayish.ir.relay.expr import Let, Var
        >>> from relayish.op import get_op
        >>> x, exp = Var("x"), get_op("exp")
        >>> a = Var("a", may_share=x)
        >>> func = Function((x,), Let(a, exp(x), x))
        >>> validate_inplace_update(func).body.var.may_share is None
        True
    """
    lets = [node for node in EXPRESSIONS.pre_order(func) if type(node) is Let]
    sharing = [(let.var, let.var.may_share) for let in lets if let.var.may_share is not None]
    if not sharing:
        return func
    liveness = analyse_liveness(func)
    refused: dict[Var, Var | None] = {}
    for var, place in sharing:
        if liveness.may_overwrite(var, place):
            continue
        if enforce_inplace_update:
            raise PassError(
                f"%{var.name_hint} cannot take the place of %{place.name_hint}, whose value is "
                f"needed later or is not this function's; let it have memory of its own"
            )
        refused[var] = None
    image = share(func, refused)
    assert isinstance(image, Function)
    return image
