"""The compiled core: the hottest of the engine in C, where that was built; else all is Python.

Each function here is given the Python it stands for, and returns what is to be called in its place:
of the C where there is some, and that Python itself where there is none. So no other module asks
which it is; ``compiled`` and ``MODE`` tell people. ``RELAYISH_PURE=1`` in the environment chooses
Python.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Final, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])  # Any: of any signature


def _load() -> tuple[Any, str]:  # Any: a module without a stub, or none
    """Return the C, if it is to be had and wanted, and which it is, as people are told."""
    if os.environ.get("RELAYISH_PURE", "0") not in ("", "0"):
        return None, "pure Python: RELAYISH_PURE is set"
    try:
        return importlib.import_module(f"{__name__}._compiled"), "compiled core"
    except ModuleNotFoundError:
        return None, "pure Python: the compiled core was not built"
    except ImportError as error:
        return None, f"pure Python: the compiled core cannot be loaded: {error}"


_compiled, MODE = _load()
"""``MODE`` is what ``relayish --version`` says of the two."""

compiled: Final = _compiled is not None
"""Whether the compiled core is in use: it was built, and ``RELAYISH_PURE=1`` does not forbid it.

What a program computes is the same without it, only slower.
"""

SHAPES: Final = {name: number for number, name in enumerate(
    ("kept", "inferred", "skipped", "leaf", "empty", "one", "optional", "many", "mixed")
)}  # fmt: skip
"""How a plan follows a field, by the name of its shape; the C knows them by number.

Where a field that is to be empty holds something, Python follows the node.
"""

CHECKS: Final = {name: number for number, name in enumerate(
    ("convert", "in kinds", "in kinds or none", "all in kinds", "exact", "instance")
)}  # fmt: skip
"""How a layout checks a field; the C knows them by number."""

FORMS: Final = {name: number for number, name in enumerate(
    ("push", "push_all", "rebuild", "retype", "carry", "expand")
)}  # fmt: skip
"""What a plan does with a node; the C knows them by number."""


def layout(
    kind: type,
    constructor: FunctionType,
    make: FunctionType,
    repair: Callable[..., object],
    fields: Iterable[tuple[Any, ...]],
    derived: Iterable[tuple[str, Callable[..., object]]],
) -> Any:  # Any: what is called to make a node
    """Return what is kept as ``_make``, and let calls of ``kind`` build nodes as ``constructor``.

    Args:
        kind: A class of nodes with its slots.
        constructor: Its ``__new__``; called wherever arguments are unusual.
        make: Its unchecked twin.
        repair: Called with the kind, a declaration and a value that a check stopped.
        fields: For each field its name, check, whether that lets ``None`` through, what is
            accepted, the declaration, whether it is inferred, and the default if there is one.
        derived: Names of slots that follow from the others, and of what.
    """
    if _compiled is None:
        return staticmethod(make)
    return _compiled.layout(kind, constructor, make, repair, tuple(fields), tuple(derived))


def plan(
    form: str,
    kind: type,
    root: type,
    fields: Iterable[tuple[str, str, bool]],
    told: object,
    generate: Callable[[], Any],
) -> Any:  # Any: a function, as the form says
    """Return what ``generate`` does: a function that pushes children of nodes, or rebuilds them.

    Args:
        form: One of :data:`FORMS`.
        kind: The class of nodes.
        root: The root of all such classes.
        fields: Names of fields, how they are followed (:data:`SHAPES`), whether they bind.
        told: What makes a new node of the values of all fields; a set of the kinds of names for
            ``expand``; for what pushes, a dictionary of kinds that it leaves out, or ``None``.
        generate: Makes the function in Python.
    """
    if _compiled is None:
        return generate()
    known = tuple([(name, SHAPES[shape], binds) for name, shape, binds in fields])
    return _compiled.plan(FORMS[form], kind, root, known, told, generate)


def loop(name: str, *told: object) -> Callable[[_F], _F]:
    """Return a decorator that puts the loop ``name`` of the C in the place of a function.

    Args:
        name: What the C calls it.
        told: What else the function finds in its module.
    """

    def replace(function: _F) -> _F:
        if _compiled is None:
            return function
        found: _F = _compiled.loop(name, function, *told)
        return found

    return replace


def settle(
    frozen: Iterable[type] = (), lasting: Iterable[type] = (), closed: Iterable[type] = ()
) -> None:
    """Say whose objects cannot be part of a cycle with nodes, unless what they hold can.

    Args:
        frozen: Classes whose objects never change.
        lasting: Classes whose objects live as long as their class.
        closed: Those of the first whose objects have a dictionary that nobody else has.
    """
    if _compiled is not None:
        _compiled.settle(tuple(frozen), tuple(lasting), tuple(closed))
