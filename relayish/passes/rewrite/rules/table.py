"""A rule for each operator, and the traversal that applies them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.errors import PassError
from relayish.functor import MixedModeMutator
from relayish.ir.claims import Claims
from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, Expr, Op, TupleGetItem
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.ir.span import Span
from relayish.op.builders.builder import Namespace
from relayish.op.types.dimension import show_type

CallRule: TypeAlias = Callable[[Any, Any], Expr]
"""``rule(pre, post)``: what stands for ``pre``, ``post`` itself where the rule has nothing to say.

Any: two calls of the operator the rule is for. ``pre`` is that of the program, with its types;
``post`` has rewritten arguments, which carry none. Nothing below ``post`` may be looked into but
what the rule needs to see, so that applying it takes constant time.
"""

op: Final = Namespace("")
"""The operators, as functions that build calls: ``op.nn.relu(x)``."""


class CallRules:
    """Rules by operator: for calls, and for projections out of calls.

    Example:
        >>> rules = CallRules("examples")
        >>> @rules.call("negative")
        ... def without_sign(pre, post):
        ...     return post.args[0]
        >>> x = Call(intern_op("exp"), ())
        >>> rules.rewrite(Call(intern_op("negative"), (x,))) is x
        True
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._claims: Claims[object] = Claims()
        self.calls: dict[Expr, CallRule] = {}
        self.fields: dict[tuple[Expr, int], CallRule] = {}

    def call(self, *names: str | Op) -> Callable[[CallRule], CallRule]:
        """Let the decorated function be the rule for calls of operators, given or named by Relay.

        Raises:
            DuplicateNameError: If somebody else gave one of them a rule.
        """

        def declare(rule: CallRule) -> CallRule:
            for name in names:
                op = intern_op(name) if isinstance(name, str) else name
                self._claim(op, rule, op.full_name, taken=op in self.calls)
                self.calls[op] = rule
            return rule

        return declare

    def field(self, name: str, index: int) -> Callable[[CallRule], CallRule]:
        """Let the decorated function be the rule for field ``index`` of calls of ``name``.

        It is given the calls, not the projections.

        Raises:
            DuplicateNameError: If somebody else gave one.
        """

        def declare(rule: CallRule) -> CallRule:
            key = (intern_op(name), index)
            self._claim(key, rule, f"{name}.{index}", taken=key in self.fields)
            self.fields[key] = rule
            return rule

        return declare

    def _claim(self, key: object, rule: CallRule, shown: str, *, taken: bool) -> None:
        what = f"{shown} has a rule of {self.name!r} already; it"
        self._claims.enter(key, rule, what, taken=taken, instead="leave one out")

    def rewrite(self, expr: Expr) -> Expr:
        """Return ``expr`` with every rule applied where it fits, each node once, children first.

        Returns:
            ``expr`` itself when no rule had anything to say.

        Complexity:
            Linear in the number of distinct nodes; no recursion.
        """
        return _Applier(self).visit(expr)


class _Applier(MixedModeMutator):
    """Applies the rules of a table, but for those that would have what acts do so in new order."""

    def __init__(self, rules: CallRules) -> None:
        self._calls = rules.calls
        self._fields = rules.fields
        self._order = EvaluationOrder()

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Return what the rule for the operator makes of the call."""
        rule = self._calls.get(post.op)
        return post if rule is None else self._place(rule(pre, post), pre, post, post)

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """Return what the rule for the operator makes of a field of its result."""
        call, before = post.tuple_value, pre.tuple_value
        if type(call) is not Call or type(before) is not Call:
            return post
        rule = self._fields.get((call.op, post.index))
        return post if rule is None else self._place(rule(before, call), pre, post, call)

    def _place(self, image: Expr, pre: Expr, post: Expr, replaced: Call) -> Expr:
        """Return ``image``, or ``post`` where operands that act would be evaluated otherwise."""
        if len(replaced.args) > 1 and not self._order.is_kept(replaced, image, replaced.args):
            return post
        return place(image, pre.span, replaced)


def place(image: Expr, span: Span | None, replaced: Call) -> Expr:
    """Return ``image`` with ``span`` on all that was made in place of ``replaced``.

    What was made are the nodes above the arguments of ``replaced`` that have no span yet.
    """
    if span is None or image is replaced:
        return image
    images: dict[Node, Node] = {arg: arg for arg in (*replaced.args, replaced.op)}
    for node in EXPRESSIONS.post_order(image, lambda node: node not in images):
        if node in images:
            continue
        rebuild = EXPRESSIONS.rebuild[type(node)]
        made = node if rebuild is None else rebuild(node, images.get)
        bare = isinstance(made, Expr) and made.span is None and type(made) is not Op
        images[node] = made.with_fields(span=span) if bare else made
    found = images[image]
    assert isinstance(found, Expr)
    return found


def tensor_of(expr: Expr) -> TensorType:
    """Return the type of a tensor.

    Raises:
        PassError: If ``expr`` has no inferred type, or is no tensor.
    """
    ty = expr.checked_type
    if not isinstance(ty, TensorType):
        found = "one without a type; run InferType first" if ty is None else show_type(ty)
        raise PassError(f"a tensor is needed to rewrite a call; found {found}")
    return ty


def broadcast_along(vector: Expr, rank: int, axis: int) -> Expr:
    """Return ``vector: (n,)`` so that it broadcasts along ``axis`` of a tensor of ``rank``."""
    behind = rank - normalise_axis(axis, rank) - 1
    if behind <= 0:
        return vector
    widened: Expr = op.expand_dims(vector, axis=1, num_newaxis=behind)
    return widened


def normalise_axis(axis: int, rank: int) -> int:
    """Return ``axis`` of a tensor of ``rank``, counted from the first one."""
    return axis + rank if axis < 0 else axis
