"""Memoization of functors whose handlers depend on nothing but their arguments."""

from __future__ import annotations

from typing import Any, Final, TypeVar, cast

from relayish.errors import DeclarationError, DispatchError
from relayish.functor.extension import check_functor, extend_class, extend_object
from relayish.functor.functor import Functor
from relayish.functor.vtable import is_default
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.ir.nodes.node import Node

_F = TypeVar("_F", bound="type[Functor[Any, Any]] | Functor[Any, Any]")  # Any: over all families


def memoized(functor: _F) -> _F:
    """Return the memoization of ``functor``: it handles each (node, arguments) pair once.

    A functor called with extra arguments keeps no memo, because a result may depend on them; this
    one keeps a result for each combination, for as long as it lives. The handlers must be pure, the
    arguments hashable. Arguments that are equal count as the same.

    Args:
        functor: A class, of which a subclass is made, or an object, of which a copy is made.

    Raises:
        DeclarationError: If ``functor`` is no functor, or overrides ``visit``: what it does there
            would be skipped.
        DispatchError: From visits, if an argument cannot be hashed.

    Complexity:
        Each distinct pair costs one call of a handler, so shared programs stay linear.

    Source:
        ``MemorizedVersion`` of TVM's data-flow RFC (#4468).

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
    check_functor(functor, "Memoized")
    if isinstance(functor, type):
        return cast("_F", extend_class(functor, Memoization))
    return cast("_F", extend_object(functor, Memoization))


Memoized: Final = memoized
"""The name by which it stands beside ``RecordingFunctor``."""


class Memoization(Functor[Any, Any]):
    """Keeps results by node and arguments in front of what a functor does."""

    remembers = True

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        if not is_default(super().visit):
            raise DeclarationError(
                f"{cls.__name__} overrides visit(), which a memo would skip; memoize in it instead"
            )

    def visit(self, node: Any, *args: Any) -> Any:  # Any: as handlers take
        if not args:
            if not isinstance(self, Memoization):
                raise DispatchError(
                    f"visit was asked of a memoized class, with {show_found(self)} in place of the "
                    f"functor; of a class Memoized makes a class: Memoized(F)().visit(...)"
                )
            return super().visit(node)  # which keeps a memo
        recorded = cast("dict[object, Any]", self.memo_map)  # Any: as above
        key = (node, args)
        try:
            known = key in recorded
        except TypeError:
            if not isinstance(node, Node):
                return super().visit(node, *args)  # raises, naming what was met
            raise _unhashable(self, node, args) from None
        if not known:
            if len(args) == 1:  # spelt out: f(*args) would cross C at every level
                recorded[key] = super().visit(node, args[0])
            else:
                recorded[key] = super().visit(node, *args)
        return recorded[key]


def _unhashable(
    functor: Functor[Any, Any], node: Node, args: tuple[object, ...]
) -> DispatchError:  # Any: as above
    """Return the error for arguments that cannot be looked up in a memo."""
    found = next(arg for arg in args if not _is_hashable(arg))
    return DispatchError(
        f"{type(functor).__name__}, which is memoized, visits {one_line(node)} with "
        f"{show_found(found)}, which cannot be hashed; pass what can be, such as a tuple in place "
        f"of a list"
    )


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
