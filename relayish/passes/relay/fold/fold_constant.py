"""Constant folding: evaluate what is constant.

Before::

    let %x = multiply(2, 3);
    %0 = (add(%x, 1), %y);
    if (less(%x, 4)) { %0.0 } else { %0.1 }

After::

    %y
"""

from __future__ import annotations

from typing import Final, cast

import numpy as np

from relayish.analysis.on_device import is_on_device, skip_on_device, with_on_device_of
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.analysis.static_shape import StaticShapes
from relayish.analysis.variables import free_vars
from relayish.errors import EvaluationError
from relayish.functor import MixedModeMutator
from relayish.interpreter.constant_call import (
    SIZE_LIMIT,
    CallFolding,
    Room,
    count_constants,
    plan_of,
    shape_result,
)
from relayish.interpreter.value import Evaluated
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.values.value import Value
from relayish.pass_infra import register_pass
from relayish.passes.relay.fold.constant_checker import constant_value, value_to_expr
from relayish.passes.relay.fold.named_variables import collect_named
from relayish.passes.relay.fold.placed import PlacedConstants, PlacedTuples

_SCALAR: Final = np.generic


class ConstantFolder(MixedModeMutator):
    """Evaluates calls of operators on constants and decides ifs and projections.

    Source:
        Relay ``ConstantFolder``.
    """

    def __init__(self, *, fold_qnn: bool = False, size_limit: int = SIZE_LIMIT) -> None:
        self._checker = PlacedConstants()
        self._transparency = ReferentialTransparency()
        self._shapes = StaticShapes()
        self._fold_qnn = fold_qnn
        self._room = Room(size_limit, self._count_held)
        self._held: int | None = None
        self._tuples = PlacedTuples()
        self._named: set[Expr] = set()  # variables that must stay: a constant cannot replace them
        self._plans: dict[Expr, CallFolding] = {}
        self._root: Expr | None = None
        self._shared: set[Node] | None = None

    def fold(self, root: Expr) -> Expr:
        """Return ``root``, a whole program, with what is constant in it evaluated."""
        self._root = root
        self._named.update(collect_named(root))
        return self.visit(root)

    def _count_held(self) -> int:
        """Return how many elements the constants of the program have; counted once."""
        if self._held is None:
            self._held = 0 if self._root is None else count_constants(self._root)
        return self._held

    def visit_let(self, let: Let) -> Expr:
        """Drop the bindings whose value is constant, putting the constant where they are used."""
        kept: list[tuple[Let, Expr, bool]] = []
        tail: Expr = let
        while type(tail) is Let and tail not in self.memo_map:
            value = self.visit(tail.value)
            constant = type(skip_on_device(value)) is Constant
            if constant and tail.var not in self._named:
                self.memo_map[tail.var] = value
            else:
                self.note_binding(tail.var, value)
                if tail.var.may_share is not None:
                    self._named.add(tail.var.may_share)
            kept.append((tail, value, constant))
            tail = tail.body
        image = self.visit(tail)
        for binding, value, constant in reversed(kept):
            if not constant or binding.var in self._named:
                image = binding.with_fields(value=value, body=image)
            self.memo_map[binding] = image
        return image

    def note_binding(self, var: Var, value: Expr) -> None:
        """Remember what ``var`` stands for."""
        self._tuples.note(var, value)

    def visit_var(self, var: Var) -> Expr:
        """Leave ``var`` as it is: constants were put in the memo where they are bound."""
        if var.may_share is not None:
            self._named.add(var.may_share)
        return var

    def visit_function(self, func: Function) -> Expr:
        """Leave primitive functions alone: what they compute is a kernel's business."""
        if is_primitive(func):
            self._named.update(free_vars(func))
            return func
        return self.mutate_children(func)

    def rewrite_if(self, pre: If, post: If) -> Expr:
        """Take the branch that a constant condition leads to.

        What acts and is shared by the other branch stays where it is only as long as both use it.
        """
        cond = skip_on_device(post.cond)
        if type(cond) is not Constant or not isinstance(cond.data, np.bool_):
            return post
        left_out = pre.false_branch if cond.data else pre.true_branch
        if not self._transparency.holds_for(left_out) and left_out in self._find_shared_effects():
            return post
        return post.true_branch if cond.data else post.false_branch

    def _find_shared_effects(self) -> set[Node]:
        """Return the nodes in which something acts that several blocks use."""
        if self._shared is None:
            self._shared = set()
            scopes = Scopes(() if self._root is None else self._root)
            opaque = {n for n in scopes.lifted if not self._transparency.holds_for(cast("Expr", n))}
            for node in scopes.order if opaque else ():
                if node in opaque or not self._shared.isdisjoint(EXPRESSIONS.children(node)):
                    self._shared.add(node)
        return self._shared

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:  # noqa: ARG002
        """Take the field, of a tuple that stands there, is constant, or is bound to a variable.

        A tuple that has to do with references stays: its other fields may have effects, and its
        first use, perhaps not this one, says when the field is evaluated. Of a tuple that is bound,
        only constants are taken: anything else is computed where the tuple is. A field of what an
        annotation says the device of is there, too.
        """
        whole = self._tuples.look_through(post.tuple_value)
        tup, index = skip_on_device(whole), post.index
        if type(tup) is Tuple and 0 <= index < len(tup.fields):
            field = tup.fields[index]
            bound = whole is not post.tuple_value
            taken = self._checker.check(field) if bound else self._transparency.holds_for(tup)
            return with_on_device_of(field, whole) if taken else post
        if type(tup) is Constant and isinstance(tup.data, tuple) and 0 <= index < len(tup.data):
            return with_on_device_of(Constant(tup.data[index], span=post.span), whole)
        return post

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Evaluate the call of an operator all of whose arguments are constant."""
        op, args = post.op, post.args
        plan = self._plans.get(op)
        if plan is None:
            plan = self._plans[op] = plan_of(op, fold_qnn=self._fold_qnn)
        evaluate, scalar, shape_only, _ = plan
        if evaluate is None or not args:
            return self._fold_shape(pre, post) if shape_only and args else post
        values: list[Value] = []
        for arg in args:
            if type(arg) is Constant:
                value = arg.data
                values.append(value)
                if not isinstance(value, _SCALAR):
                    scalar = False
            elif (type(arg) is Tuple or is_on_device(arg)) and self._checker.check(arg):
                values.append(constant_value(arg))
                scalar = False
            else:
                return post
        result: Evaluated | None
        if scalar:  # as plan.fold does, in one call less: a tenth of what folding scalars takes
            try:
                result = evaluate(post.attrs, values)
            except EvaluationError:
                return post
        if not scalar or not isinstance(result, _SCALAR):
            result = plan.fold(post, values, self._room, scalar=scalar)
        if isinstance(result, _SCALAR):
            folded: Constant = Constant._make(result, post.span, None)
            return folded
        return post if result is None else value_to_expr(result)

    def _fold_shape(self, pre: Call, post: Call) -> Expr:
        """Fold what depends on the shape of its argument alone, which need not be constant."""
        shape = self._shapes.of(post.args[0])
        if shape is None:
            shape = self._shapes.of(pre.args[0])
        if shape is None or not self._transparency.holds_for(post.args[0]):
            return post
        result = shape_result(post, shape)
        return post if result is None else Constant(result, span=post.span)


@register_pass("FoldConstant", opt_level=2, idempotent=True)
def fold_constant(expr: Expr, *, fold_qnn: bool = False, size_limit: int = SIZE_LIMIT) -> Expr:
    """Constant folding: evaluate what is constant.

    Return ``expr`` with what is constant in it evaluated.

    Bindings of constants are propagated, projections of tuples and ifs on constants decided, calls
    of operators on constants replaced by their value (a tuple of constants for several outputs).
    Left as they are: calls without arguments, calls of operators that have state, draw random
    numbers, only annotate, or cannot be evaluated (also: on these values), primitive functions, and
    projections of tuples in which something has an effect. ``on_device`` around what is constant is
    looked through, and stays around what is constant by itself.

    An if stays as well where the branch that is not taken shares with other scopes what acts: that
    would otherwise be evaluated in the scope of the uses that are left.

    Args:
        expr: Any well-formed expression, shared subexpressions included.
        fold_qnn: Fold operators of the ``qnn`` dialect too, and others that dequantise.
        size_limit: How many elements a result may have, unless its operands have as many together;
            such larger ones are made as long as they have no more elements, in all, than sixteen
            times what is constant in the program.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes, not counting evaluation; no recursion.

    Source:
        Relay ``FoldConstant``; beyond it, projections of constant tuples and of let-bound ones.
    """
    with np.errstate(all="ignore"):
        return ConstantFolder(fold_qnn=fold_qnn, size_limit=size_limit).fold(expr)


def fold_constant_expr(expr: Expr, mod: IRModule | None = None, fold_qnn: bool = False) -> Expr:  # noqa: ARG001 - Relay's signature
    """Return ``expr`` folded, as :func:`fold_constant` does; called as Relay's function is.

    Args:
        expr: Any well-formed expression.
        mod: What ``expr`` belongs to. Calls of its functions are not folded, so nothing is looked
            up in it.
        fold_qnn: Fold operators of the ``qnn`` dialect too, and others that dequantise.

    Source:
        Relay ``FoldConstantExpr``.
    """
    return fold_constant(expr, fold_qnn=fold_qnn)


FoldConstantExpr = fold_constant_expr
"""Relay's name of it."""
