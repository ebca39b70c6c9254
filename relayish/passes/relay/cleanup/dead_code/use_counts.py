"""Use counts of live bindings, and the scopes of their uses."""

from __future__ import annotations

from collections import deque
from typing import Final

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import binders, split_by_run_count
from relayish.passes.relay.cleanup.dead_code.live_bindings import EffectQuery, Needed

_OFTEN: Final = 2
"""Uses that forbid to put a value where it is used: two, or one where it may be repeated."""


class Counted(Needed):
    """Finds what is needed, and what of it is used once, in the function or loop that binds it.

    What is evaluated any number of times, as the body of a function or of a loop, is a scope with a
    stack of its own. A scope is left for an inner one when nothing is left on its stack, so that a
    node several scopes share belongs to the outermost, and entered again when an inner one needs a
    binding of it.
    """

    def __init__(self, root: Expr, effects: EffectQuery) -> None:
        super().__init__(root, effects)
        self._uses: dict[Node, int] = {}
        self._home: dict[Node, int] = {}
        self._pure: dict[Node, bool] = {}

    def is_inlined(self, var: Var) -> bool:
        """Return whether the value of ``var`` goes where the variable is used."""
        return self._uses.get(var) == 1 and var.may_share is None and self._is_pure(var)

    def _is_pure(self, var: Var) -> bool:
        pure = self._pure.get(var)
        if pure is None:
            value = self.bound[var]
            pure = value not in self.nested or self._effects.is_pure(value)
            self._pure[var] = pure
        return pure

    def find(self) -> None:
        """Start from the result and from every value with an effect; follow uses to values."""
        uses, home, table = self._uses, self._home, EXPRESSIONS.push
        seen: set[Node] = set()
        stacks: list[list[Node]] = [[self._root]]
        active = deque([0])
        while active:
            scope = active[-1]
            stack = stacks[scope]
            if not stack:
                active.pop()
                continue
            node = stack.pop()
            if type(node) is Var:
                inside = home.get(node) == scope
                uses[node] = uses.get(node, 0) + 1 if inside else _OFTEN
                if node not in self.used:
                    self._need(node, stacks, active)
                continue
            if node in seen:
                continue
            if type(node) is Let:
                chain: Node = node
                tail = self._descend(node, seen, stack.append)
                while chain is not tail and type(chain) is Let:
                    home.setdefault(chain.var, scope)
                    chain = chain.body
                stack.append(tail)
                continue
            seen.add(node)
            split = split_by_run_count(type(node))
            if split is not None:
                once, often = split(node)
                stack += once
                stack += [s for var in binders(node) if (s := _get_storage_owner(var)) is not None]
                for root in often:
                    stacks.append([root])
                    active.appendleft(len(stacks) - 1)
                continue
            push = table[type(node)]
            if push is not None:
                push(node, seen, stack.append)

    def _need(self, needed: Var, stacks: list[list[Node]], active: deque[int]) -> None:
        """Go on with the value of a variable, and of those it shares memory with, where bound."""
        var: Var | None = needed
        while var is not None and var not in self.used:
            self.used.add(var)
            if var in self.bound:
                scope = self._home.get(var, 0)
                stacks[scope].append(self.bound[var])
                active.append(scope)
            var = var.may_share
            if var is not None:
                self._uses[var] = _OFTEN


def _get_storage_owner(var: Node) -> Var | None:
    return var.may_share if type(var) is Var else None
