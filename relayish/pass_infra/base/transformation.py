"""Functions that transform programs, as passes: what they transform, their options, their class."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from relayish.errors import DeclarationError
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.pass_infra.base.pass_class import (
    AnyFunctionPass,
    ModulePass,
    Pass,
    function_pass_over,
)
from relayish.registry.option import describe_hint, resolve_hints

_AMBIENT: Final = ("mod", "ctx")
"""What a function may ask for beside what it transforms, by the names of its parameters."""

_Function = Callable[..., Any]  # Any: from a program to a program, and what else it takes


def subject_of(function: _Function) -> type[Node | Module[Any]] | None:
    """Return the class of what a function transforms, which its first parameter is annotated with.

    Returns:
        A class of modules or of nodes; ``None`` for a function of anything else, or of nothing.

    Raises:
        DeclarationError: If it has no annotation, or one that names programs among other things, or
            what is not known where the function stands; if Python cannot tell the parameters.
    """
    try:
        signature = inspect.signature(function)
    except ValueError as error:
        raise DeclarationError(f"{_name(function)} cannot be made a pass: {error}") from error
    first = next(iter(signature.parameters.values()), None)
    if first is None or first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        return None
    hints = resolve_hints(inspect.unwrap(function), _name(function))
    if first.name not in hints:
        raise DeclarationError(
            f"{_name(function)} cannot be made a pass: its first parameter {first.name!r} has no "
            f"annotation; annotate it with the class of what is transformed, a module or an "
            f"expression, or with the type of an option where the function returns a pass"
        )
    hint = hints[first.name]
    members = _members(hint)
    subjects = [kind for kind in members if issubclass(kind, (Node, Module))]
    if subjects and len(members) > 1:
        raise DeclarationError(
            f"a pass transforms what is of one class; found {first.name}: {describe_hint(hint)} in "
            f"{_name(function)}; annotate it with {' or '.join(k.__name__ for k in subjects)}"
        )
    return subjects[0] if subjects else None


def _members(hint: Any) -> list[type]:  # Any: an annotation
    """Return the classes of which an annotation takes instances."""
    members: tuple[Any, ...] = ()  # Any: annotations
    if isinstance(hint, typing.TypeVar):
        members = (hint.__bound__,) if hint.__bound__ else hint.__constraints__
    elif typing.get_origin(hint) in (types.UnionType, typing.Union):
        members = typing.get_args(hint)
    if members:
        return [kind for member in members for kind in _members(member)]
    kind = typing.get_origin(hint) or hint
    return [kind] if isinstance(kind, type) else []


def class_of(function: _Function, name: str, subject: type[Node | Module[Any]]) -> type[Pass]:
    """Return the pass class ``name`` that does what ``function`` does.

    Args:
        function: Its keyword-only parameters, but for ``mod`` and ``ctx``, become fields.
        name: That of the class.
        subject: What the function transforms: see :func:`subject_of`.

    Raises:
        DeclarationError: If a parameter besides the first, ``mod`` and ``ctx`` can be given by
            position, has no annotation, has the name of an attribute of passes, or a default that
            can be changed.
    """
    base, body = _base_of(subject)
    options = _options(function, name, base)
    body |= {
        "__annotations__": {option: hint for option, (hint, _) in options.items()},
        "__doc__": function.__doc__,
        "__module__": function.__module__,
        "__qualname__": name,
        "pass_func": staticmethod(function),
    }
    for option, (_, default) in options.items():
        if default is not inspect.Parameter.empty:
            body[option] = default
    method = "transform_module" if issubclass(base, ModulePass) else "transform_function"
    body[method] = _method(function, tuple(options))
    return types.new_class(name, (base,), exec_body=lambda space: space.update(body))


def _base_of(subject: type[Node | Module[Any]]) -> tuple[type[Pass], dict[str, object]]:
    """Return what passes over ``subject`` derive from, and what that is told about it."""
    if issubclass(subject, Module):
        return ModulePass, {}
    base = function_pass_over(subject)
    return (AnyFunctionPass, {"takes": subject}) if base is None else (base, {})


def _options(function: _Function, name: str, base: type[Pass]) -> Mapping[str, tuple[Any, object]]:
    """Return hint and default of each option of the pass, those that must be given first."""
    _, *others = inspect.signature(function).parameters.values()
    hints = resolve_hints(inspect.unwrap(function), _name(function))
    options: dict[str, tuple[Any, object]] = {}  # Any: an annotation
    for parameter in others:
        if parameter.name in _AMBIENT and parameter.kind is not parameter.POSITIONAL_ONLY:
            continue
        if parameter.kind is not parameter.KEYWORD_ONLY:
            raise DeclarationError(
                f"{_name(function)} cannot be made a pass: its parameter {parameter.name!r} can be "
                f"given by position; put it behind a *, as the options of a pass stand, or call it "
                f"mod or ctx if it is the module or the context"
            )
        what = f"parameter {parameter.name!r} of {_name(function)} is an option of the pass {name}"
        if parameter.name not in hints:
            raise DeclarationError(f"{what}; annotate it")
        if parameter.name in {*dir(base), "self", "pass_func"}:
            raise DeclarationError(f"{what}, and that is a name passes use themselves; rename it")
        if type(parameter.default).__hash__ is None:
            raise DeclarationError(
                f"{what}, and its default, {parameter.default!r}, could be changed in place; "
                f"write a tuple, or None"
            )
        options[parameter.name] = hints[parameter.name], parameter.default
    return dict(sorted(options.items(), key=lambda o: o[1][1] is not inspect.Parameter.empty))


def _method(function: _Function, options: tuple[str, ...]) -> _Function:
    """Return the method that calls ``function`` on what it is given to transform."""
    _, *others = inspect.signature(function).parameters
    wants_mod, wants_ctx = (name in others for name in _AMBIENT)

    def transform(self: object, subject: object, *around: object) -> object:
        named = {name: getattr(self, name) for name in options}
        if wants_mod:
            named["mod"] = around[0] if len(around) == 2 else subject  # or it is the module
        if wants_ctx:
            named["ctx"] = around[-1]
        return function(subject, **named)

    return transform


def _name(function: _Function) -> str:
    return f"{function.__module__}.{function.__qualname__}"
