"""Elimination of invariant loops: what each iteration does again is done once.

Before::

    serial for (k, 0, n)
    {
      serial for (i, 0, 16)
      {
        B[i] = 0
        B[i] = (B[i] + A[i])
      }
    }

After::

    if ((n > 0)) {
      serial for (i, 0, 16)
      {
        B[i] = 0
        B[i] = (B[i] + A[i])
      }
    }
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, bound_by, evaluated
from relayish.pass_infra import register_pass
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.dependence.dependences import loop_carried
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import GT, const
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.ir.tensor import Load, Store, Var
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.walk import Simplification, apply_simplification


@register_pass("EliminateInvariantLoop", opt_level=1, idempotent=True)
def eliminate_invariant_loops(func: LoweredFunc) -> LoweredFunc:
    """Elimination of invariant loops: run once what each iteration of a loop does alike.

    The body does not name the variable of the loop, and reads nothing that an iteration before
    leaves: what it reads is written nowhere in it, or by a statement before in the same iteration.
    Where it is not known that the loop runs, a branch asks. Loops that a device runs stay: which of
    its threads have seen the store of another is not said without a barrier.

    Returns:
        ``func`` itself when no loop is invariant.

    Complexity:
        That of the dependences of each loop whose variable nothing names.

    Source:
        CINN ``EliminateInvariantLoop``, which leaves out the branch, and takes the condition of
        the first iteration for that of all.
    """
    while True:  # what is found once may be copies that are apart afterwards
        rules = RuleSet.by_key({For: (_Eliminator(func).eliminate,)})
        image = apply_simplification(func, Simplification(rules))
        if image is func:
            return func
        func = image


class _Eliminator:
    """A rule for the loops of a function, which counts how many nodes name what.

    A loop that goes no longer names what its bounds are made of.
    """

    def __init__(self, func: LoweredFunc) -> None:
        self._kept: set[Node] = set()
        self._users: Counter[Node] = Counter()
        pending: list[Node] = [func]
        seen: set[Node] = set()
        while pending:
            each = pending.pop()
            if each not in seen:
                seen.add(each)
                held = _named_by(each)
                self._users.update(held)
                pending += held

    def eliminate(self, loop: For, facts: Facts) -> Stmt:
        if self._users[loop.loop_var] or loop.for_type & _BOUND:
            return loop
        if not loop.extent.type.is_scalar or not facts.removable(loop.min):
            return loop
        count = facts.interval(loop.extent)
        body = _without_block(loop.body)
        if count.high < 1 or body in self._kept or not _does_it_again(loop, facts):
            self._kept.add(loop)  # and so are loops that do nothing else
            return loop
        self._release(loop.min)
        if count.low > 0 and facts.removable(loop.extent):
            self._release(loop.extent)
            return body
        return IfThenElse(GT(loop.extent, const(0, loop.extent.type)), body)

    def _release(self, root: Node) -> None:
        pending = [root]
        while pending:
            each = pending.pop()
            self._users[each] -= 1
            if not self._users[each]:
                pending += _named_by(each)


def _without_block(stmt: Stmt) -> Stmt:
    """Return the loop, branch or store that a block consists of, if it is one."""
    while isinstance(stmt, Block) and len(stmt.stmts) == 1:
        if not isinstance(stmt.stmts[0], (Block, For, IfThenElse, Store)):
            break
        stmt = stmt.stmts[0]
    return stmt


def _named_by(node: Node) -> set[Node]:
    """Return what a node is made of, bounds of axes and regions that it binds included."""
    bound = [var for var in bound_by(node) if isinstance(var, Var)]
    ends = [end for var in bound for end in (var.lower_bound, var.upper_bound)]
    return {*evaluated(node), *[end for end in ends if end is not None]}


_BOUND: Final = ForType.GPU_BLOCK | ForType.GPU_THREAD | ForType.GPU_LANE


def _does_it_again(loop: For, facts: Facts) -> bool:
    """Return whether each iteration reads what the first one does, and so writes the same."""
    if any(effect_of(each) & ~_MEMORY for each in PROGRAM.pre_order(loop.body)):
        return False
    stored = _StoredBefore(loop.body, facts)
    return all(
        stored.covers(sink.node)
        for source, sink in loop_carried(loop, facts.context)
        if source.writes and sink.reads
    )


_MEMORY: Final = Effect.READS | Effect.WRITES


class _StoredBefore:
    """What the statements before a load, in the blocks around it, store."""

    def __init__(self, root: Stmt, facts: Facts) -> None:
        self._facts = facts
        self._parents: dict[Node, list[Node]] = {}
        for each in PROGRAM.pre_order(root):
            for child in PROGRAM.children(each):
                self._parents.setdefault(child, []).append(each)

    def covers(self, load: Node) -> bool:
        """Return whether a load comes after a store to its element, in any iteration."""
        if not isinstance(load, Load) or not self._facts.context.is_stable(load.indices):
            return False
        child: Node = load
        while len(parents := self._parents.get(child, [])) == 1:
            [parent] = parents
            if isinstance(parent, Block) and any(
                isinstance(stmt, Store) and self._is_at(stmt, load)
                for stmt in parent.stmts[: parent.stmts.index(child)]
            ):
                return True
            child = parent
        return False

    def _is_at(self, store: Store, load: Load) -> bool:
        number = self._facts.numbers.number
        return store.tensor is load.tensor and [number(each) for each in store.indices] == [
            number(each) for each in load.indices
        ]
