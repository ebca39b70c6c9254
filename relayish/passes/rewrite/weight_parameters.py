"""Parameters of functions that others take the place of: weights that come in another form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.analysis.variables import free_vars
from relayish.ir.relay.expr import Expr, Function, Var


def replace_parameters(func: Function, body: Expr, images: Mapping[Var, Sequence[Var]]) -> Function:
    """Return ``func`` with ``body``, and with new parameters behind those they stand for.

    A parameter with an image that the body does not use any more is left out.
    """
    used = set(free_vars(body))
    params: list[Var] = []
    for param in func.params:
        if param not in images or param in used:
            params.append(param)
        params.extend(images.get(param, ()))
    return func.with_fields(params=tuple(params), body=body)
