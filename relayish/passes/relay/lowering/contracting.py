"""Handlers whose rules multiply and sum: how they say so is what a target may choose."""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.passes.relay.lowering import contraction
from relayish.passes.relay.lowering.call import LoweringHandler, known_shape
from relayish.passes.relay.lowering.tensors import cast, is_integral_type, work_dtype


class Contractions(LoweringHandler):
    """What rules that multiply and sum are written with; subclasses say how products are made."""

    def contract(
        self, equation: str, left: Expr, left_ty: TensorType, right: Expr, right_ty: TensorType
    ) -> Expr:
        """Return the contraction of two tensors of one element type: here, by ``einsum``."""
        _ = left_ty, right_ty
        return contraction.by_einsum(equation, left, right)

    def product(
        self,
        equation: str,
        left: tuple[Expr, TensorType],
        right: tuple[Expr, TensorType],
        dtype: str,
    ) -> Expr:
        """Return the contraction of operands that count as cast to ``dtype`` first, as ``dtype``.

        Narrow floats are multiplied as float32 and rounded once.
        """
        work = work_dtype(dtype)
        cast_operands: list[tuple[Expr, TensorType]] = []
        for expr, ty in (left, right):
            whole = is_integral_type(ty.dtype) and is_integral_type(dtype)
            rounded = expr if whole else cast(expr, ty.dtype, dtype)
            widened = cast(rounded, ty.dtype if whole else dtype, work)
            cast_operands.append((widened, TensorType(ty.shape, work)))
        (one, one_ty), (other, other_ty) = cast_operands
        return cast(self.contract(equation, one, one_ty, other, other_ty), work, dtype)


class BySums(Contractions):
    """Multiplies element by element only: products of all pairs, summed."""

    def contract(
        self, equation: str, left: Expr, left_ty: TensorType, right: Expr, right_ty: TensorType
    ) -> Expr:
        """Return the contraction as a product that is summed."""
        _ = left_ty, right_ty
        return contraction.by_sums(equation, left, right)


class ByMatrices(Contractions):
    """Multiplies stacks of matrices."""

    def contract(
        self, equation: str, left: Expr, left_ty: TensorType, right: Expr, right_ty: TensorType
    ) -> Expr:
        """Return the contraction as one ``nn.batch_matmul``."""
        shapes = known_shape(left_ty, "an operand"), known_shape(right_ty, "an operand")
        return contraction.by_matrices(equation, left, shapes[0], right, shapes[1])
