"""Making a program smaller while something stays true of it: what is left shows why it is true.

What is tried, largest part first, as long as anything helps: a definition is dropped; a function
becomes one of its own expressions, with what is free there as parameters; an expression becomes a
parameter, or one of its own operands of the same type; bindings and parameters nobody uses go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from relayish.analysis import free_type_vars, free_vars, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.errors import RelayishError
from relayish.functor import ExprMutator
from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, If, Let, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TensorType, TupleType, Type
from relayish.ir.structural_equal import structural_equal

MOST_TRIES: Final = 2000
"""How many smaller programs are tried, if the caller does not say."""


def shrink(
    mod: IRModule, still: Callable[[IRModule], bool], *, most_tries: int = MOST_TRIES
) -> IRModule:
    """Return a smaller module of which ``still`` is true.

    Args:
        mod: A well-typed module of which ``still`` is true.
        still: Asked of well-formed and well-typed modules only. What it raises goes on.
        most_tries: How often it is asked at most.

    Returns:
        A module that none of the steps of this file makes smaller; ``mod`` itself if there is no
        step at all; the smallest that was found when ``most_tries`` are used up.

    Complexity:
        Linear in the size of the module for each try; halving sizes of steps, so that a fault of a
        few nodes is found in a number of tries that grows with the logarithm of the size.
    """
    return _Shrinker(still, most_tries).shrink(mod)


class _Shrinker:
    def __init__(self, still: Callable[[IRModule], bool], most_tries: int) -> None:
        self.still = still
        self.left = most_tries

    def shrink(self, mod: IRModule) -> IRModule:
        best = mod
        helped = True
        while helped and self.left > 0:
            helped = False
            for step in (_without_definitions, _extracted, _cut, _by_an_operand, _unused):
                found = self._repeat(step, best)
                helped = helped or found is not best
                best = found
        return best

    def _repeat(self, step: Callable[[IRModule], Iterator[IRModule]], mod: IRModule) -> IRModule:
        """Take the first program of ``step`` that serves, and go on from there."""
        while True:
            smaller = next((found for found in step(infer_type(mod)) if self._serves(found)), None)
            if smaller is None:
                return mod
            mod = smaller

    def _serves(self, mod: IRModule) -> bool:
        if self.left <= 0:
            return False
        self.left -= 1
        if not all(_is_closed(func) for func in mod.functions_of(Expr).values()):
            return False
        try:
            infer_type(mod)
        except RelayishError:  # a try that does not fit the types is no try
            return False
        return self.still(mod)


def _is_closed(func: Expr) -> bool:
    return well_formed(func) and not free_vars(func)


def _chunks(count: int) -> Iterator[range]:
    """Yield ranges of positions, the longest first: all, halves, quarters, …, each one."""
    width = count
    while width:
        for start in range(0, count, width):
            yield range(start, min(start + width, count))
        width //= 2


def _without_definitions(mod: IRModule) -> Iterator[IRModule]:
    names = mod.get_global_vars()
    for chunk in _chunks(len(names)):
        dropped = {names[index] for index in chunk}
        kept = {var: func for var, func in mod.functions.items() if var not in dropped}
        if kept and not dropped & _named(kept):
            yield mod.without_functions(dropped)


def _named(functions: Mapping[GlobalVar, Node]) -> set[Node]:
    return {
        node
        for func in functions.values()
        for node in EXPRESSIONS.post_order(func)
        if type(node) is GlobalVar
    }


def _callable(mod: IRModule) -> Iterator[tuple[GlobalVar, Function]]:
    """Yield the functions whose type may change: those nobody else names."""
    named = _named(mod.functions)
    for var, func in mod.functions.items():
        if isinstance(func, Function) and var not in named and not func.type_params:
            yield var, func


def _extracted(mod: IRModule) -> Iterator[IRModule]:
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


_NAMES: Final = frozenset({Op, GlobalVar})


def _values(func: Function) -> list[Expr]:
    """Return the expressions of a body whose type a parameter can have, children before parents."""
    return [
        node
        for node in EXPRESSIONS.post_order(func.body)
        if isinstance(node, Expr)
        and type(node) not in _NAMES
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
        param = Var(var.name_hint, var.checked_type, span=var.span)
        images.memo_map[var] = param
        params.append(param)
    body = images.visit(node)
    return None if body is func.body else func.with_fields(params=params, body=body, ret_type=None)


def _replaced(
    mod: IRModule, choices: Callable[[Function], list[tuple[Expr, Expr]]]
) -> Iterator[IRModule]:
    """Replace expressions by what ``choices`` says, many at a time first."""
    for name, func in _callable(mod):
        pairs = choices(func)
        for chunk in _chunks(len(pairs)):
            images = ExprMutator()
            images.memo_map.update(pairs[index] for index in chunk)
            made = images.visit(func)
            if isinstance(made, Function) and made is not func:
                free = free_vars(made)
                fields = {"params": (*made.params, *free), "ret_type": None}
                yield mod.with_function(name, made.with_fields(**fields))


def _cut(mod: IRModule) -> Iterator[IRModule]:
    """Let parameters stand for calls, branches and values of lets; those near the result first."""

    def choices(func: Function) -> list[tuple[Expr, Expr]]:
        return [
            (node, Var("cut", node.checked_type, span=node.span))
            for node in reversed(_values(func))
            if node is not func.body and EXPRESSIONS.children(node)
        ]

    return _replaced(mod, choices)


def _by_an_operand(mod: IRModule) -> Iterator[IRModule]:
    """Put an operand in place of what is computed of it, where both have one type."""

    def choices(func: Function) -> list[tuple[Expr, Expr]]:
        found = []
        for node in _values(func):
            operand = _operand(node)
            if operand is not None:
                found.append((node, operand))
        return found

    return _replaced(mod, choices)


def _operand(node: Expr) -> Expr | None:
    """Return what may stand for ``node``: a branch, a body, an argument of its type."""
    candidates = _OPERANDS.get(type(node))
    for operand in candidates(node) if candidates is not None else ():
        if _same_type(operand.checked_type, node.checked_type):
            return operand
    return None


# Any: a node of the kind that it stands beside
_OPERANDS: Final[dict[type[Node], Callable[[Any], tuple[Expr, ...]]]] = {
    Call: lambda call: call.args,
    If: lambda branch: (branch.true_branch, branch.false_branch),
    Let: lambda let: (let.body,),
}


def _same_type(lhs: Type | None, rhs: Type | None) -> bool:
    return lhs is not None and rhs is not None and structural_equal(lhs, rhs)


def _unused(mod: IRModule) -> Iterator[IRModule]:
    """Drop parameters of functions nobody names that their body does not use."""
    for name, func in _callable(mod):
        used = set(free_vars(func.body))
        params = [param for param in func.params if param in used]
        if len(params) < len(func.params):
            yield mod.with_function(name, func.with_fields(params=params))
