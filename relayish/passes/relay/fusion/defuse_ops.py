"""Take operators out of the functions that fusion put them in.

Before::

    %0 = fn (%p0, %p1, Primitive=1) {
      nn.relu(nn.conv2d(%p0, %p1))
    };
    %0(%x, %w)

After::

    nn.relu(nn.conv2d(%x, %w))
"""

from __future__ import annotations

from collections import Counter

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.function_attributes import has_compiler
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import has_scopes
from relayish.pass_infra import register_pass


def _is_plain(node: Node) -> bool:
    """Return whether ``node`` may stand at each of several places, but for what acts in a call."""
    kind = type(node)
    if kind is Call or kind in ATOMS:
        return True
    return kind.traits_.is_pure and not kind.traits_.allocates and not has_scopes(kind)


class _Defuser(ExprRewriter):
    """Replaces calls of functions that stand there literally by their bodies."""

    def __init__(self, uses: Counter[Node]) -> None:
        self._uses = uses
        self._transparency = ReferentialTransparency()
        self._evaluation = EvaluationOrder(self._transparency)
        self._bodies: dict[Function, list[Node] | None] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Return the body of the function that is called, over the arguments."""
        func = post.op
        if type(func) is not Function or len(func.params) != len(post.args):
            return post
        if func not in self._bodies:
            self._bodies[func] = self._body(func, self._uses[pre.op] > 1)
        order = self._bodies[func]
        if order is None:
            return post
        images: dict[Node, Node] = dict(zip(func.params, post.args, strict=True))
        for node in order:
            if node not in images:
                images[node] = EXPRESSIONS.rebuild[type(node)](node, images.get)
        image = images[func.body]
        assert isinstance(image, Expr)
        return image if self._evaluation.is_kept(post, image, post.args) else post

    def _body(self, func: Function, repeated: bool) -> list[Node] | None:
        """Return the nodes of the body of a called function, or ``None`` if it should stay one.

        What has scopes may not come to an argument, or have variables of its own that must not be
        bound twice. What acts is not repeated either; if it takes no parameter, all callers would
        come to share it. Type arguments may name the function's own type variables.
        """
        if func.type_params or has_compiler(func):
            return None
        order = EXPRESSIONS.post_order(func.body)
        if not all(map(_is_plain, order)):
            return None
        if repeated and not self._transparency.holds_for(func.body):
            return None
        return order


@register_pass("DefuseOps", opt_level=3, idempotent=True)
def defuse_ops(expr: Expr) -> Expr:
    """Defusion, the inverse of ``FuseOps``: take operators out of the functions they were fused in.

    Return ``expr`` with the bodies of functions that are called where they stand.

    These are taken for fused, whether they have the attribute ``Primitive`` or not, if they have
    bodies of calls, tuples and projections. Those of another compiler, polymorphic ones, what is
    bound to a name, and functions whose body needs arguments that act in another order than they
    are given, stay.

    Returns:
        ``expr`` itself when nothing was fused.

    Complexity:
        Linear in the number of distinct nodes, a function that is called several times counted for
        each of the calls; no recursion.

    Source:
        Relay ``DefuseOps``, which tells parameters by their names, and takes functions of other
        compilers apart.
    """
    uses: Counter[Node] = Counter()
    for node in EXPRESSIONS.pre_order(expr):
        for child in EXPRESSIONS.children(node):
            if type(child) is Function:
                uses[child] += 1
    return post_order_rewrite(expr, _Defuser(uses))
