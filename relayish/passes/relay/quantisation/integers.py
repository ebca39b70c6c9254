"""Integers in place of floating point numbers: single expressions, by the rules of operators."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from relayish.errors import PassError, RelayishError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Expr, Op, Tuple, TupleGetItem
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.fake_quantization import optional_fake_quantization
from relayish.op.declaration.properties import QuantizationRule, fake_quantization, quantizes
from relayish.op.declaration.registry import get_op
from relayish.op.types.affine_type import AffineType, TensorAffineType, TupleAffineType
from relayish.passes.relay.quantisation.affine_types import AffineTypes, known_arguments
from relayish.passes.relay.rewrite.rules.retyping import CallTypes
from relayish.rewriting.relay.facts import place_span

REFUSALS: Final = (AssertionError, KeyError, RelayishError)
"""What a rule may raise to say that it cannot serve: an error of ours, an assertion as Relay's own
rules make, or that of looking up what is not quantised. Any other is a mistake of the rule.
"""


class Image(NamedTuple):
    """What stands for an expression of a region.

    Attributes:
        expr: The expression in integers, or itself where it is no quantised number.
        affine: What the integers stand for, ``None`` if the expression is not quantised.
        depends: Whether it might be another if the region's result were quantised otherwise.
    """

    expr: Expr
    affine: AffineType | None = None
    depends: bool = False


class Failure(NamedTuple):
    """Why an expression cannot be made integers; ``depends`` is as for :class:`Image`."""

    error: Exception
    depends: bool = False


class Integers:
    """Rewrites calls in integers by the rules of their operators.

    Args:
        optional_qnn_ops: The operators of which optional rules are used.

    Raises:
        UnknownNameError: If there is no such operator.
    """

    def __init__(self, optional_qnn_ops: Collection[str]) -> None:
        for name in optional_qnn_ops:
            get_op(name)
        self._optional = frozenset(optional_qnn_ops)
        self._known: dict[Expr, Type | None] = {}
        self._finder = CallTypes(self._known)

    def rule_of(self, op: Expr) -> QuantizationRule | None:
        """Return the rule that serves an operator, if one does."""
        found = fake_quantization.get(op)
        if found is None and type(op) is Op and {op.name, op.full_name} & self._optional:
            found = optional_fake_quantization.get(op)
        return found

    def type_of(self, expr: Expr) -> Type | None:
        """Return the type of an expression, of the program or made in its place.

        Raises:
            TypeInferenceError: If a call in it is ill-typed.
        """
        return self._finder.of(expr)

    def check_type(self, image: Expr, pre: Expr) -> None:
        """Check that ``image`` has the type that ``pre`` has.

        Raises:
            RelayishError: If it has another, or is ill-typed.
        """
        one, other = self._finder.of(image), self._finder.of(pre)
        if one is None or other is None or not structural_equal(one, other):
            raise PassError(f"in integers the type would be {one}; expected {other}")

    def convert(
        self,
        pre: Call,
        parts: Sequence[Image],
        result: TensorAffineType | None,
        *,
        is_last: bool = False,
    ) -> Image | Failure:
        """Return what the rule makes of a call.

        Args:
            pre: The call.
            parts: What stands for its arguments.
            result: What the result of its region is quantised to, if it belongs to one.
            is_last: Whether it gives that result.
        """
        call = Call(pre.op, tuple([part.expr for part in parts]), pre.attrs, span=pre.span)
        depends = any(part.depends for part in parts)
        try:
            known = known_arguments([(part.expr, part.affine) for part in parts])
        except REFUSALS as error:
            return Failure(error, depends)
        types = AffineTypes(call, known, result, self._finder, is_last=is_last)
        image = self._apply(pre, call, types, depends=depends)
        if result is None or pre.op in quantizes or isinstance(image, Failure):
            return image
        if any(_is_rounded(part, result) for part in parts) and (
            types.computes or not _is_at(image.affine, result)
        ):
            refusal = PassError(
                f"{name_of(call)} computes with numbers that an operator before it has rounded to "
                f"the scale of the result, and cut off; quantise these at a scale of their own"
            )
            return Failure(refusal, depends=True)
        return image

    def dequantized(self, call: Call) -> Image | Failure:
        """Return the integers that ``call`` turns into what they stand for."""
        if self.rule_of(call.op) is None:  # its arguments may be others, too
            return Failure(_missing_rule(call))
        data, scale, zero_point = call.args
        attrs: Any = call.attrs  # Any: those of dequantisation
        try:
            ty = self._finder.of(data)
        except REFUSALS as error:
            return Failure(error)
        if not isinstance(ty, TensorType):
            return Failure(PassError("the type of what is dequantised is not known; infer types"))
        affine = TensorAffineType(scale, zero_point, ty.dtype, attrs.axis)
        found = self._apply(call, call, AffineTypes(call, {}, affine, self._finder), depends=False)
        return found._replace(depends=False)

    def _apply(
        self, pre: Call, call: Call, types: AffineTypes, *, depends: bool
    ) -> Image | Failure:
        try:
            made, affine = self._ask(call, types)
            made = place_span(made, pre.span, (*call.args, call.op))
            if self._finder.of(made) is None:
                raise PassError(f"the type of what stands for {name_of(call)} is not known")
        except REFUSALS as error:
            return Failure(error, depends or types.asked_for_result)
        return Image(made, affine, depends or types.asked_for_result)

    def _ask(self, call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
        rule = self.rule_of(call.op)
        if rule is None:
            raise _missing_rule(call)
        answer: Any = rule(call, types)  # Any: still to be checked
        pair = tuple(answer) if isinstance(answer, (list, tuple)) else ()
        if len(pair) != 2 or not isinstance(pair[0], Expr) or not isinstance(pair[1], AffineType):
            raise PassError(
                f"the quantisation of {name_of(call)} returned {answer!r}; "
                f"expected an expression and its affine type"
            )
        return pair[0], pair[1]


def _missing_rule(call: Call) -> PassError:
    return PassError(f"there is no rule for {name_of(call)}")


def _is_rounded(part: Image, result: TensorAffineType) -> bool:
    """Return whether an operator rounded a part to what the result of its region will be."""
    return part.depends and _is_at(part.affine, result)


def _is_at(affine: AffineType | None, result: TensorAffineType) -> bool:
    """Return whether integers have the scale of ``result``, whichever bytes they are."""
    types = affine.types if isinstance(affine, TupleAffineType) else (affine,)
    return all(
        isinstance(ty, TensorAffineType) and structural_equal(ty.scale, result.scale)
        for ty in types
    )


def name_of(call: Call) -> str:
    """Return what a call calls, for errors."""
    return call.op.full_name if isinstance(call.op, Op) else type(call.op).__name__


def tuple_of(tup: Tuple, parts: Sequence[Image]) -> Image | Failure:
    """Return what stands for a tuple whose fields became ``parts``."""
    types = [part.affine for part in parts if isinstance(part.affine, TensorAffineType)]
    depends = any(part.depends for part in parts)
    if len(types) < len(parts):
        return Failure(PassError("a field of a tuple is no quantised tensor"), depends)
    fields = tuple([part.expr for part in parts])
    return Image(Tuple(fields, span=tup.span), TupleAffineType(types), depends)


def field_of(get: TupleGetItem, part: Image) -> Image | Failure:
    """Return what stands for a projection of a tuple that became ``part``."""
    types = part.affine.types if isinstance(part.affine, TupleAffineType) else ()
    if not 0 <= get.index < len(types):
        return Failure(PassError(f"field {get.index} is not that of a tuple"), part.depends)
    image = TupleGetItem(part.expr, get.index, span=get.span)
    return Image(image, types[get.index], part.depends)


def report(error: Exception, call: Call) -> Exception:
    """Return ``error``, for which ``call`` is not made integers, as one of ours that says so."""
    if isinstance(error, RelayishError):
        error.add_note(f"while making {name_of(call)} integers, with hard_fail")
        return error
    where = "" if call.span is None else f" at {call.span}"
    found = PassError(
        f"{name_of(call)}{where} cannot be made integers: {type(error).__name__}: {error}"
    )
    found.__cause__ = error
    return found
