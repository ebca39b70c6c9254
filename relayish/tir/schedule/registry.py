"""The table of primitives: by name, what makes the next function of a schedule."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, TypeVar

from relayish.errors import DuplicateNameError, UnknownNameError, suggest

F = TypeVar("F", bound=Callable[..., Any])

PRIMITIVES: Final[dict[str, Callable[..., Any]]] = {}
"""Each takes the state, then what its method of the schedule is given, places for handles."""


def primitive(name: str) -> Callable[[F], F]:
    """Enter a function as the primitive called ``name``.

    It is given a :class:`~relayish.tir.schedule.state.State` and changes that by its methods; what
    it raises leaves the state as it was. Places that it returns become handles.

    Raises:
        DuplicateNameError: If there is one of that name.
    """

    def enter(function: F) -> F:
        if name in PRIMITIVES:
            raise DuplicateNameError(
                f"two primitives are called {name!r}: {PRIMITIVES[name].__module__} and "
                f"{function.__module__}; give one of them another name"
            )
        PRIMITIVES[name] = function
        return function

    return enter


def find_primitive(name: str) -> Callable[..., Any]:
    """Return the primitive called ``name``.

    Raises:
        UnknownNameError: If there is none.
    """
    found = PRIMITIVES.get(name)
    if found is None:
        raise UnknownNameError(f"no primitive is called {name!r}{suggest(name, PRIMITIVES)}")
    return found


def bind_arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return what a primitive is given, by the names of its parameters, defaults left out."""
    signature = inspect.signature(find_primitive(name))
    bound = signature.bind(None, *args, **kwargs)
    given = dict(bound.arguments)
    given.pop(next(iter(signature.parameters)))
    return {
        each: value
        for each, value in given.items()
        if value is not signature.parameters[each].default
    }
