"""Arity checks: how many arguments functions take, told where they are registered."""

from __future__ import annotations

from inspect import CO_VARARGS
from types import FunctionType, MethodType
from typing import Any

from relayish.errors import DeclarationError


def takes(function: Any, count: int) -> bool:  # Any: of every class
    """Return whether ``function`` can be called with so many arguments, by position.

    Of what is neither a plain function nor a bound method of one, such as a class or a ufunc,
    nothing is known: it can.
    """
    if not is_readable(function):
        return True
    code = function.__code__
    if code.co_kwonlyargcount > len(function.__kwdefaults__ or ()):
        return False
    given = count + is_bound(function)
    required: int = code.co_argcount - len(function.__defaults__ or ())
    most: int = given if code.co_flags & CO_VARARGS else code.co_argcount
    return required <= given <= most


def is_bound(function: object) -> bool:
    """Return whether ``function`` is a bound method, whose first parameter is given already."""
    return isinstance(function, MethodType)


def is_readable(function: object) -> bool:
    """Return whether the parameters of ``function`` can be read off its code."""
    inner = function.__func__ if isinstance(function, MethodType) else function
    return type(inner) is FunctionType


def parameters_of(function: Any) -> tuple[str, ...]:  # Any: as above
    """Return what a readable function calls the arguments that it takes by position."""
    code = function.__code__
    names: tuple[str, ...] = code.co_varnames[is_bound(function) : code.co_argcount]
    return names


def check_arity(
    function: Any,  # Any: still to be checked
    arguments: tuple[str, ...],
    what: str,
) -> None:
    """Refuse a function that cannot be called with ``arguments``; ``what`` it is, for the error.

    Raises:
        DeclarationError: Naming ``what``, and what it should take.
    """
    if not callable(function):
        raise DeclarationError(
            f"{what} is {function!r} ({type(function).__name__}); expected a function of "
            f"({', '.join(arguments)})"
        )
    if takes(function, len(arguments)):
        return
    code = function.__code__
    last = code.co_argcount + code.co_kwonlyargcount
    taken = ", ".join(code.co_varnames[is_bound(function) : last])
    raise DeclarationError(
        f"{what} is {function.__qualname__}({taken}); "
        f"it is called with {len(arguments)} arguments: ({', '.join(arguments)})"
    )
