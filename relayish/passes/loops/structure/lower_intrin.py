"""Expansion of coarse operators and intrinsics: what stands for them stands in the program.

Before, where a rule says that ``twice(x)`` is ``x * 2``::

    A[0] = twice((B[0]))
    A[1] = sqrtf(B[1])

After::

    A[0] = (B[0] * 2.00000000f)
    A[1] = sqrt(B[1])
"""

from __future__ import annotations

from relayish.errors import PassError
from relayish.pass_infra import register_pass
from relayish.tir.functor import IRRewriter
from relayish.tir.interpreter.calls import MOST_EXPANSIONS, find_builtin
from relayish.tir.ir.expr import Call, PrimitiveNode
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import BuiltinIntrin
from relayish.tir.primitives import expand_primitive, is_primitive


@register_pass("LowerIntrin", opt_level=0, idempotent=True)
def lower_intrinsics(func: LoweredFunc) -> LoweredFunc:
    """Expansion of coarse operators and intrinsics, so that other passes see what they compute.

    A coarse operator becomes what :data:`relayish.tir.PRIMITIVES` says that it stands for; a
    function that the compiler of a target knows, a call of the function that is registered. Of
    which nobody said anything, they stay.

    Returns:
        ``func`` itself when there is none.

    Raises:
        FieldError: If a rule gives something of another type.
        PassError: If an operator expands to itself, without end.

    Complexity:
        Linear in the size of what is made, for each expansion within another; no recursion.

    Source:
        CINN ``LowerIntrin``, which makes ``fma`` of sums of products as well: it rounds once, and
        so to other bits.
    """
    found = func
    for _ in range(MOST_EXPANSIONS):
        lower = _Lower()
        image = lower.visit(found)
        assert isinstance(image, LoweredFunc)
        if image is found:
            return found
        found = image
    raise PassError(
        f"the primitive {lower.last!r} in {func.name} expands to primitives without end, "
        f"{MOST_EXPANSIONS} deep; let its rule give something else"
    )


class _Lower(IRRewriter):
    """Expands what stands in a program, not what comes of that."""

    last = ""

    def rewrite_primitive_node(self, pre: PrimitiveNode, post: PrimitiveNode) -> IrNode:  # noqa: ARG002 - as all handlers
        if not is_primitive(post.name):
            return post
        self.last = post.name
        return expand_primitive(post)

    def rewrite_builtin_intrin(self, pre: BuiltinIntrin, post: BuiltinIntrin) -> IrNode:  # noqa: ARG002 - as all handlers
        found = find_builtin(post.name)
        if found is None:
            return post
        return Call(post.dtype, found.name, post.args, (), found.call_type)
