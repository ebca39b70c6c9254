"""Quantisation-aware variant: single calls on dequantised numbers, computed in integers."""

from __future__ import annotations

from collections.abc import Iterator

from relayish.errors import PassError
from relayish.functor import MixedModeMutator
from relayish.ir.relay.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relayish.ir.relay.type import TensorType
from relayish.op.builders.call import relay_call
from relayish.op.declaration.properties import dequantizes, quantizes
from relayish.op.types.affine_type import TensorAffineType, TupleAffineType
from relayish.passes.relay.quantisation.affine_types import UndeterminedError
from relayish.passes.relay.quantisation.integers import (
    REFUSALS,
    Failure,
    Image,
    Integers,
    report,
    tuple_of,
)


class SingleCallRewriter(MixedModeMutator):
    """Moves dequantisation behind calls that integers serve, one call after the other.

    These are the calls whose arguments are dequantised or constant, and whose rule need not know
    what the result is quantised to.

    Args:
        integers: What converts calls.
        hard_fail: Whether a rule that raises an error makes it one of the pass.

    Source:
        Relay ``QATRewriter``, which keeps a list of operators.
    """

    def __init__(self, integers: Integers, *, hard_fail: bool) -> None:
        self._integers = integers
        self._hard_fail = hard_fail

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Compute the call in integers and dequantise its result, where that serves."""
        if self._integers.rule_of(post.op) is None:
            return post
        if post.op in dequantizes or post.op in quantizes or not _is_quantised(post):
            return post
        found = self._rewrite(pre, post)
        if not isinstance(found, Failure):
            return found
        if self._hard_fail and not isinstance(found.error, UndeterminedError):
            raise report(found.error, pre)
        return post

    def _rewrite(self, pre: Call, post: Call) -> Expr | Failure:
        parts: list[Image] = []
        for arg in post.args:
            part = self._image_of(arg)
            if isinstance(part, Failure):
                return part
            parts.append(part)
        image = self._integers.convert(post, parts, None)
        if isinstance(image, Failure):
            return image
        try:
            made = self._dequantize(image, pre)
            self._integers.check_type(made, pre)
        except REFUSALS as error:
            return Failure(error)
        return made

    def _image_of(self, arg: Expr) -> Image | Failure:
        if type(arg) is Constant:
            return Image(arg)
        if type(arg) is Call:
            return self._integers.dequantized(arg)
        assert type(arg) is Tuple
        fields: list[Image] = []
        for field in arg.fields:
            part = self._image_of(field)
            if isinstance(part, Failure):
                return part
            fields.append(part)
        return tuple_of(arg, fields)

    def _dequantize(self, image: Image, pre: Call) -> Expr:
        """Return the numbers for which an image stands, as those of ``pre`` are."""
        if isinstance(image.affine, TensorAffineType):
            ty = self._integers.type_of(pre)
            if not isinstance(ty, TensorType):
                raise PassError(f"a tensor stands for {ty}")
            return _dequantized(image.expr, image.affine, ty.dtype, pre)
        assert isinstance(image.affine, TupleAffineType)
        fields = [
            _dequantized(TupleGetItem(image.expr, index, span=pre.span), ty, "float32", pre)
            for index, ty in enumerate(image.affine.types)
        ]
        return Tuple(tuple(fields), span=pre.span)


def _dequantized(expr: Expr, ty: TensorAffineType, dtype: str, pre: Call) -> Expr:
    return relay_call(
        "qnn.dequantize",
        expr,
        ty.scale,
        ty.zero_point,
        axis=ty.axis,
        out_dtype=dtype,
        span=pre.span,
    )


def _is_quantised(call: Call) -> bool:
    """Return whether the arguments of ``call`` are dequantised, but for constants."""
    leaves = list(_leaves(call))
    return all(leaf is not None for leaf in leaves) and any(type(leaf) is Call for leaf in leaves)


def _leaves(call: Call) -> Iterator[Expr | None]:
    for arg in call.args:
        for leaf in arg.fields if type(arg) is Tuple else (arg,):
            fits = type(leaf) is Constant or (type(leaf) is Call and leaf.op in dequantizes)
            yield leaf if fits else None
