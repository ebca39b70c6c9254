"""Memoization of functors whose handlers depend on nothing but their arguments."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from relayish.errors import DeclarationError
from relayish.functor.functor import Functor
from relayish.ir.node import Node

_F = TypeVar("_F", bound=type[Functor[Any, Any]])  # Any: functors over every family and result


def memoized(functor: _F) -> _F:
    """Return a subclass of ``functor`` that handles each (node, arguments) pair once.

    A functor called with extra arguments keeps no memo, because a result may depend on them; this
    one keeps a result for each combination. The handlers must be pure, the arguments hashable.

    Raises:
        DeclarationError: If ``functor`` overrides ``visit``: what it does there would be skipped.

    Complexity:
        Each distinct pair costs one call of a handler, so shared programs stay linear.

    Source:
        The recording functors of TVM's data-flow RFC (#4468).

    Example:
        >>> @memoized
        ... class Reach(ExprFunctor[int]):
        ...     def visit_var(self, var: Var, height: int) -> int:
        ...         return height
        ...
        ...     def visit_tuple(self, tup: Tuple, height: int) -> int:
        ...         return max(self.visit(field, height + 1) for field in tup.fields)
        >>> x = Var("x")
        >>> Reach().visit(Tuple((x, Tuple((x,)))), 0)
        2
    """
    if functor._intercepts:  # noqa: SLF001 - a property of functor classes, for this package
        raise DeclarationError(
            f"{functor.__name__} overrides visit(), which a memo would skip; memoize in it instead"
        )

    class Memoized(functor):  # type: ignore[valid-type, misc]
        remembers = True

        def visit(self, node: Node, *args: Any) -> Any:  # Any: what the handlers take and return
            if not args:
                return super().visit(node)
            recorded = cast("dict[object, Any]", self.memo_map)  # Any: as above
            key = (node, args)
            if key not in recorded:
                recorded[key] = super().visit(node, *args)
            return recorded[key]

    Memoized.__name__ = functor.__name__
    Memoized.__qualname__ = functor.__qualname__
    Memoized.__doc__ = functor.__doc__
    Memoized.__module__ = functor.__module__
    return cast("_F", Memoized)
