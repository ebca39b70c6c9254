"""Calls of front ends in the form that another library has: refused, with what to write here."""

from __future__ import annotations

import inspect
import opcode
import sys
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Final, ParamSpec, TypeVar

from relayish.errors import ModelError

_P = ParamSpec("_P")
_R = TypeVar("_R")


def explain_calls(told: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function that gives one thing say what to write where it is called as another one.

    That is so if it does not take the arguments, or what it gives is unpacked where it is called,
    as ``mod, params = from_onnx(model)`` does.

    Args:
        told: What to write, for the error.

    Raises:
        ModelError: When the function is called so.
    """

    def around(function: Callable[_P, _R]) -> Callable[_P, _R]:
        known = inspect.signature(function)
        shown = f"{function.__name__}({', '.join(known.parameters)})"

        @wraps(function)
        def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                known.bind(*args, **kwargs)
            except TypeError as error:
                raise ModelError(f"{error}; expected {shown}; {told}") from None
            parts = _parts_of_result(sys._getframe(1))  # noqa: SLF001 - there is no other way
            if parts:
                raise ModelError(f"{shown} gives one module, and {parts} are unpacked; {told}")
            return function(*args, **kwargs)

        return called

    return around


def _parts_of_result(caller: FrameType) -> int:
    """Return into how many parts a frame unpacks what the call gives that it runs; 0 for none."""
    code, at = caller.f_code.co_code, caller.f_lasti + 2
    while code[at] == _CACHE:  # which no instruction is, and some stand before the next one
        at += 2
    return code[at + 1] if code[at] == _UNPACK else 0


_CACHE: Final = opcode.opmap.get("CACHE", -1)
_UNPACK: Final = opcode.opmap.get("UNPACK_SEQUENCE", -1)
