"""Combiners: what is specific to an operator in combining calls of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Final, TypeAlias

from relayish.analysis.effect_rules import effect_of_op
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.type import TensorType
from relayish.op.declaration.properties import OpPattern, pattern
from relayish.op.declaration.registry import relay_op

Branch: TypeAlias = tuple[Call, ...]
"""A call of the operator, and calls that follow it, each the one consumer of the one before."""

Image: TypeAlias = Callable[[Expr], Expr]
"""What became of an expression."""

ELEMENTWISE_WITH_ATTRS: Final = frozenset(
    relay_op(name) for name in ("cast", "clip", "fixed_point_multiply", "nn.leaky_relu")
)
"""Operators with attributes that do the same to each element, whatever the shape."""


class Combiner(ABC):
    """How calls of one operator on the same first argument are combined."""

    op: Op

    @abstractmethod
    def key(self, call: Call) -> Hashable | None:
        """Return what calls that can be combined have in common; ``None`` of those that cannot."""

    @abstractmethod
    def combine_roots(self, calls: Sequence[Call], image: Image) -> Expr:
        """Return the call that computes what all of ``calls`` do."""

    @abstractmethod
    def follows(self, branches: Sequence[Branch], level: int, place: int) -> bool:
        """Return whether the calls at ``level`` can be combined, which have all one operator.

        Their argument at ``place`` is the call of the level before.
        """

    @abstractmethod
    def combine_level(
        self, branches: Sequence[Branch], level: int, place: int, data: Expr, image: Image
    ) -> Expr:
        """Return the call at ``level`` on ``data``, which is what the levels before computed."""

    @abstractmethod
    def results(self, data: Expr, branches: Sequence[Branch]) -> list[Expr]:
        """Return the result of each branch, taken out of ``data``."""


def is_map(call: Call) -> bool:
    """Return whether the operator does the same to each element of its arguments, broadcast."""
    op = call.op
    if type(op) is not Op or effect_of_op(op):
        return False
    if pattern.get(op) not in (OpPattern.ELEMWISE, OpPattern.BROADCAST):
        return False
    return call.attrs is None or op in ELEMENTWISE_WITH_ATTRS


def shape_of(expr: Expr) -> tuple[object, ...] | None:
    """Return the inferred shape of a tensor, or ``None``."""
    ty = expr.checked_type
    return tuple(ty.shape) if isinstance(ty, TensorType) else None


def get_static_shape(expr: Expr) -> tuple[int, ...] | None:
    """Return the shape of a tensor if all its sizes are numbers."""
    shape = shape_of(expr)
    sizes = tuple(size for size in shape or () if isinstance(size, int))
    return sizes if shape is not None and len(sizes) == len(shape) else None


def dtype_of(expr: Expr) -> str | None:
    """Return the element type of a tensor."""
    ty = expr.checked_type
    return ty.dtype if isinstance(ty, TensorType) else None
