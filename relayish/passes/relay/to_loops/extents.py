"""Symbolic sizes: dimensions that arguments tell, as numbers and in formulas of loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NoReturn, TypeAlias

from relayish.errors import UnlowerableError
from relayish.ir.relay.type import PrimExpr, PrimOp, SizeVar
from relayish.ir.scopes.name_supply import NameSupply
from relayish.op.types.dimension import show_dimension
from relayish.op.types.extent import Extent, Size, simplified
from relayish.tir.ir.operators import LT, Add, Cast, Div, Expr, Mod, Mul, Sub, const
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import INT32, Type, as_type

Shape: TypeAlias = tuple[Size, ...]
"""The size of each axis."""


class Sizes:
    """The dimensions of a function that arguments tell, each an integer that it is given.

    None of them is 0.

    Args:
        names: Names that nothing has.
        known: Those that there are; by default all that are asked for.

    Attributes:
        variables: What stands for each in loops.
    """

    def __init__(self, names: NameSupply, known: Sequence[SizeVar] | None = None) -> None:
        self.variables: dict[SizeVar, Var] = {}
        self._names: Final = names
        self._is_closed = False
        for size in known or ():
            self.variable(size)
        self._is_closed = known is not None

    def shape(self, sizes: Sequence[int | PrimExpr]) -> Shape:
        """Return the sizes of a tensor, as formulas take them."""
        return tuple([size if isinstance(size, int) else LoopExtent(size, self) for size in sizes])

    def expr(self, size: int | PrimExpr) -> Expr:
        """Return a size as an expression of loops.

        Raises:
            UnlowerableError: If no argument tells it.
        """
        match size:
            case int():
                return const(size)
            case SizeVar() if size in self.variables or not self._is_closed:
                return self.variable(size)
            case PrimOp(name=name, args=(left, right)) if name in _OPERATIONS:
                return _OPERATIONS[name](self.expr(left), self.expr(right))
        raise UnlowerableError(f"no argument tells the size {show_dimension(size)}")

    def variable(self, size: SizeVar) -> Var:
        """Return what stands for a dimension."""
        found = self.variables.get(size)
        if found is None:
            name = self._names.fresh_name(size.name)
            found = self.variables[size] = Var(name, INT32, const(1))
        return found


def _quotient(a: Expr, b: Expr) -> Expr:
    """Return a quotient rounded down, of which ``b`` is positive."""
    return Sub(Div(a, b), Cast(INT32, LT(Mod(a, b), const(0))))


_OPERATIONS: Final[dict[str, Callable[[Expr, Expr], Expr]]] = {
    "tir.Add": Add,
    "tir.Sub": Sub,
    "tir.Mul": Mul,
    "tir.FloorDiv": _quotient,
}


class LoopExtent(Extent):
    """A size that a function of loops is given."""

    __slots__ = ("_sizes",)

    def __init__(self, size: PrimExpr, sizes: Sizes) -> None:
        super().__init__(size)
        self._sizes: Final = sizes

    def as_loop_expr(self, dtype: Type | str | None) -> Expr:
        """Return the size where loops compute with it."""
        found = self._sizes.expr(self.size)
        return found if dtype is None or str(dtype) == "int32" else Cast(as_type(dtype), found)

    def made(self, size: int | PrimExpr) -> Size:
        """Return another size of the function."""
        size = simplified(size)
        return size if isinstance(size, int) else LoopExtent(size, self._sizes)

    def refuse(self) -> NoReturn:
        """Raise where the number is asked for.

        Raises:
            UnlowerableError: Always.
        """
        raise UnlowerableError(
            f"the size {show_dimension(self.size)} is known only when it runs, and a formula needs "
            f"the number"
        )
