"""Differentiability: which functions have a gradient."""

from __future__ import annotations

from relayish.analysis import free_vars
from relayish.errors import GradientError
from relayish.ir.fields.naming import display_name
from relayish.ir.relay.expr import Expr, Function
from relayish.passes.relay.gradient.ad.structure import tensors_in


def check_differentiable(expr: Expr) -> Function:
    """Return ``expr`` if it is a function that may be differentiated.

    Raises:
        GradientError: If it is not.
    """
    if not isinstance(expr, Function):
        raise GradientError(f"the gradient is that of a function; found {expr!r}")
    if expr.type_params:
        names = ", ".join(param.name_hint for param in expr.type_params)
        raise GradientError(f"the function has type parameters ({names}); a gradient needs types")
    free = free_vars(expr)
    if free:
        names = ", ".join(map(display_name, free))
        raise GradientError(f"the function has free variables ({names}); bind them first")
    for param in expr.params:
        ty = param.checked_type or param.type_annotation
        if ty is not None and tensors_in(ty) is None:
            raise GradientError(
                f"parameter %{param.name_hint} is a {ty}; "
                f"expected parameters that are tensors or tuples of them"
            )
    return expr
