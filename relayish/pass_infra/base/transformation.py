"""Functions that transform programs, as passes: what they transform, their options, their class."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from relayish.errors import DeclarationError
from relayish.ir.module import Module
from relayish.ir.node import Node
from relayish.pass_infra.base.option import resolve_hints
from relayish.pass_infra.base.pass_class import (
    AnyFunctionPass,
    ModulePass,
    Pass,
    function_pass_over,
)

AMBIENT: Final = ("mod", "ctx")
"""What a function may ask for beside what it transforms, by the names of its parameters."""

_Function = Callable[..., Any]  # Any: from a program to a program, and what else it takes


def subject_of(function: _Function) -> type[Node | Module[Any]] | None:
    """Return the class of what a function transforms, which its first parameter is annotated with.

    Returns:
        A class of modules or of nodes; ``None`` for a function of anything else, or of nothing.

    Raises:
        DeclarationError: If an annotation names what is not known where the function stands.
    """
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is None or first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        return None
    hint = resolve_hints(inspect.unwrap(function), _name(function)).get(first.name)
    if isinstance(hint, typing.TypeVar):
        hint = hint.__bound__
    kind = typing.get_origin(hint) or hint
    return kind if isinstance(kind, type) and issubclass(kind, (Node, Module)) else None


def class_of(function: _Function, name: str, subject: type[Node | Module[Any]]) -> type[Pass]:
    """Return the pass class ``name`` that does what ``function`` does.

    Args:
        function: Its keyword-only parameters, but for ``mod`` and ``ctx``, become fields.
        name: That of the class.
        subject: What the function transforms: see :func:`subject_of`.

    Raises:
        DeclarationError: If a parameter besides the first, ``mod`` and ``ctx`` can be given by
            position, or has no annotation.
    """
    options = _options(function)
    hints = resolve_hints(inspect.unwrap(function), _name(function))
    for option in options:
        if option not in hints:
            raise DeclarationError(
                f"parameter {option!r} of {_name(function)} is an option of the pass {name}; "
                f"annotate it"
            )
    body: dict[str, object] = {
        "__annotations__": {option: hints[option] for option in options},
        "__doc__": function.__doc__,
        "__module__": function.__module__,
        "__qualname__": name,
        "pass_func": staticmethod(function),
    }
    body |= {name: each for name, each in options.items() if each is not inspect.Parameter.empty}
    if issubclass(subject, Module):
        body["transform_module"] = _method(function, options, ("ctx",))
        return types.new_class(name, (ModulePass,), exec_body=lambda space: space.update(body))
    base = function_pass_over(subject)
    if base is None:
        base = AnyFunctionPass
        body["takes"] = subject
    body["transform_function"] = _method(function, options, AMBIENT)
    return types.new_class(name, (base,), exec_body=lambda space: space.update(body))


def _options(function: _Function) -> Mapping[str, object]:
    """Return the options of a function with their defaults, those that must be given first."""
    _, *others = inspect.signature(function).parameters.values()
    options: dict[str, object] = {}
    for parameter in others:
        if parameter.name in AMBIENT:
            continue
        if parameter.kind is not parameter.KEYWORD_ONLY:
            raise DeclarationError(
                f"{_name(function)} cannot be made a pass: its parameter {parameter.name!r} can be "
                f"given by position; put it behind a *, as the options of a pass stand, or call it "
                f"mod or ctx if it is the module or the context"
            )
        options[parameter.name] = parameter.default
    return dict(sorted(options.items(), key=lambda o: o[1] is not inspect.Parameter.empty))


def _method(
    function: _Function, options: Mapping[str, object], around: tuple[str, ...]
) -> _Function:
    """Return the method that calls ``function`` on what it is given to transform."""
    parameters = inspect.signature(function).parameters
    asked = [name if name in parameters else None for name in around]

    def transform(self: object, subject: object, *given: object) -> object:
        named = {name: getattr(self, name) for name in options}
        named.update({n: each for n, each in zip(asked, given, strict=True) if n is not None})
        return function(subject, **named)

    return transform


def _name(function: _Function) -> str:
    return f"{function.__module__}.{function.__qualname__}"
