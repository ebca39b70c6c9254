"""The operations of lattices, open to any package: multiple dispatch on a lattice and two states.

``join(lattice, a, b)`` is ``lattice.join(a, b)``, and both are what was registered last for the
class of the lattice and the types of the states::

    @join.register(Powerset, Bits, Bits)
    def join_bits(lattice, a, b):
        return a.union(b)

The lattice decides first: a class that defines or registers an operation hides what the classes
that it extends do, for all states. Among what is registered for one class the types of the states
decide, as ``multipledispatch`` orders them; its own method serves all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

from multipledispatch import Dispatcher

from relayish.dataflow.lattice.lattice import Lattice
from relayish.errors import DeclarationError, DispatchError
from relayish.ir.registration.declarations import (
    Redo,
    Undo,
    changes_of,
    declared_temporarily,
    watch_declarations,
)

F = TypeVar("F", bound=Callable[..., Any])  # Any: states of any type
Method: TypeAlias = Callable[..., Any]  # Any: states of any type


class Operation(Dispatcher):  # type: ignore[misc] # multipledispatch has no types
    """An operation of lattices: a dispatcher on the types of a lattice and of two states.

    What is registered becomes the method of the class, so that who calls ``lattice.join(a, b)``
    pays for no dispatch unless something was registered for types of states. Operations of
    lattices that exist already are those that were registered.

    Complexity:
        Where only methods are defined, that of calling one.

    Example:
        >>> from relayish.dataflow.lattice import Booleans
        >>> class Votes(Booleans):
        ...     '''Truths, of which some come as texts.'''
        >>> @join.register(Votes, bool, str)
        ... def join_text(lattice, a, b):
        ...     return lattice.join(a, b == "yes")
        >>> join(Votes(), False, "yes"), Votes().join(False, "no"), Votes().join(False, True)
        (True, False, True)
    """

    def __init__(self, name: str, doc: str) -> None:
        super().__init__(name, doc)
        self._own: dict[type[Lattice[Any]], Method | None] = {}
        self._of_class: dict[type[Lattice[Any]], Dispatcher] = {}
        watch_declarations(self._watch)

    def register(self, *types: Any, **options: Any) -> Callable[[F], F]:  # Any: as for add
        """Return a decorator that lets a function serve a class of lattices and types of states."""
        decorate: Callable[[F], F] = super().register(*types, **options)
        return decorate

    def add(self, signature: tuple[Any, ...], func: Method) -> None:
        """Let ``func(lattice, a, b)`` serve a class of lattices and two types of states.

        Args:
            signature: The three types; a tuple of types stands for each of them.
            func: What serves them.

        Raises:
            DeclarationError: If these are not a class of lattices and two types.
        """
        if any(isinstance(each, tuple) for each in signature):
            super().add(signature, func)  # which calls this one with each combination
            return
        if len(signature) != 3 or not all(isinstance(each, type) for each in signature):
            found = ", ".join([getattr(each, "__name__", repr(each)) for each in signature])
            raise DeclarationError(
                f"{self.name} was registered for ({found}); an operation is registered for the "
                f"class of a lattice and the types of two states: "
                f"@{self.name}.register(MyLattice, MyState, object)"
            )
        kind = signature[0]
        if not issubclass(kind, Lattice) or kind is Lattice:
            raise DeclarationError(
                f"{self.name} was registered for {kind.__name__}, which is no class of lattices; "
                f"derive it from relayish.dataflow.Lattice"
            )
        super().add(signature, func)
        self._own.setdefault(kind, kind.__dict__.get(self.name))
        self._install(kind)

    def dispatch(self, *types: type) -> Method | None:
        """Return what serves a lattice and states of some types; ``None`` if nothing does."""
        kind, *_ = types
        if not issubclass(kind, Lattice):
            return None
        for owner in kind.__mro__:
            found = self._of_class.get(owner)
            if found is not None:
                served: Method | None = found.dispatch(*types)
                return served
            if self.name in owner.__dict__:
                break
        method: Method = getattr(kind, self.name)
        return method

    def __call__(self, *operands: Any) -> Any:  # Any: a lattice, and its states
        if not operands or not isinstance(operands[0], Lattice):
            raise DispatchError(
                f"{self.name} was given {operands[0]!r:.60} for a lattice; call "
                f"{self.name}(lattice, a, b)"
                if operands
                else f"{self.name} was given nothing; call {self.name}(lattice, a, b)"
            )
        return getattr(operands[0], self.name)(*operands[1:])

    def _install(self, kind: type[Lattice[Any]]) -> None:
        """Make the method of ``kind`` do what is registered for it, or else what it did before."""
        self._of_class.pop(kind, None)
        registered = {types: func for types, func in self.funcs.items() if types[0] is kind}
        method = registered.get((kind, object, object), self._own[kind])
        if len(registered) > ((kind, object, object) in registered):
            dispatcher = self._of_class[kind] = Dispatcher(self.name)
            dispatcher.add((kind, object, object), method or self._inherited(kind))
            for types, func in registered.items():
                dispatcher.add(types, func)
            method = _calling(dispatcher)
        if method is not None:
            setattr(kind, self.name, method)
        elif self.name in kind.__dict__:
            delattr(kind, self.name)

    def _inherited(self, kind: type[Lattice[Any]]) -> Method:
        def inherited(lattice: Lattice[Any], a: Any, b: Any) -> Any:  # Any: states
            return getattr(super(kind, lattice), self.name)(a, b)

        return inherited

    def _watch(self, context: declared_temporarily) -> Undo:
        """Let what is registered be forgotten with other temporary declarations."""
        forget = changes_of(self.funcs, lambda _, function: context.stays(function.__module__))

        def undo() -> Redo:
            declare = forget()
            self._renew()

            def redo() -> None:
                declare()
                self._renew()

            return redo

        return undo

    def _renew(self) -> None:
        self._cache.clear()
        for kind in self._own:
            self._install(kind)


def _calling(dispatcher: Dispatcher) -> Method:
    def dispatched(lattice: Lattice[Any], a: Any, b: Any) -> Any:  # Any: states
        return dispatcher(lattice, a, b)

    return dispatched


join: Final = Operation("join", "The least upper bound of two states.")
meet: Final = Operation("meet", "The greatest lower bound of two states.")
leq: Final = Operation("leq", "Whether the second state is above the first, or equal.")
equal: Final = Operation("equal", "Whether two states are the same.")
widen: Final = Operation("widen", "A state above both, such that chains of these end.")
narrow: Final = Operation("narrow", "A state between the second and the first, which is above it.")
