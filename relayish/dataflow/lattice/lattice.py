"""The protocol of lattices: operations on states, apart from the type of the states."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from types import CodeType
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeAlias, TypeVar

from relayish.dataflow.lattice.symbols import Extreme, Unreachable
from relayish.errors import DeclarationError, FieldError, UndeclaredError

S = TypeVar("S")


class Lattice(Generic[S]):
    """A bounded lattice: a partial order in which any two states have a join and a meet.

    Of a set of facts that may hold the join is a union, of facts that must hold an intersection;
    both are sets. So a lattice is an object by itself, and what the states of an analysis are is
    said by giving it one: ``lattice = Powerset()``.

    A class defines ``bottom`` and ``top``, as attributes or properties, :meth:`join` and
    :meth:`meet`; :meth:`widen` too unless it says that it has finite height. The rest follows, but
    may be defined to be faster. Each operation may also be registered for types of states, by any
    package: see :mod:`.operations`. :func:`.check_laws` tells whether a lattice is one.

    States are immutable. Operations return ``a``, the same object, where the result equals it:
    solvers ask with ``is`` first.

    Args:
        abstract: Given with the bases of a class, ``class Mine(Lattice[S], abstract=True)``: it is
            not complete yet, what is missing is defined in classes that extend it, or registered
            before it is first called.

    Attributes:
        bottom: The least state, where nothing has reached a point yet.
        top: The greatest state, of which nothing is known. Where nothing natural is above all
            others, it is a symbol, as ``UNIVERSE`` is for sets.
        finite_height: Whether no chain of ever greater states is endless, with the finitely many
            elements, keys and values that a program has; nor one of ever smaller states.

    Raises:
        DeclarationError: At the definition of a class that lacks something.

    Source:
        ``IsLattice`` of TVM's request #4468; its bottom is the whole set for facts that must hold,
        and so it is in :class:`.MustPowerset`. Widening and narrowing: Cousot and Cousot, 1977.

    Example:
        >>> class Levels(Lattice[int]):
        ...     bottom, top, finite_height = 0, 3, True
        ...     def join(self, a, b):
        ...         return max(a, b)
        ...     def meet(self, a, b):
        ...         return min(a, b)
        >>> Levels().leq(1, 2), Levels().leq(2, 1), Levels().widen(1, 2)
        (True, False, 2)
        >>> class Half(Lattice[int]):
        ...     bottom, top, finite_height = 0, 3, True
        ...     def join(self, a, b):
        ...         return max(a, b)
        Traceback (most recent call last):
        ...
        relayish.errors.DeclarationError: lattice Half has no meet; define meet(self, a, b) in it, \
or say class Half(..., abstract=True) and register it: @meet.register(Half, object, object)
    """

    bottom: S
    top: S
    finite_height: bool = False
    _is_abstract: ClassVar[bool] = True

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:  # Any: of others
        super().__init_subclass__(**options)
        cls._is_abstract = abstract
        if not abstract:
            cls._check_complete()

    def __new__(cls, *_args: Any, **_options: Any) -> Self:  # Any: what __init__ takes
        if cls._is_abstract:
            cls._check_complete()
        return super().__new__(cls)

    @abstractmethod
    def join(self, a: S, b: S) -> S:
        """Return the least upper bound: the least state above both."""
        return self._refuse("join")

    @abstractmethod
    def meet(self, a: S, b: S) -> S:
        """Return the greatest lower bound: the greatest state below both."""
        return self._refuse("meet")

    def leq(self, a: S, b: S) -> bool:
        """Return whether ``b`` is above ``a``, or equal: by default, whether it is their join."""
        return a is b or self.equal(self.join(b, a), b)

    def equal(self, a: S, b: S) -> bool:
        """Return whether two states are the same: by default, whether ``==`` says so."""
        return a is b or bool(a == b)

    def widen(self, old: S, new: S) -> S:
        """Return a state above both, such that chains of these end: by default, their join."""
        return self.join(old, new)

    def narrow(self, old: S, new: S) -> S:  # noqa: ARG002
        """Return a state between ``new`` and ``old``, which is above it: by default ``old``."""
        return old

    def is_state(self, given: object) -> bool:
        """Return whether something is a state, which ``solve(..., check=True)`` asks.

        By default whether it is of the type of bottom or of top; where these are symbols, anything.
        """
        extremes = (self.bottom, self.top)
        if all(isinstance(each, Extreme | Unreachable) for each in extremes):
            return True
        return isinstance(given, tuple([type(each) for each in extremes]))

    def __getattr__(self, name: str) -> NoReturn:
        if name in _EXTREMES:
            raise UndeclaredError(
                f"lattice {type(self).__name__} declares {name}, but no value was given to it; "
                f"assign self.{name} in __init__, or give it in the class"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @classmethod
    def _check_complete(cls) -> None:
        missing = [name for name in _EXTREMES if not _declares(cls, name)]
        missing += [name for name in _REQUIRED if getattr(cls, name) is getattr(Lattice, name)]
        if cls.widen is Lattice.widen and cls.finite_height is False:
            missing.append("widen")
        if missing:
            raise DeclarationError(_what_is_missing(cls.__name__, missing))

    def _refuse(self, name: str) -> NoReturn:
        raise DeclarationError(_what_is_missing(type(self).__name__, [name]))


IsLattice: TypeAlias = Lattice
"""The name in TVM's request for data-flow analysis."""


def checked_lattice(given: Lattice[S], example: str) -> Lattice[S]:
    """Return what was given for the lattice of a part of the states of another.

    Raises:
        FieldError: If it is no lattice; it shows the ``example``.
    """
    thing: object = given  # still to be checked
    if not isinstance(thing, Lattice):
        kind = example.partition("(")[0]
        raise FieldError(
            f"{kind} was given {thing!r:.60} for a lattice; write {example}, with instances of "
            f"lattices"
        )
    return given


def _declares(kind: type[Lattice[Any]], name: str) -> bool:
    """Return whether a class has an attribute, or annotates it, or assigns it in ``__init__``."""
    bases = kind.__mro__[: kind.__mro__.index(Lattice)]
    return hasattr(kind, name) or any(
        name in inspect.get_annotations(base) or name in _names_in_init(base) for base in bases
    )


def _names_in_init(kind: type) -> tuple[str, ...]:
    code: CodeType | None = getattr(kind.__dict__.get("__init__"), "__code__", None)
    return () if code is None else code.co_names


def _what_is_missing(kind: str, missing: list[str]) -> str:
    extremes = [name for name in missing if name in _EXTREMES]
    operations = [name for name in missing if name not in _EXTREMES]
    ways = [f"define {name}, as an attribute or a property" for name in extremes]
    if operations:
        defined = ", ".join([f"{name}(self, a, b)" for name in operations])
        registered = ", ".join([f"@{name}.register({kind}, object, object)" for name in operations])
        ways.append(
            f"define {defined} in it, or say class {kind}(..., abstract=True) and register "
            f"{'it' if len(operations) == 1 else 'them'}: {registered}"
        )
    if "widen" in missing:
        ways.append("say finite_height = True if it has no endless chains, so that widen is join")
    return f"lattice {kind} has no {', '.join(missing)}; {'; '.join(ways)}"


_EXTREMES = ("bottom", "top")
_REQUIRED = ("join", "meet")
