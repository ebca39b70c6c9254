"""Symbolic sizes that stand where rules compute with integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, TypeAlias

from relayish.errors import UnsupportedError
from relayish.ir.relay.type import PrimExpr, PrimOp, SizeVar
from relayish.op.types.dimension import compare, show_dimension
from relayish.op.types.polynomial import normal_form

Size: TypeAlias = Any  # Any: an integer, or an Extent, which does what integers do
"""A size of a tensor, as rules take it."""


class Extent:
    """A size that is known when a program runs: it computes and compares as integers do.

    What would need the number itself is refused. No dimension with a name is 0.

    Attributes:
        size: The expression of dimensions.

    Example:
        >>> from relayish.ir.relay.type import SizeVar
        >>> n = Extent(SizeVar("n"))
        >>> n + 1 > 1, n == 1, n * 2 == n + n, bool(n)
        (True, False, True, True)
    """

    __slots__ = ("size",)

    def __init__(self, size: PrimExpr) -> None:
        self.size: Final = size

    def made(self, size: int | PrimExpr) -> Size:
        """Return another size, as this one is."""
        size = simplified(size)
        return size if isinstance(size, int) else Extent(size)

    def refuse(self) -> NoReturn:
        """Raise where the number is asked for.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(
            f"the size {show_dimension(self.size)} is known only when it runs, and the number is "
            f"needed before"
        )

    def __add__(self, other: object) -> Size:
        return self._combined(lambda one, two: one + two, other)

    def __radd__(self, other: object) -> Size:
        return self.made(_size_of(other) + self.size)

    def __sub__(self, other: object) -> Size:
        return self._combined(lambda one, two: one - two, other)

    def __rsub__(self, other: object) -> Size:
        return self.made(_size_of(other) - self.size)

    def __mul__(self, other: object) -> Size:
        return self._combined(lambda one, two: one * two, other)

    def __rmul__(self, other: object) -> Size:
        return self.made(_size_of(other) * self.size)

    def __neg__(self) -> Size:
        return self.made(-self.size)

    def __floordiv__(self, other: object) -> Size:
        return self._combined(lambda one, two: one // two, other)

    def _combined(self, combine: Callable[[Any, Any], Any], other: object) -> Size:
        if not isinstance(other, (int, Extent)):
            return NotImplemented
        return self.made(combine(self.size, _size_of(other)))

    def __mod__(self, other: object) -> NoReturn:
        self.refuse()

    __rmod__ = __truediv__ = __rtruediv__ = __rfloordiv__ = __pow__ = __mod__

    def bit_length(self) -> NoReturn:
        """Raise, as the number is asked for; see :meth:`refuse`."""
        self.refuse()

    def __eq__(self, other: object) -> bool:
        """Return whether sizes are known to be the same."""
        if not isinstance(other, (int, Extent)):
            return False
        return compare(self.size, _size_of(other)) is True

    def __hash__(self) -> int:
        return hash(str(show_dimension(self.size)))

    def __lt__(self, other: object) -> bool:
        apart = _least(_size_of(other) - self.size)
        if apart is not None and apart > 0:
            return True
        back = _least(self.size - _size_of(other))
        if back is None or back < 0:
            self.refuse()
        return False

    def __le__(self, other: object) -> bool:
        return bool(self < _size_of(other) + 1)

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __bool__(self) -> bool:
        return self >= 1

    def __index__(self) -> int:  # noqa: PLE0305 - it never returns
        self.refuse()

    __int__ = __float__ = __index__


def dimensions_of(shape: Sequence[Size]) -> tuple[int | PrimExpr, ...]:
    """Return sizes as they stand in types."""
    return tuple([size.size if isinstance(size, Extent) else size for size in shape])


def simplified(size: int | PrimExpr) -> int | PrimExpr:
    """Return a sum of products of dimensions where a size is one that looks otherwise.

    Example:
        >>> from relayish.ir.relay.type import SizeVar
        >>> n = SizeVar("n")
        >>> simplified((n - 1) + 1) is n, simplified(n * 2 - n - n)
        (True, 0)
    """
    form = normal_form(size)
    if form is None or isinstance(size, SizeVar):
        return size
    found: int | PrimExpr = 0
    for monomial, coefficient in sorted(form, key=lambda term: (term[1] < 0, not term[0])):
        product: int | PrimExpr = coefficient
        for unknown, power in monomial:
            if not isinstance(unknown, SizeVar):
                return size
            for _ in range(power):
                product = unknown if product == 1 else product * unknown
        found = product if found == 0 else found + product
    return found


def _size_of(value: object) -> Any:  # Any: an integer, or an expression of dimensions
    return value.size if isinstance(value, Extent) else value


def _least(size: int | PrimExpr) -> int | None:
    """Return a number that a size is not below, where no dimension is 0."""
    match size:
        case int():
            return size
        case SizeVar():
            return 1
        case PrimOp(name="tir.Sub", args=(left, int() as right)):
            least = _least(left)
            return None if least is None else least - right
        case PrimOp(name="tir.Add" | "tir.Mul" as name, args=(left, right)):
            least, other = _least(left), _least(right)
            if least is None or other is None:
                return None
            if name == "tir.Add":
                return least + other
            return least * other if least >= 0 and other >= 0 else None
        case PrimOp(name="tir.FloorDiv", args=(left, int() as right)) if right > 0:
            least = _least(left)
            return None if least is None else least // right
    return None
