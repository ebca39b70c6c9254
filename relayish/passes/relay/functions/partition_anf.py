"""Cut a long chain of lets into functions.

Before, in parts of two::

    let %a = negative(%x);
    let %b = add(%a, %x);
    let %c = multiply(%b, %a);
    %c

After::

    let %partition_0 = fn (%x1) {
        let %a1 = negative(%x1); let %b1 = add(%a1, %x1); let %results = (%a1, %b1); %results
    };
    let %results_0 = %partition_0(%x);
    let %a = %results_0.0;
    let %b = %results_0.1;
    let %c = multiply(%b, %a);
    %c
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.analysis.effectful import EffectfulNodes, FindEffectful
from relayish.analysis.function_types import function_type
from relayish.analysis.infer_type import infer_type
from relayish.analysis.variables import free_vars
from relayish.errors import PassError
from relayish.functor.relay.substitute import substitute
from relayish.ir.nodes.getters import is_declaration
from relayish.ir.relay.expr import Call, Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TupleType
from relayish.ir.scopes.renaming import replace_nodes
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.copy import (
    has_said_type,
    make_fresh_var,
)
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form


def partition_anf(
    func: Function,
    max_num_ops: int,
    mod: IRModule | None = None,
    *,
    find_effectful: FindEffectful | None = None,
) -> Function:
    """Return ``func`` in A-normal form, its chain of lets cut into functions.

    Each takes the variables it needs from outside as parameters and returns those that are needed
    after it: one as it is, several in a tuple. A part of a single let stays where it is, and so do
    lets of polymorphic functions, because a parameter or field has but one type.

    Args:
        func: Any well-typed function.
        max_num_ops: The most lets a part may have, from 1.
        mod: Where global names and types are defined.
        find_effectful: What tells which nodes may act, where that is known for all of ``mod``.

    Returns:
        ``func`` itself when its chain is not longer than one part.

    Raises:
        PassError: If ``max_num_ops`` is less than 1.

    Complexity:
        Linear in distinct nodes, and in the variables parts have in common; no recursion.

    Source:
        RAF ``PartitionANF``.
    """
    if max_num_ops < 1:
        raise PassError(
            f"max_num_ops is the number of lets in a part, at least 1; found {max_num_ops}"
        )
    normal = to_a_normal_form(func, mod, find_effectful=find_effectful)
    assert isinstance(normal, Function)
    if len(_chain(normal.body)) <= max_num_ops:
        return func
    typed = infer_type(normal, mod)
    partitioner = _Partitioner(typed.body)
    body = partitioner.partition(max_num_ops)
    if body is typed.body:
        return typed
    return typed.with_fields(
        body=body, checked_type=typed.checked_type if partitioner.typed else None
    )


def _chain(expr: Expr) -> list[Let]:
    chain: list[Let] = []
    while type(expr) is Let:
        chain.append(expr)
        expr = expr.body
    return chain


class _Partitioner:
    """Cuts one chain."""

    def __init__(self, body: Expr) -> None:
        self.chain = _chain(body)
        self.result = self.chain[-1].body
        self.used = [_variables(let) for let in self.chain]
        self.last_use: dict[Var, int] = {}
        for number, used in enumerate(self.used):
            self.last_use.update(dict.fromkeys(used, number))
        self.last_use.update(dict.fromkeys(free_vars(self.result), len(self.chain)))
        self.count = 0
        free = dict.fromkeys(var for used in self.used for var in used)
        self.typed = all(map(has_said_type, [*free, *(let.var for let in self.chain)]))
        """Whether types can be handed on to what is made of variables."""

    def partition(self, size: int) -> Expr:
        body = self.result
        ty = self.chain[0].checked_type if self.typed else None
        for part in reversed(self.parts(size)):
            first = self.chain[part[0]]
            if len(part) == 1:
                if body is not first.body:
                    body = first.with_fields(body=body, checked_type=ty)
                else:
                    body = first
                continue
            for var, value in reversed(self.as_function(part)):
                body = Let(var, value, body, span=first.span, checked_type=ty)
        return body

    def parts(self, size: int) -> list[Sequence[int]]:
        """Return the numbers of the lets in each part."""
        parts: list[Sequence[int]] = []
        start = 0
        for number, let in enumerate(self.chain):
            if _is_polymorphic(let.var) or is_declaration(
                type(let.value)
            ):  # a function would hide it
                parts += [range(start, number)] if start < number else []
                parts.append(range(number, number + 1))
                start = number + 1
            elif number + 1 - start == size:
                parts.append(range(start, number + 1))
                start = number + 1
        if start < len(self.chain):
            parts.append(range(start, len(self.chain)))
        return parts

    def find_live_after(self, lets: Sequence[Let], last: int) -> list[Var]:
        """Return the variables that are used behind a part, or share memory with such."""
        needed: set[Var] = set()
        for let in reversed(lets):
            if self.last_use.get(let.var, -1) > last or let.var in needed:
                needed.add(let.var)
                if let.var.may_share is not None:
                    needed.add(let.var.may_share)
        return [let.var for let in lets if let.var in needed]

    def as_function(self, part: Sequence[int]) -> list[tuple[Var, Expr]]:
        """Return what to bind in place of a part: the function, its call, and its results."""
        lets = [self.chain[number] for number in part]
        own = {let.var for let in lets}
        taken = [
            var
            for var in dict.fromkeys(var for number in part for var in self.used[number])
            if var not in own and not _is_polymorphic(var)
        ]
        given = self.find_live_after(lets, part[-1])
        params = [make_fresh_var(var, typed=self.typed) for var in taken]
        inside: dict[Var, Var] = dict(zip(taken, params, strict=True))
        names: list[Var] = []
        for let in lets:
            image = inside.get(let.var.may_share) if let.var.may_share is not None else None
            names.append(self.rename(let.var, image))
            inside[let.var] = names[-1]
        number, self.count = self.count, self.count + 1
        result: Expr = inside[given[0]] if len(given) == 1 else self.pack(inside, given)
        ty = result.checked_type
        for at, let, name in zip(reversed(part), reversed(lets), reversed(names), strict=True):
            value = self.replace(let.value, {v: inside[v] for v in self.used[at] if v in inside})
            result = Let(name, value, result, span=let.span, checked_type=ty)
        func_type = function_type(params, ty)
        made = Function(tuple(params), result, ty, checked_type=func_type)
        function = Var(f"partition_{number}", func_type, checked_type=func_type)
        call = Call(function, tuple(taken), checked_type=ty)
        if len(given) == 1:
            return [(function, made), (given[0], call)]
        results = Var(f"results_{number}", ty, checked_type=ty)
        fields = [
            (var, TupleGetItem(results, index, checked_type=var.checked_type if ty else None))
            for index, var in enumerate(given)
        ]
        return [(function, made), (results, call), *fields]

    def rename(self, var: Var, shared: Var | None) -> Var:
        """Return another variable of that name and type, which shares the memory of ``shared``."""
        ty = var.checked_type if self.typed else None
        return Var(var.name_hint, var.type_annotation, shared, span=var.span, checked_type=ty)

    def pack(self, inside: Mapping[Var, Var], given: Sequence[Var]) -> Let:
        """Return what binds and returns the tuple of what a part gives."""
        fields = tuple([inside[var] for var in given])
        types = [field.checked_type for field in fields]
        told = [ty for ty in types if ty is not None]
        ty = TupleType(tuple(told)) if self.typed else None
        results = Var("results", ty, checked_type=ty)
        return Let(results, Tuple(fields, checked_type=ty), results, checked_type=ty)

    def replace(self, value: Expr, images: dict[Var, Var]) -> Expr:
        """Return ``value`` with variables replaced, none of which it binds."""
        if self.typed:
            return replace_nodes(value, images, traversal=EXPRESSIONS, typed=True)
        return substitute(value, images)


def _is_polymorphic(var: Var) -> bool:
    ty = var.type_annotation if type(var) is Var else var.checked_type
    return type(ty) is FuncType and bool(ty.type_params)


def _variables(let: Let) -> tuple[Var, ...]:
    """Return the variables a let uses, that of the memory it shares included."""
    shared = let.var.may_share
    used = free_vars(let.value)
    return used if shared is None else (*used, shared)


@register_pass("PartitionANF", opt_level=0, infer_types=True)
def partition_anf_of_module(mod: IRModule, *, max_num_ops: int) -> IRModule:
    """Outline long chains of lets: cut them into functions of at most ``max_num_ops`` lets each.

    What :func:`partition_anf` does, with each function. Functions are brought into A-normal form if
    they have more bindings there.
    """
    find_effectful = EffectfulNodes(mod)
    return transform_functions(
        mod,
        lambda func: partition_anf(func, max_num_ops, mod, find_effectful=find_effectful),
        iterate_optimized_functions,
    )
