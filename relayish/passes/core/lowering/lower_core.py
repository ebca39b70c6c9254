"""Lowering of core to the loop IR.

Before::

    i = 0 .. n: a[i] = i * i

After::

    serial for (i, 0, n)
    {
      a[i] = (i * i)
    }
"""

from __future__ import annotations

from typing import Any

from relayish import tir
from relayish._support.collector import pause_collection
from relayish.core.ir.definition import FuncDecl, FuncEntry, GlobalVariable
from relayish.core.ir.stmt import Call
from relayish.core.ir.symbol import Global
from relayish.core.layout import layout_of
from relayish.domain import Handler, assemble
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.passes.core.lowering.lower import LowerCoreCtx
from relayish.passes.core.lowering.memory import Places, Signature, signature_of
from relayish.passes.loops.structure.transform_poly_for_to_for import transform_poly_for_to_for


@register_pass("LowerCore", opt_level=0, idempotent=True)
def lower_core(mod: IRModule) -> IRModule:
    """Lower core to the loop IR: each function of core becomes one of loops and buffers.

    A lowered function takes first the formals that are numbers, in order, then for each formal
    that is an address how many elements there are, as ``int32``; after that buffers: for each such
    formal that of the elements, for each variable of the module that it uses, or that what it calls
    does, one of its shape, in the order of the module, and one of one element that takes what is
    returned. Scalars, and the fields of structures, become scalars; arrays become buffers.

    A loop whose variable nothing else changes becomes one of its own; where its trip count is
    known, a ``For``. Others become ``PolyFor``, which asks for the condition each time. Notes are
    left out. Calls of functions that are declared only become calls of externs.

    Returns:
        The module with functions of the loop IR under the names of those of core; all else stays,
        and so does ``mod`` itself where there are none.

    Raises:
        LoweringError: If there is what the loop IR cannot hold: addresses other than of elements
            of arrays, structures in memory, indirect calls, returns in the middle of a function.

    Complexity:
        Linear in the functions, and in calls times the variables of the module that they lead to.
    """
    return lower_core_with(mod)


def lower_core_with(mod: IRModule, *handlers: Handler | type[Handler]) -> IRModule:
    """Lower core as :func:`lower_core`, with handlers for other domains.

    Args:
        mod: The module.
        handlers: What lowers nodes in place of the handlers that domains registered for the task
            ``"lower_to_loops"``: expressions to one of the loop IR, statements to a list.
    """
    functions = {mod.name_of(key) or "": f for key, f in mod.functions_of(FuncEntry).items()}
    if not functions:
        return mod
    declared = {mod.name_of(key) or "": f for key, f in mod.functions_of(FuncDecl).items()}
    variables = {mod.name_of(key) or "": v for key, v in mod.functions_of(GlobalVariable).items()}
    with pause_collection():
        used = _variables_used(functions, variables)
        signatures = {name: signature_of(func, used[name]) for name, func in functions.items()}
        known: dict[str, Signature | FuncDecl] = {**declared, **signatures}
        layout = layout_of(mod)
        made: dict[Any, Any] = {}  # Any: as modules hold them
        for key, func in mod.functions_of(FuncEntry).items():
            name = mod.name_of(key) or ""
            places = Places(name, func, signatures[name], variables, layout)
            context = LowerCoreCtx(func, places, known)
            body = assemble("lower_to_loops", context, *handlers, occurrences=False).visit(
                func.body
            )
            lowered = tir.LoweredFunc(
                name,
                tuple(places.args),
                tir.Block((*places.declared, *body)),
                tuple(places.buffers),
            )
            made[key] = transform_poly_for_to_for(lowered)
        return mod.with_functions(made)


def _variables_used(
    functions: dict[str, FuncEntry], variables: dict[str, GlobalVariable]
) -> dict[str, list[str]]:
    """Return the variables of the module that each function, or what it calls, uses."""
    used: dict[str, set[str]] = {}
    callers: dict[str, set[str]] = {name: set() for name in functions}
    for name, func in functions.items():
        mine = used[name] = set()
        for node in PROGRAM.pre_order(func.body):
            if isinstance(node, Global) and node.name in variables:
                mine.add(node.name)
            if isinstance(node, Call) and node.entry.name in functions:
                callers[node.entry.name].add(name)
    pending = list(functions)
    while pending:
        name = pending.pop()
        for caller in callers[name]:
            if not used[name] <= used[caller]:
                used[caller] |= used[name]
                pending.append(caller)
    return {name: [each for each in variables if each in used[name]] for name in functions}
