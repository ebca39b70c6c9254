"""Regions of fake quantisation, rewritten in integers.

A region is what stands between a ``qnn.quantize`` and the ``qnn.dequantize`` that everything it
computes goes back to: calls of operators, tuples, projections and constants, nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import IntEnum
from typing import Any

import numpy as np

from relayish.errors import PassError
from relayish.functor import MixedModeMutator
from relayish.ir.relay.expr import Call, Constant, Expr, Op, Tuple, TupleGetItem
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.declaration.fake_quantization import optional_fake_quantization
from relayish.op.declaration.properties import dequantizes, quantizes
from relayish.op.types.affine_type import TensorAffineType
from relayish.passes.relay.quantisation.integers import (
    REFUSALS,
    Failure,
    Image,
    Integers,
    field_of,
    name_of,
    report,
    tuple_of,
)


class _Eligibility(IntEnum):
    """Whether an expression is eligible for integers, as far as kinds and operators tell."""

    ELIGIBLE = 0
    WITHOUT_RULE = 1
    NO_DATA_FLOW = 2


class RegionRewriter(MixedModeMutator):
    """Replaces calls of ``qnn.quantize`` by what computes the same in integers.

    What does not depend on how the result of a region is quantised is made once for all regions;
    the rest, once for each way in which results are quantised.

    Args:
        integers: What converts calls.
        hard_fail: Whether a region that cannot be made integers is an error.

    Source:
        Relay ``FakeQuantizationRewriter``, which visits what regions share once for each.
    """

    def __init__(self, integers: Integers, *, hard_fail: bool) -> None:
        self._integers = integers
        self._hard_fail = hard_fail
        self._eligibility: dict[Expr, _Eligibility] = {}
        self._common: dict[Expr, Image | Failure] = {}
        self._by_result: dict[tuple[Expr, Hashable], Image | Failure] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Rewrite the region that ends in ``pre``, if one does."""
        if pre.op not in quantizes or type(pre.args[0]) is Constant:
            return post
        eligibility = self._find_eligibility(pre.args[0])
        if eligibility is _Eligibility.NO_DATA_FLOW:
            return post
        if eligibility is _Eligibility.WITHOUT_RULE:
            if self._hard_fail:
                raise report(self._find_missing_rule(pre.args[0]), pre)
            return post
        found = self._rewrite_region(pre, post)
        if isinstance(found, Image):
            return found.expr
        if self._hard_fail:
            raise report(found.error, pre)
        return post

    def _rewrite_region(self, pre: Call, post: Call) -> Image | Failure:
        attrs: Any = pre.attrs  # Any: those of quantisation
        result = TensorAffineType(post.args[1], post.args[2], attrs.out_dtype, attrs.axis)
        found = self._find_image(pre.args[0], result)
        if isinstance(found, Failure):
            return found
        image = self._integers.convert(pre, (found, *map(Image, post.args[1:])), result)
        if isinstance(image, Image):
            try:
                self._integers.check_type(image.expr, pre)
            except REFUSALS as error:
                return Failure(error)
        return image

    def _find_eligibility(self, root: Expr) -> _Eligibility:
        """Return whether ``root`` is eligible; linear over all regions of a program."""
        known = self._eligibility
        for node in EXPRESSIONS.post_order(root, lambda n: n not in known and _is_inside(n)):
            assert isinstance(node, Expr)
            if node in known:
                continue
            own = _Eligibility.ELIGIBLE if _is_data_flow(node) else _Eligibility.NO_DATA_FLOW
            if type(node) is Call and own is _Eligibility.ELIGIBLE and self._lacks_rule(node):
                own = _Eligibility.WITHOUT_RULE
            known[node] = max([own, *[known[part] for part in _parts(node)]])
        return known[root]

    def _lacks_rule(self, call: Call) -> bool:
        return call.op not in quantizes and self._integers.rule_of(call.op) is None

    def _find_missing_rule(self, root: Expr) -> PassError:
        """Return an error that names the first operator of a region without a rule."""
        for node in EXPRESSIONS.post_order(root, _is_inside):
            if type(node) is Call and self._lacks_rule(node):
                break
        assert type(node) is Call
        where = "" if node.span is None else f" at {node.span}"
        name = name_of(node)
        asked = f", or say optional_qnn_ops=[{name!r}]" * (node.op in optional_fake_quantization)
        return PassError(
            f"nothing says how {name}{where} is computed in integers; say so with "
            f"register_fake_quantization_to_integer({name!r}){asked}"
        )

    def _find_image(self, root: Expr, result: TensorAffineType) -> Image | Failure:
        """Return what stands for ``root`` where the result of its region is to be ``result``."""
        inner = (_key_of(result.scale), _key_of(result.zero_point), result.dtype, result.axis)
        pending = [root]
        while pending:
            node = pending[-1]
            key = (inner, node is root)
            if self._look_up(node, key) is not None:
                pending.pop()
                continue
            parts = _parts(node)
            found = [self._look_up(part, (inner, False)) for part in parts]
            failed = next((part for part in found if isinstance(part, Failure)), None)
            missing = [part for part, its in zip(parts, found, strict=True) if its is None]
            if failed is None and missing:
                pending += missing
                continue
            pending.pop()
            images = [image for image in found if isinstance(image, Image)]
            made = failed or self._image_of(node, images, result, is_last=node is root)
            if made.depends:
                self._by_result[node, key] = made
            else:
                self._common[node] = made
        image = self._look_up(root, (inner, True))
        assert image is not None
        return image

    def _look_up(self, node: Expr, key: Hashable) -> Image | Failure | None:
        found = self._common.get(node)
        return self._by_result.get((node, key)) if found is None else found

    def _image_of(
        self, node: Expr, parts: list[Image], result: TensorAffineType, *, is_last: bool
    ) -> Image | Failure:
        """Return what stands for ``node``, whose parts became ``parts``."""
        if type(node) is Tuple:
            return tuple_of(node, parts)
        if type(node) is TupleGetItem:
            return field_of(node, parts[0])
        post: Any = self.memo_map.get(node, node)  # Any: a call, where the node is one
        if type(node) is not Call or node.op in quantizes:
            return Image(post)
        if node.op in dequantizes:
            return self._integers.dequantized(post)
        return self._integers.convert(node, parts, result, is_last=is_last)


def _is_data_flow(node: Expr) -> bool:
    return type(node) in (Tuple, TupleGetItem, Constant) or (
        type(node) is Call and type(node.op) is Op
    )


def _is_inside(node: object) -> bool:
    """Return whether a region goes on below ``node``."""
    if type(node) is Call:
        return type(node.op) is Op and node.op not in dequantizes and node.op not in quantizes
    return type(node) in (Tuple, TupleGetItem)


def _parts(node: Expr) -> tuple[Expr, ...]:
    """Return the expressions below ``node`` that belong to its region."""
    if not _is_inside(node):
        return ()
    if type(node) is Tuple:
        return node.fields
    if type(node) is TupleGetItem:
        return (node.tuple_value,)
    assert type(node) is Call
    return node.args


def _key_of(expr: Expr) -> Hashable:
    """Return what two expressions have in common that are the same constant, or the same node."""
    if type(expr) is not Constant or not isinstance(expr.data, (np.ndarray, np.generic)):
        return expr
    return expr.data.dtype, expr.data.shape, expr.data.tobytes()
