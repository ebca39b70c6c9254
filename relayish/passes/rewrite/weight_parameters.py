"""Parameters of functions that others take the place of: weights that come in another form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.analysis.call_graph import count_global_references
from relayish.analysis.variables import free_vars
from relayish.errors import PassError
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule


def replace_parameters(
    func: Function, body: Expr, images: Mapping[Var, Sequence[Var]], mod: IRModule | None
) -> Function:
    """Return ``func`` with ``body``, and with new parameters behind those they stand for.

    A parameter with an image that the body does not use any more is left out.

    Raises:
        PassError: If a function of ``mod`` calls ``func`` or hands it on, with the old parameters.

    Complexity:
        Linear in the number of distinct nodes of ``mod``; no recursion.
    """
    if mod is not None:
        _check_that_nobody_calls(func, images, mod)
    used = set(free_vars(body))
    params: list[Var] = []
    for param in func.params:
        if param not in images or param in used:
            params.append(param)
        params.extend(images.get(param, ()))
    return func.with_fields(params=tuple(params), body=body)


def _check_that_nobody_calls(
    func: Function, images: Mapping[Var, Sequence[Var]], mod: IRModule
) -> None:
    names = [name.name_hint for name, other in mod.functions.items() if other is func]
    for user, other in mod.functions.items():
        for name in names:
            if name in count_global_references(other):
                weights = ", ".join([f"%{weight.name_hint}" for weight in images])
                raise PassError(
                    f"@{name} is to take other parameters in the place of {weights}, but "
                    f"@{user.name_hint} refers to it as it is; inline it there first, or leave "
                    f"out these weights"
                )
