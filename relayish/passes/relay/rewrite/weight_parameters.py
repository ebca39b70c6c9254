"""Parameters of functions that others take the place of: weights that come in another form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from relayish.analysis.call_graph import count_global_references
from relayish.analysis.variables import free_vars
from relayish.errors import PassError, suggest
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule

_KNOWN: Final[WeakKeyDictionary[IRModule, frozenset[str]]] = WeakKeyDictionary()
"""By module: the names of the parameters of its functions."""


def check_weight_names(names: Sequence[str], func: Function, mod: IRModule | None) -> None:
    """Refuse names that no parameter of ``func`` has, nor one of another function of ``mod``.

    A weight ``w`` whose place another parameter has taken, as ``w.data``, may be named again.

    Raises:
        PassError: If a name is that of no parameter, or comes twice.

    Complexity:
        Linear in the parameters of ``func``; in those of ``mod`` once.
    """
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise PassError(f"the weight {twice[0]!r} is named twice; name it once")
    known = _names_of((func,))
    missing = [name for name in names if name not in known]
    if not missing:
        return
    if mod is not None:
        if mod not in _KNOWN:
            _KNOWN[mod] = _names_of(mod.functions_of(Function).values())
        known |= _KNOWN[mod]
        missing = [name for name in missing if name not in known]
    if missing:
        raise PassError(
            f"the weight {missing[0]!r} is no parameter{suggest(missing[0], known)}; name "
            f"parameters of the functions that are given"
        )


def _names_of(functions: Iterable[Function]) -> frozenset[str]:
    names = [param.name_hint for func in functions for param in func.params]
    return frozenset([*names, *[name.rpartition(".")[0] for name in names if "." in name]])


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
