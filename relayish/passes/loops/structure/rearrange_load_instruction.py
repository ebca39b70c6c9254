"""Load scheduling: what an innermost loop reads is read before it computes.

Before::

    serial for (k, 0, 32)
    {
      C[k] = (A[k] + B[k])
      D[k] = (A[k] * E[k])
    }

After::

    serial for (k, 0, 32)
    {
      float32 loaded = A[k]
      float32 loaded_0 = B[k]
      float32 loaded_1 = E[k]
      C[k] = (loaded + loaded_0)
      D[k] = (loaded * loaded_1)
    }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, bound_by, has_scopes
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.writes import memory_of
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.analysis.facts.scopes import enter_loop
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Block, For, Let
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.walk import Simplification, apply_simplification
from relayish.tir.substitution import replace


@register_pass("RearrangeLoadInstruction", opt_level=2, idempotent=True)
def rearrange_loads(func: LoweredFunc, *, most: int = 8) -> LoweredFunc:
    """Load scheduling: begin iterations of innermost loops with what they read of memory.

    Processors that run instructions in order then wait for all of it at once, not for one after
    another. Moved are loads that cannot fault, at indices that read no memory, of memory that the
    iteration does not write; each is loaded once. A single one stays, as there is nothing to be
    loaded meanwhile.

    Args:
        func: The function.
        most: How many loads an iteration begins with at most: each takes a register.

    Returns:
        ``func`` itself when nothing is moved.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``RearrangeLoadInstructionPass``.
    """
    rules = RuleSet.by_key({For: (_Rearrange(most).rearrange,)})
    return apply_simplification(func, Simplification(rules))


_IN_ORDER: Final = (ForType.SERIAL, ForType.PARALLEL, ForType.GPU_THREAD, ForType.GPU_BLOCK)


class _Rearrange:
    def __init__(self, most: int) -> None:
        self._most = most

    def rearrange(self, loop: For, facts: Facts) -> Stmt:
        body = loop.body
        if loop.for_type not in _IN_ORDER or not isinstance(body, Block) or not _is_leaf(body):
            return loop
        first = next((at for at, stmt in enumerate(body.stmts) if not _is_loaded(stmt)), 0)
        facts.enter_anew(enter_loop(facts.context, loop))
        groups = list(_groups(body.stmts[first:], facts))[: max(self._most - first, 0)]
        facts.leave()
        if len(groups) < 2:
            return loop
        lets = [Let(Var("loaded", group[0].type), group[0]) for group in groups]
        images: dict[Node, Node] = {
            load: let.symbol for let, group in zip(lets, groups, strict=True) for load in group
        }
        rest = [replace(stmt, images) for stmt in body.stmts[first:]]
        return loop.with_fields(body=body.with_fields(stmts=(*body.stmts[:first], *lets, *rest)))


def _is_leaf(body: Block) -> bool:
    """Return whether a block does nothing but declare, compute and store."""
    if not all(isinstance(stmt, (Let, Store)) for stmt in body.stmts):
        return False
    inside = PROGRAM.pre_order(body)
    return not any(effect_of(each) & ~_MEMORY for each in inside)


_MEMORY: Final = Effect.READS | Effect.WRITES


def _is_loaded(stmt: Stmt) -> bool:
    return isinstance(stmt, Let) and isinstance(stmt.body, Load)


def _groups(stmts: Sequence[Stmt], facts: Facts) -> Iterator[list[Load]]:
    """Yield the loads that may be moved before statements, those of one element together."""
    written = {memory_of(stmt.tensor) for stmt in stmts if isinstance(stmt, Store)}
    declared = {var for stmt in stmts for var in bound_by(stmt)}
    found: dict[Expr, list[Load]] = {}
    for load in _loads(stmts):
        if memory_of(load.tensor) in written or not facts.removable(load):
            continue
        inside = list(PROGRAM.pre_order(load.indices))
        if declared.isdisjoint(inside) and facts.context.is_stable(load.indices):
            found.setdefault(facts.numbers.number(load), []).append(load)
    yield from found.values()


def _loads(stmts: Sequence[Stmt]) -> Iterator[Load]:
    """Yield the loads that are evaluated whenever statements are, in order."""
    held: list[Node] = []
    for stmt in stmts:
        if isinstance(stmt, Store):
            held.append(stmt.value)
        elif isinstance(stmt, Let) and stmt.body is not None:
            held.append(stmt.body)
    for each in PROGRAM.pre_order(held, lambda node: not has_scopes(type(node))):
        if isinstance(each, Load) and isinstance(each.tensor, Tensor):
            yield each
