"""Arity checks: how many arguments functions take, told where they are registered."""

from __future__ import annotations

from inspect import CO_VARARGS
from types import FunctionType
from typing import Any

from relayish.errors import DeclarationError


def takes(function: Any, count: int) -> bool:  # Any: of every class
    """Return whether ``function`` can be called with so many arguments, by position.

    Of what is no plain function, such as a class or a ufunc, nothing is known: it can.
    """
    if type(function) is not FunctionType:
        return True
    code = function.__code__
    if code.co_kwonlyargcount > len(function.__kwdefaults__ or ()):
        return False
    required = code.co_argcount - len(function.__defaults__ or ())
    most = count if code.co_flags & CO_VARARGS else code.co_argcount
    return required <= count <= most


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
    taken = ", ".join(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    raise DeclarationError(
        f"{what} is {function.__qualname__}({taken}); "
        f"it is called with {len(arguments)} arguments: ({', '.join(arguments)})"
    )
