"""Types for rules of fake quantisation: affine types of expressions, and plain types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from relayish.errors import PassError
from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.ir.relay.type import TensorType
from relayish.op.types.affine_type import AffineType, TensorAffineType, TupleAffineType
from relayish.passes.relay.rewrite.rules.retyping import CallTypes


class UndeterminedError(PassError):
    """A rule asks what its result is quantised to where nothing says so."""


class AffineTypes(Mapping[Expr, AffineType]):
    """The affine types of a call and of its arguments, by expression.

    Args:
        call: The call that a rule is asked about.
        arguments: Those of its arguments that are quantised.
        result: What the result is quantised to in the end, if anything says so.
        finder: What tells types.
        is_last: Whether the result is that of the region.
    """

    def __init__(
        self,
        call: Expr,
        arguments: Mapping[Expr, AffineType],
        result: TensorAffineType | None,
        finder: CallTypes,
        *,
        is_last: bool = False,
    ) -> None:
        self._call = call
        self._arguments = arguments
        self._result = result
        self._finder = finder
        self._is_last = is_last
        self.asked_for_result = False
        """Whether somebody looked up the affine type of the result."""
        self.computes = False
        """Whether the numbers of the result are others than those of the arguments."""

    def __getitem__(self, expr: Expr) -> AffineType:
        if expr is not self._call:
            return self._arguments[expr]
        self.asked_for_result = self.computes = True
        if self._result is None:
            raise UndeterminedError(
                "nothing says what the result is quantised to; follow it by qnn.quantize"
            )
        return self._result

    def __contains__(self, expr: object) -> bool:
        return expr is self._call or expr in self._arguments

    def __iter__(self) -> Iterator[Expr]:
        yield from self._arguments
        yield self._call

    def __len__(self) -> int:
        return len(self._arguments) + 1

    def result_or(self, other: TensorAffineType) -> TensorAffineType:
        """Return what the result is quantised to if that is all done with it, else ``other``."""
        result = self.tensor(self._call)
        return result if self._is_last else other

    def result_of_choice(self) -> TensorAffineType:
        """Return what the result is quantised to, whose numbers are those of the arguments.

        Nothing is lost where these are rounded to the scale of the result before, and cut off.
        """
        computes = self.computes
        found = self.tensor(self._call)
        self.computes = computes
        return found

    def tensor(self, expr: Expr) -> TensorAffineType:
        """Return the affine type of a tensor.

        Raises:
            PassError: If ``expr`` is not quantised, or no tensor.
        """
        found = self.get(expr, None)
        if not isinstance(found, TensorAffineType):
            raise PassError(f"a quantised tensor is needed; found {found}")
        return found

    def fields(self, expr: Expr) -> tuple[TensorAffineType, ...]:
        """Return the affine types of the fields of a tuple.

        Raises:
            PassError: If ``expr`` is not quantised, or no tuple.
        """
        found = self.get(expr, None)
        if not isinstance(found, TupleAffineType):
            raise PassError(f"a tuple of quantised tensors is needed; found {found}")
        return found.types

    def type_of(self, expr: Expr) -> TensorType:
        """Return the type of a tensor, an argument or made of arguments.

        Raises:
            PassError: If it cannot be told, or ``expr`` is no tensor.
        """
        found = self._finder.of(expr)
        if not isinstance(found, TensorType):
            raise PassError(f"the type of a tensor is needed; found {found}")
        return found

    def rank_of(self, expr: Expr) -> int:
        """Return how many axes a tensor has."""
        return len(self.type_of(expr).shape)

    def is_per_axis(self, ty: TensorAffineType) -> bool:
        """Return whether scales or zero points may differ along an axis."""
        return any(self._may_be_several(part) for part in (ty.scale, ty.zero_point))

    def _may_be_several(self, part: Expr) -> bool:
        if type(part) is Constant:
            return bool(np.size(part.data) != 1)  # type: ignore[arg-type]  # a tensor, by its type
        return any(size != 1 for size in self.type_of(part).shape)

    def require_single(self, ty: TensorAffineType, what: str) -> None:
        """Check that one scale and zero point hold for a whole tensor.

        Raises:
            PassError: If they differ along an axis.
        """
        if self.is_per_axis(ty):
            raise PassError(f"{what} needs one scale and one zero point; found {ty}")


def known_arguments(
    arguments: Iterable[tuple[Expr, AffineType | None]],
) -> dict[Expr, AffineType]:
    """Return the affine types of arguments, and of the fields of tuples that stand there.

    Of a field that stands for two different tensors, none is known.

    Raises:
        PassError: If one argument stands there with two affine types.
    """
    known: dict[Expr, AffineType] = {}
    inside: dict[Expr, AffineType | None] = {}
    for expr, ty in arguments:
        if ty is None:
            continue
        before = known.setdefault(expr, ty)
        if before is not ty and before != ty:
            raise PassError(f"one tensor stands for two: {before} and {ty}")
        if type(expr) is Tuple and isinstance(ty, TupleAffineType):
            for field, its in zip(expr.fields, ty.types, strict=True):
                same = inside.setdefault(field, its) == its
                inside[field] = its if same else None
    return {expr: ty for expr, ty in inside.items() if ty is not None} | known
