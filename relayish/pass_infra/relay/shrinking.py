"""Making functions of Relay smaller, for :func:`~relayish.pass_infra.debug.shrink.shrink`.

A function becomes one of its own expressions, with what is free there as parameters; an expression
becomes a parameter, or of the same type one that it holds; parameters nobody uses go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from relayish.analysis.type_variables import free_type_vars
from relayish.analysis.variables import free_vars
from relayish.functor import ExprMutator
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.naming import name_of
from relayish.ir.nodes.node import NAMES
from relayish.ir.relay.expr import Expr, Function, GlobalVar, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TensorType, TupleType, Type
from relayish.ir.scopes.scoping import operands, scope_roots
from relayish.pass_infra.debug.shrink import SHRINKING, chunks, find_named


def _callable(mod: IRModule) -> Iterator[tuple[GlobalVar, Function]]:
    """Yield the functions whose type may change: those nobody else names."""
    used = find_named(mod, mod.functions.values())
    for var, func in mod.functions_of(Function).items():
        if var.name_hint not in used and not func.type_params:
            yield var, func


def _extract(mod: IRModule) -> Iterator[IRModule]:
    """Make a function of a part of a function, the smallest parts of each width first."""
    for var, func in _callable(mod):
        for node in _spread(_values(func)[:-1]):
            made = _function_of(node, func)
            if made is not None:
                yield mod.with_function(var, made)


def _spread(parts: Sequence[Expr]) -> Iterator[Expr]:
    """Yield each part once: some from everywhere first, then those between."""
    seen: set[int] = set()
    width = max(len(parts) // 8, 1)
    while True:
        for index in range(width - 1, len(parts), width):
            if index not in seen:
                seen.add(index)
                yield parts[index]
        if width == 1:
            return
        width //= 2


def _values(func: Function) -> list[Expr]:
    """Return the expressions of a body whose type a parameter can have, children before parents."""
    return [
        node
        for node in EXPRESSIONS.post_order(func.body)
        if isinstance(node, Expr)
        and type(node) not in NAMES
        and isinstance(node.checked_type, TensorType | TupleType | FuncType)
        and not free_type_vars(node.checked_type)
    ]


def _function_of(node: Expr, func: Function) -> Function | None:
    """Return a function that computes ``node``; ``None`` where that would be ``func`` again."""
    params, images = [], ExprMutator()
    for var in free_vars(node):
        if var in func.params:
            params.append(var)
            continue
        if var.checked_type is None or free_type_vars(var.checked_type):
            return None
        param = Var(name_of(var), var.checked_type, span=var.span)
        images.memo_map[var] = param
        params.append(param)
    body = images.visit(node)
    return None if body is func.body else func.with_fields(params=params, body=body, ret_type=None)


def _replace(
    mod: IRModule, choices: Callable[[Function], list[tuple[Expr, Expr]]]
) -> Iterator[IRModule]:
    """Replace expressions by what ``choices`` says, many at a time first."""
    for name, func in _callable(mod):
        pairs = choices(func)
        for chunk in chunks(len(pairs)):
            images = ExprMutator()
            images.memo_map.update(pairs[index] for index in chunk)
            made = images.visit(func)
            if isinstance(made, Function) and made is not func:
                free = free_vars(made)
                if any(type(var) is not Var for var in free):
                    continue  # a variable that no function can take
                made = made.with_fields(params=(*made.params, *free), ret_type=None)
                yield mod.with_function(name, made)


def _cut(mod: IRModule) -> Iterator[IRModule]:
    """Let parameters stand for calls, branches and values of lets; those near the result first."""

    def choices(func: Function) -> list[tuple[Expr, Expr]]:
        return [
            (node, Var("cut", node.checked_type, span=node.span))
            for node in reversed(_values(func))
            if node is not func.body and EXPRESSIONS.children(node)
        ]

    return _replace(mod, choices)


def _replace_by_operand(mod: IRModule) -> Iterator[IRModule]:
    """Put what an expression holds in its place, where both have one type."""

    def choices(func: Function) -> list[tuple[Expr, Expr]]:
        found = []
        for node in _values(func):
            operand = _operand(node)
            if operand is not None:
                found.append((node, operand))
        return found

    return _replace(mod, choices)


def _operand(node: Expr) -> Expr | None:
    """Return what may stand for ``node``: a branch, a body, an operand of its type."""
    for held in (*scope_roots(node), *operands(node)):
        if isinstance(held, Expr) and _same_type(held.checked_type, node.checked_type):
            return held
    return None


def _same_type(lhs: Type | None, rhs: Type | None) -> bool:
    return lhs is not None and rhs is not None and structural_equal(lhs, rhs)


def _drop_unused(mod: IRModule) -> Iterator[IRModule]:
    """Drop parameters of functions nobody names that their body does not use."""
    for name, func in _callable(mod):
        used = set(free_vars(func.body))
        params = [param for param in func.params if param in used]
        if len(params) < len(func.params):
            yield mod.with_function(name, func.with_fields(params=params))


SHRINKING.register(Expr, (_extract, _cut, _replace_by_operand, _drop_unused))
