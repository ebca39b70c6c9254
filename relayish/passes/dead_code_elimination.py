"""Drop bindings that nothing needs.

Before::

    let %a = add(%x, 1);
    let %unused = multiply(%a, 2);
    let %written = ref_write(%r, %a);
    %a

After::

    let %a = add(%x, 1);
    let %written = ref_write(%r, %a);
    %a
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from relayish.analysis import Effects, analyse_effects
from relayish.functor import ExprMutator
from relayish.ir.expr import Call, Constant, Expr, Function, GlobalVar, Let, Op, Var
from relayish.ir.module import IRModule
from relayish.ir.node import Node
from relayish.ir.traversal import EXPRESSIONS
from relayish.op import registry
from relayish.transform import FunctionPass, PassContext, register_pass

_ATOMS: Final[frozenset[type[Node]]] = frozenset({Var, Constant, GlobalVar, Op})


class _Needed:
    """Finds which let-bound variables the result of an expression, or an effect, depends on."""

    def __init__(self, root: Expr, mod: IRModule | None) -> None:
        self._root = root
        self._mod = mod
        self._effects: Effects | None = None
        self._pure_ops: dict[Expr, bool] = {}
        self.bound: dict[Expr, Expr] = {}
        self.used: set[Node] = set()
        self.nested: set[Expr] = set()
        self.kept_for_effect: set[Expr] = set()

    def find(self) -> None:
        """Start from the result and from every value with an effect; follow uses to values."""
        bound, used, table = self.bound, self.used, EXPRESSIONS.push
        seen: set[Node] = set()
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
            if node in seen:
                continue
            if kind is Let:
                append(self._descend(node, seen, append))
                continue
            seen.add(node)
            push = table[kind]
            if push is not None:
                push(node, seen, append)

    def _descend(self, node: Node, seen: set[Node], append: Callable[[Node], None]) -> Node:
        """Note the bindings of a chain of lets; return its tail, or where it was entered before."""
        while type(node) is Let and node not in seen:
            seen.add(node)
            var, value = node.var, node.value
            self.bound[var] = value
            if not self._is_flat(value):
                self.nested.add(value)
                if self._acts(value):
                    self.kept_for_effect.add(value)
                    append(value)
                    if var.may_share is not None:
                        append(var.may_share)
            if var in self.used:  # by an enclosing scope that shares a part of this one
                append(value)
            node = node.body
        return node

    def _is_flat(self, value: Expr) -> bool:
        """Return whether ``value`` plainly has no effect, and nothing inside it to drop."""
        if type(value) is not Call:
            return type(value) in _ATOMS
        op = value.op
        if type(op) is not Op or not (self._pure_ops.get(op) or self._is_pure(op)):
            return False
        for arg in value.args:
            if type(arg) not in _ATOMS:
                return False
        return True

    def _is_pure(self, op: Op) -> bool:
        pure = registry.is_registered(op.name) and not registry.stateful.get(op)
        self._pure_ops[op] = pure
        return pure

    def _acts(self, value: Expr) -> bool:
        if self._effects is None:
            self._effects = analyse_effects(self._root, self._mod)
        return bool(self._effects.of(value))


class _Eliminator(ExprMutator):
    """Drops the lets whose variable is not needed."""

    def __init__(self, needed: _Needed) -> None:
        self._needed = needed

    def visit_let(self, let: Let) -> Expr:
        used, nested = self._needed.used, self._needed.nested
        kept_for_effect, memo = self._needed.kept_for_effect, self.memo_map
        chain: list[Let] = []
        tail: Expr = let
        while type(tail) is Let and tail not in memo:
            chain.append(tail)
            tail = tail.body
        image = self.visit(tail)
        for binding in reversed(chain):
            value = binding.value
            if binding.var in used or value in kept_for_effect:
                if value in nested:
                    value = self.visit(value)
                if image is not binding.body or value is not binding.value:
                    image = Let._make(binding.var, value, image, binding.span, None)
                else:
                    image = binding
            memo[binding] = image
        return image


def eliminate_dead_code(expr: Expr, mod: IRModule | None = None) -> Expr:
    """Return ``expr`` without the bindings on which neither its value nor an effect depends.

    Chains of dead bindings vanish together. A binding stays, used or not, when evaluating its value
    may write or read a reference, call an operator with state, or call a function that is not
    known; creating a reference is no effect.

    Args:
        expr: Any well-formed expression. What has an
            effect or makes a reference, and is used in several scopes, should be bound by a let:
            where it is only shared, the scope it is evaluated in is that of the uses that are left.
        mod: Where the functions are that ``expr`` calls by global name; without it they are taken
            to have effects.

    Returns:
        ``expr`` itself when everything is needed.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``DeadCodeElimination``; what an effect uses counts as used, as it does not in RAF.
    """
    needed = _Needed(expr, mod)
    needed.find()
    return _Eliminator(needed).visit(expr)


@register_pass(opt_level=1)
class DeadCodeElimination(FunctionPass):
    """Drop bindings on which neither the result nor an effect depends.

    Pass form of :func:`eliminate_dead_code`.
    """

    def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:  # noqa: ARG002
        """Return ``func`` without dead bindings."""
        image = eliminate_dead_code(func, mod)
        assert isinstance(image, Function)
        return image
