"""The table of primitives: by name, what makes the next function of a schedule."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, TypeVar

from relayish.errors import UnknownNameError, suggest
from relayish.ir.registration.claimed_table import ClaimedTable

F = TypeVar("F", bound=Callable[..., Any])

PRIMITIVES: Final[ClaimedTable[str, Callable[..., Any]]] = ClaimedTable(
    lambda name: f"the primitive {name!r} of schedules"
)
"""Each takes the state, then what its method of the schedule is given, places for handles."""


def primitive(name: str, *, replace: bool = False) -> Callable[[F], F]:
    """Enter a function as the primitive called ``name``.

    It is given a :class:`~relayish.tir.schedule.state.State` and changes that by its methods; what
    it raises leaves the state as it was. Places that it returns become handles.

    Args:
        name: What :meth:`Schedule.apply`, and the method of that name if there is one, finds it by.
        replace: Take the place of whatever primitive there is.

    Raises:
        DuplicateNameError: If somebody else claims the name and ``replace`` is false.
    """
    return lambda function: PRIMITIVES.register(name, function, replace=replace)  # type: ignore[return-value] # it is given back


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
