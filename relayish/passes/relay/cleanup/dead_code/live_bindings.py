"""Mark phase: which bindings the result of an expression, or an effect, depends on."""

from __future__ import annotations

from collections.abc import Callable

from relayish.analysis.effect_rules import effect_of_op
from relayish.analysis.effects import Effect, Effects
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Let, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.declaring import find_declaring
from relayish.ir.scopes.scoping import PROGRAM


class EffectQuery:
    """Says which values have an effect; looks at the whole program when first asked.

    Args:
        root: What the values stand in: an expression, or a tuple of several.
        mod: Where the functions are that are called by global name.
    """

    def __init__(
        self,
        root: Expr,
        mod: IRModule | None,
        *,
        ignore_impurity: bool = False,
        ref_precision: bool = False,
        function_argument_precision: bool = False,
    ) -> None:
        self._root = root
        self._mod = mod
        self._ignore_impurity = ignore_impurity
        self._ref_precision = ref_precision
        self._argument_precision = function_argument_precision
        self._effects: Effects | None = None
        self._declaring: frozenset[Node] | None = None
        self._pure_ops: dict[Expr, bool] = {}

    @property
    def must_reanalyse(self) -> bool:
        """Whether what acts now may be found not to when some of the program is gone."""
        return self._effects is not None and (self._ref_precision or self._argument_precision)

    def is_flat(self, value: Expr) -> bool:
        """Return whether ``value`` plainly has no effect, and nothing inside it to drop."""
        if type(value) is not Call:
            return type(value) in ATOMS
        op = value.op
        if type(op) is not Op or not (self._pure_ops.get(op) or self._is_pure(op)):
            return False
        for arg in value.args:
            if type(arg) not in ATOMS:
                return False
        return True

    def _is_pure(self, op: Op) -> bool:
        pure = self._pure_ops[op] = not effect_of_op(op)
        return pure

    def must_stay(self, value: Expr) -> bool:
        """Return whether ``value`` is evaluated for what it does or declares, too."""
        ignored = Effect.READS if self._ref_precision else Effect.NONE
        return bool(self._of(value) & ~ignored) or self._declares(value)

    def is_pure(self, value: Expr) -> bool:
        """Return whether ``value`` may be evaluated at another time."""
        return self._of(value) == Effect.NONE and not self._declares(value)

    def _declares(self, value: Expr) -> bool:
        """Return whether ``value`` declares variables, which what stands behind it may use."""
        if self._declaring is None:
            self._declaring = find_declaring(PROGRAM.post_order(self._root))
        return value in self._declaring

    def _of(self, value: Expr) -> Effect:
        if self._ignore_impurity:
            return Effect.NONE
        if self._effects is None:
            self._effects = Effects(
                self._root,
                self._mod,
                ref_precision=self._ref_precision,
                function_argument_precision=self._argument_precision,
            )
        return self._effects.of(value)


class Needed:
    """Finds which let-bound variables the result of an expression, or an effect, depends on."""

    def __init__(self, root: Expr, effects: EffectQuery) -> None:
        self._root = root
        self._effects = effects
        self.bound: dict[Expr, Expr] = {}
        self.used: set[Node] = set()
        self.nested: set[Expr] = set()
        self.kept_for_effect: set[Expr] = set()
        self.entered_again: set[Node] = set()
        """The lets that several expressions lead to."""

    def find(self) -> None:
        """Start from the result and from every value with an effect; follow uses to values."""
        bound, used, table = self.bound, self.used, EXPRESSIONS.push
        seen: set[Node] = set()  # but for lets, which are noted where they are met again
        lets: set[Node] = set()
        stack: list[Node] = [self._root]
        pop, append = stack.pop, stack.append
        while stack:
            node = pop()
            kind = type(node)
            if type(node) is Var:
                if node not in used:
                    used.add(node)
                    if node in bound:
                        append(bound[node])
                    if node.may_share is not None:
                        append(node.may_share)
                continue
            if kind is Let:
                tail = self._descend(node, lets, append)
                if type(tail) is not Let:
                    append(tail)
            elif node not in seen:
                seen.add(node)
                push = table[kind]
                if push is not None:
                    push(node, seen, append)

    def _descend(self, node: Node, lets: set[Node], append: Callable[[Node], None]) -> Node:
        """Note the bindings of a chain of lets; return its tail, or where it was entered before."""
        bound, used, is_flat, add = self.bound, self.used, self._effects.is_flat, lets.add
        while type(node) is Let:
            if node in lets:
                self.entered_again.add(node)
                break
            add(node)
            var, value = node.var, node.value
            bound[var] = value
            if not is_flat(value):
                self.nested.add(value)
                if self._effects.must_stay(value):
                    self.kept_for_effect.add(value)
                    append(value)
                    if var.may_share is not None:
                        append(var.may_share)
            if var in used:  # by an enclosing scope that shares a part of this one
                append(value)
            node = node.body
        return node
