"""Give each use of a widening cast a cast of its own, so that it fuses with what uses it.

Before::

    %1 = cast(%0, dtype="int32");
    add(add(%1, %bias1), add(%1, %bias2))

After::

    add(add(cast(%0, dtype="int32"), %bias1), add(cast(%0, dtype="int32"), %bias2))

Shared, the wide tensor would have to be stored; two casts are cheaper than that.
"""

from __future__ import annotations

import re
from typing import Final

from relayish.functor import MixedModeMutator
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.op import intern_op
from relayish.ir.values.dtype import DType
from relayish.op.declaration.properties import OpPattern, pattern
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.rules.tensors import tensor_of

_CAST: Final = intern_op("cast")


class _CastSplitter(MixedModeMutator):
    """Copies a widening cast for every use but the first by an operator that could fuse it."""

    def __init__(self) -> None:
        self._used: set[Expr] = set()

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Give the call casts of its own."""
        if pattern.get(post.op, OpPattern.OPAQUE) > OpPattern.BROADCAST:
            return post
        args = tuple(map(self._copy_cast, pre.args, post.args))
        return post.with_fields(args=args) if any(map(_differ, args, post.args)) else post

    def _copy_cast(self, pre: Expr, post: Expr) -> Expr:
        if type(pre) is not Call or pre.op is not _CAST or type(post) is not Call:
            return post
        if _width(tensor_of(pre.args[0]).dtype) >= _width(tensor_of(pre).dtype):
            return post
        if pre not in self._used:
            self._used.add(pre)
            return post
        return Call(post.op, post.args, post.attrs, post.type_args, span=post.span)


def _differ(one: Expr, other: Expr) -> bool:
    return one is not other


def _width(dtype: DType) -> int:
    """Return how many bits an element of type ``dtype`` has; one, if it is a truth value."""
    found = re.search(r"(?:int|float)(\d+)", dtype)
    return 1 if found is None else int(found[1])


@register_pass("CanonicalizeCast", opt_level=3, infer_types=True, idempotent=True)
def canonicalize_cast(expr: Expr) -> Expr:
    """Cast canonicalisation: give each use of a widening cast its own, so that both fuse.

    Return ``expr``, whose types are known, with a cast for each use of a cast that widens.

    Only uses by operators that work element by element, or broadcast, get a cast of their own: they
    fuse with it.

    Returns:
        ``expr`` itself when no such cast is used twice.

    Raises:
        PassError: If types were not inferred.

    Complexity:
        Linear in the number of distinct nodes and their uses; no recursion.

    Source:
        Relay ``CanonicalizeCast``.
    """
    return _CastSplitter().visit(expr)
