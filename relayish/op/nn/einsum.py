"""Einstein's sums: products of tensors along axes that an equation names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.products import einsum
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.types.dimension import broadcast_shapes, compare, show_type, unify
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import tensors, unify_dtype
from relayish.op.values.evaluation import Array

_TERM: Final = re.compile(r"([A-Za-z]*)(\.\.\.)?([A-Za-z]*)")


@attrs("relay.attrs.EinsumAttrs")
class EinsumAttrs(Attrs):
    """Attributes of ``einsum``."""

    equation: String


def _einsum_type(attrs: EinsumAttrs, data: Type) -> TensorType:
    """Return a tensor with the axes on the right of the equation.

    Without a right side these are those of the ellipsis, then the letters that occur once, sorted.
    """
    operands = tensors(data, "data")
    if not operands:
        raise TypeInferenceError("einsum needs a tensor or more; found an empty tuple")
    for operand in operands[1:]:
        unify_dtype(operands[0], operand)
    left, arrow, right = attrs.equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise TypeInferenceError(
            f"equation {attrs.equation!r} names {len(terms)} operands; found {len(operands)}"
        )
    sizes: dict[str, Dimension] = {}
    spread: tuple[Dimension, ...] = ()
    for term, operand in zip(terms, operands, strict=True):
        spread = broadcast_shapes(spread, _bind(term, operand, sizes))
    return TensorType(_result(left, right if arrow else None, sizes, spread), operands[0].dtype)


def _bind(term: str, operand: TensorType, sizes: dict[str, Dimension]) -> Sequence[Dimension]:
    """Note the sizes of the axes ``term`` names and return those its ellipsis stands for."""
    before, dots, after = _parts(term)
    rank, named = len(operand.shape), len(before) + len(after)
    if named > rank or (named < rank and not dots):
        raise TypeInferenceError(
            f"term {term!r} of the equation names {named} axes; found {show_type(operand)}"
        )
    behind = rank - len(after)
    axes = (*operand.shape[: len(before)], *operand.shape[behind:])
    own: dict[str, Dimension] = {}
    for letter, size in zip(before + after, axes, strict=True):
        if compare(own.setdefault(letter, size), size) is False:  # a diagonal: nothing is spread
            raise TypeInferenceError(
                f"axis {letter!r} of the equation has size {own[letter]} and {size} in one "
                f"operand, {show_type(operand)}"
            )
        known = sizes.setdefault(letter, size)
        found = size if known == 1 else known if size == 1 else unify(known, size)
        if found is None:
            raise TypeInferenceError(
                f"axis {letter!r} of the equation has size {known} in one operand "
                f"and {size} in {show_type(operand)}"
            )
        sizes[letter] = found
    return operand.shape[len(before) : behind]


def _result(
    left: str, right: str | None, sizes: dict[str, Dimension], spread: Sequence[Dimension]
) -> tuple[Dimension, ...]:
    if right is None:
        once = sorted(c for c, times in Counter(filter(str.isalpha, left)).items() if times == 1)
        return (*spread, *(sizes[letter] for letter in once))
    before, dots, after = _parts(right)
    letters = before + after
    unknown = sorted(set(letters) - set(sizes))
    if unknown or len(set(letters)) < len(letters):
        raise TypeInferenceError(
            f"the result {right!r} of the equation must name each axis once, "
            f"and only axes of the operands: {''.join(sorted(sizes))}"
        )
    if spread and not dots:
        raise TypeInferenceError(
            f"the result {right!r} of the equation leaves out the axes of the ellipsis"
        )
    leading = [sizes[letter] for letter in before]
    return (*leading, *spread, *(sizes[letter] for letter in after))


def _parts(term: str) -> tuple[str, bool, str]:
    found = _TERM.fullmatch(term)
    if found is None:
        raise TypeInferenceError(
            f"{term!r} in the equation names no axes; expected letters and at most one '...'"
        )
    before, dots, after = found.groups()
    return before, dots is not None, after


def _einsum(attrs: EinsumAttrs, data: tuple[Array, ...]) -> Array:
    return einsum(attrs.equation, data)


register_op(
    "einsum",
    description="""
    Sum products as numpy.einsum does.
    data a tuple of tensors -> what the equation says
    """,
    rule=_einsum_type,
    evaluate=_einsum,
    pattern=OpPattern.INJECTIVE,
)
