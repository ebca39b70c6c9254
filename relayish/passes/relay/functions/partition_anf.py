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

from collections.abc import Sequence

from relayish.analysis.effectful import EffectfulNodes, FindEffectful
from relayish.analysis.infer_type import infer_type
from relayish.analysis.variables import free_vars
from relayish.errors import PassError
from relayish.functor.relay.substitute import substitute
from relayish.ir.nodes.getters import is_declaration
from relayish.ir.relay.expr import Call, Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.copy import make_fresh_var
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
    body = _Partitioner(typed.body).partition(max_num_ops)
    return typed if body is typed.body else typed.with_fields(body=body)


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

    def partition(self, size: int) -> Expr:
        body = self.result
        for part in reversed(self.parts(size)):
            if len(part) == 1:
                let = self.chain[part[0]]
                body = let.with_fields(body=body)
                continue
            for binding in reversed(self.as_function(part)):
                body = Let(binding[0], binding[1], body, span=self.chain[part[0]].span)
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
        params = [make_fresh_var(var) for var in taken]
        inside: dict[Var, Var] = dict(zip(taken, params, strict=True))
        names: list[Var] = []
        for let in lets:
            image = inside.get(let.var.may_share) if let.var.may_share is not None else None
            names.append(Var(let.var.name_hint, let.var.type_annotation, image, span=let.var.span))
            inside[let.var] = names[-1]
        number, self.count = self.count, self.count + 1
        results = Var("results")
        result: Expr = inside[given[0]] if len(given) == 1 else results
        if len(given) != 1:
            result = Let(results, Tuple(tuple([inside[var] for var in given])), results)
        for at, let, name in zip(reversed(part), reversed(lets), reversed(names), strict=True):
            images = {var: inside[var] for var in self.used[at] if var in inside}
            result = Let(name, substitute(let.value, images), result, span=let.span)
        function = Var(f"partition_{number}")
        made = Function(tuple(params), result)
        call = Call(function, tuple(taken))
        if len(given) == 1:
            return [(function, made), (given[0], call)]
        results = Var(f"results_{number}")
        fields = [(var, TupleGetItem(results, index)) for index, var in enumerate(given)]
        return [(function, made), (results, call), *fields]


def _is_polymorphic(var: Var) -> bool:
    ty = make_fresh_var(var).type_annotation
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
