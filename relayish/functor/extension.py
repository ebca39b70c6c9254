"""Mix-ins for functors that exist: a subclass with the mix-in, and a copy of an object in it."""

from __future__ import annotations

from typing import Any, TypeVar

from relayish.errors import DeclarationError
from relayish.functor.functor import Functor
from relayish.functor.memo import given_by_hand
from relayish.ir.kinds.one_line import show_found

_C = TypeVar("_C", bound=type[Functor[Any, Any]])  # Any: functors over every family and result
_F = TypeVar("_F", bound=Functor[Any, Any])

_EXTENDED = "_extended"
"""Where a functor class keeps its subclasses with a mix-in, by mix-in."""


def extend_class(functor: _C, mixin: type) -> _C:
    """Return the subclass of ``functor`` in which the methods of ``mixin`` come first.

    It goes by the name of ``functor``, and is the same class each time; ``functor`` itself where
    the mix-in is there already.
    """
    if issubclass(functor, mixin):
        return functor
    made = functor.__dict__.get(_EXTENDED)
    if made is None:
        made = {}
        setattr(functor, _EXTENDED, made)
    if mixin not in made:
        told = ("__module__", "__qualname__", "__doc__")
        body = {name: getattr(functor, name) for name in told}
        made[mixin] = type(functor.__name__, (mixin, functor), body)
    extended: _C = made[mixin]
    return extended


def extend_object(functor: _F, mixin: type) -> _F:
    """Return a copy of ``functor`` in which the methods of ``mixin`` come first.

    What somebody put into its ``memo_map`` by hand is there; what it found out is not.
    """
    made = extend_class(type(functor), mixin)
    extended = made.__new__(made)
    own = dict(vars(extended))
    vars(extended).update(vars(functor))
    vars(extended).update(own)  # the tables of the class, and that no visit is going on
    extended.memo_map.update(given_by_hand(functor.memo_map))
    if functor.visit_counter is not None and extended.visit_counter is not None:
        extended.visit_counter.update(given_by_hand(functor.visit_counter))
    extended.visit_limit = functor.visit_limit
    return extended


def check_functor(found: object, asked_by: str) -> None:
    """Raise unless ``found`` is a functor or a class of functors.

    Raises:
        DeclarationError: Saying what ``asked_by``, as users call it, expects.
    """
    if isinstance(found, Functor) or (isinstance(found, type) and issubclass(found, Functor)):
        return
    shown = f"the class {found.__name__}" if isinstance(found, type) else show_found(found)
    raise DeclarationError(
        f"{asked_by} is given {shown}; expected a functor: a class derived from Functor, such as "
        f"ExprFunctor, or an object of one"
    )
