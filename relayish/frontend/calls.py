"""Calls of front ends in the form that another library has: refused, with what to write here."""

from __future__ import annotations

import ast
import inspect
import linecache
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
    as ``mod, params = from_onnx(model)`` does: where the source can be had, for others may call it,
    as ``first, second = list(map(from_onnx, models))`` does.

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
            if parts and _calls(sys._getframe(1), function.__name__):  # noqa: SLF001 - as above
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


def _calls(caller: FrameType, name: str) -> bool:
    """Return whether what a frame runs is, in its source, a call of what goes by that name."""
    places = list(caller.f_code.co_positions())
    line, end_line, start, end = places[caller.f_lasti // 2]
    if line is None or end_line is None:
        return False
    path, scope = caller.f_code.co_filename, caller.f_globals
    lines = [linecache.getline(path, each, scope).encode() for each in range(line, end_line + 1)]
    lines[-1] = lines[-1][:end]  # the end first: it may be the line of the start
    lines[0] = lines[0][start:]
    try:
        found = ast.parse(b"".join(lines).strip(), mode="eval").body
    except SyntaxError:  # no source, or another than runs
        return False
    if not isinstance(found, ast.Call):
        return False
    called = found.func
    return name == (called.attr if isinstance(called, ast.Attribute) else ast.unparse(called))


_CACHE: Final = opcode.opmap.get("CACHE", -1)
_UNPACK: Final = opcode.opmap.get("UNPACK_SEQUENCE", -1)
