"""Transforming the functions of a module one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from relayish._support.collector import pause_collection
from relayish.errors import add_note
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.function_attributes import has_compiler, is_opaque, is_primitive
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import is_skipped


def iterate_own_functions(mod: IRModule) -> Iterator[tuple[GlobalVar, Function]]:
    """Yield the functions of ``mod`` but for those other compilers own."""
    for name, func in mod.functions_of(Function).items():
        if not has_compiler(func):
            yield name, func


def iterate_open_functions(mod: IRModule) -> Iterator[tuple[GlobalVar, Function]]:
    """Yield the functions of ``mod`` whose bodies may be looked into."""
    for name, func in mod.functions_of(Function).items():
        if not is_opaque(func):
            yield name, func


def iterate_optimized_functions(mod: IRModule) -> Iterator[tuple[GlobalVar, Function]]:
    """Yield the functions of ``mod`` but for those function passes leave alone."""
    for name, func in iterate_own_functions(mod):
        if not is_skipped(func):
            yield name, func


def transform_body(expr: Expr, transform: Callable[[Expr], Expr]) -> Expr:
    """Return ``expr`` transformed; of a function, the body."""
    if type(expr) is not Function:
        return transform(expr)
    return expr if is_primitive(expr) else expr.with_fields(body=transform(expr.body))


def transform_functions(
    mod: IRModule,
    transform: Callable[[Function], Expr],
    chosen: Callable[[IRModule], Iterator[tuple[GlobalVar, Function]]] = iterate_own_functions,
) -> IRModule:
    """Return ``mod`` with those of its functions transformed that ``chosen`` yields."""
    changed: dict[GlobalVar | str, Expr] = {}
    for name, func in chosen(mod):
        try:
            with pause_collection():  # what is known of a function lives until it is done
                image = transform(func)
        except BaseException as error:
            add_note(error, f"in function @{name.name_hint}")
            raise
        if image is not func:
            changed[name] = image
    return mod.with_functions(changed)
