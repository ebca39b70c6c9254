"""Whether a handler looks at anything but nodes: then what it returns may differ by the place."""

from __future__ import annotations

import builtins
import dis
from functools import lru_cache, wraps
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from relayish.domain.dispatch import Dispatch, Handle
from relayish.ir.nodes.node import Node


def looks_around(method: Handle) -> bool:
    """Return whether a handler uses what may change: itself, what encloses it, or a global object.

    What it finds out by the context of the visitor is not told here; the visitor notices that.
    """
    function: Any = method.__func__ if isinstance(method, MethodType) else method
    if not isinstance(function, FunctionType):
        return True
    return _looks_around(function, isinstance(method, MethodType))


def looking(method: Handle) -> Handle:
    """Return a handler that does what ``method`` does, and says that it looks around."""

    @wraps(method)
    def look(visitor: Dispatch, node: Any) -> Any:  # Any: nodes and results of all sorts
        visitor.looks += 1
        return method(visitor, node)

    return look


@lru_cache(maxsize=4096)
def _looks_around(function: FunctionType, is_method: bool) -> bool:
    code = function.__code__
    if is_method and _uses(function, code.co_varnames[0]):
        return True
    if set(code.co_freevars) - {"__class__"}:
        return True
    return any(
        not isinstance(function.__globals__[name], _CONSTANT)
        for name in code.co_names
        if name in function.__globals__ and not hasattr(builtins, name)
    )


def _uses(function: FunctionType, name: str) -> bool:
    """Return whether a function uses a local variable."""
    if name in function.__code__.co_cellvars:
        return True
    for step in dis.get_instructions(function):
        held = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if step.opname.startswith("LOAD_FAST") and name in held:
            return True
    return False


_CONSTANT: Final = (
    *(type, ModuleType, FunctionType, BuiltinFunctionType, Node),
    *(str, bytes, int, float, complex, tuple, frozenset, type(None)),
)
"""Objects of which a program thinks that they do not change."""
