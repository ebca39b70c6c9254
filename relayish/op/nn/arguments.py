"""Constraints on arguments in type relations: their types so far, and what these have to be."""

from __future__ import annotations

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import IncompleteType, TensorType, Type
from relayish.op.declaration.relation import TypeReporter
from relayish.op.types.dimension import show_type, unify
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import tensor


def tensor_so_far(ty: Type, what: str, rank: int | None = None) -> TensorType | None:
    """Return ``ty``, the type of the argument called ``what``, or ``None`` if it is not yet known.

    Raises:
        TypeInferenceError: If it is not that of a tensor, or not of ``rank`` dimensions.
    """
    return None if isinstance(ty, IncompleteType) else tensor(ty, what, rank)


def settle(reporter: TypeReporter, ty: Type, expected: TensorType, what: str) -> None:
    """Make ``ty``, the type of the argument called ``what``, equal to ``expected``.

    Raises:
        TypeInferenceError: If it is another type; the message shows both.
    """
    found = tensor_so_far(ty, what)
    if found is not None and not _may_be_equal(found, expected):
        raise TypeInferenceError(
            f"{what} has type {show_type(found)}; expected {show_type(expected)}"
        )
    reporter.assign(ty, expected)


def unify_sizes(left: Dimension, right: Dimension, what: str) -> Dimension:
    """Return the better known of two sizes that must be equal.

    Args:
        left: The one.
        right: The other.
        what: Names both in the message: ``tensor_a has {} columns, tensor_b has {} rows``.

    Raises:
        TypeInferenceError: If they differ.
    """
    size = unify(left, right)
    if size is None:
        raise TypeInferenceError(f"{what.format(left, right)}; they must be equal")
    return size


def _may_be_equal(found: TensorType, expected: TensorType) -> bool:
    return (
        found.dtype == expected.dtype
        and len(found.shape) == len(expected.shape)
        and all(
            unify(one, other) is not None
            for one, other in zip(found.shape, expected.shape, strict=True)
        )
    )
