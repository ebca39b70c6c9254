"""How public things are called: their signatures, with the types that stubs and fields tell."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from relayish.ir.nodes.node import Node
from tools.links import ROOT

_STUBS: Final = ("relayish", "relayish.transform")
"""Faces whose stubs tell the types of what is made while the program runs."""
_WIDE: Final = 88
_STARS: Final[dict[object, str]] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def signature_text(path: str, thing: Any) -> str:  # Any: whatever is public
    """Return how a thing is called, as a line, or as one line for each parameter.

    Args:
        path: Its public name; stubs are asked for it first.
        thing: A class or a function; others have no signature, and are shown by their path.
    """
    parameters = _parameters(path, thing)
    if parameters is None:
        return path
    told, result = parameters
    line = f"{path}({', '.join(told)}){result}"
    if len(line) <= _WIDE:
        return line
    inside = "".join(f"    {parameter},\n" for parameter in told)
    return f"{path}(\n{inside}){result}"


def _parameters(path: str, thing: Any) -> tuple[list[str], str] | None:  # Any: as above
    stubbed = _stubbed().get(path)
    if stubbed is not None:
        return stubbed
    if not callable(thing):
        return None
    try:
        found = _signature(thing)
    except (TypeError, ValueError):
        return None  # a class of C, or one whose instances nobody makes
    types = _field_types(thing)
    told = [
        _parameter(each.replace(annotation=types.get(each.name, each.annotation)))
        for each in found.parameters.values()
    ]
    result = found.return_annotation
    shown = "" if result is found.empty or inspect.isclass(thing) else f" -> {_type(result)}"
    return list(_with_marks(list(found.parameters.values()), told)), shown


def _signature(thing: Any) -> inspect.Signature:  # Any: as above
    """Return how a thing is called; a class whose ``__new__`` takes anything, by ``__init__``."""
    found = inspect.signature(thing)
    first = next(iter(found.parameters.values()), None)
    if not (inspect.isclass(thing) and first and first.kind is first.VAR_POSITIONAL):
        return found
    told = inspect.signature(thing.__init__)
    return told.replace(parameters=[*told.parameters.values()][1:])


def _with_marks(parameters: list[inspect.Parameter], told: list[str]) -> Iterator[str]:
    """Yield parameters with the marks between those that are given by position or by name."""
    starred = False
    for number, (parameter, text) in enumerate(zip(parameters, told, strict=True)):
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield text
        following = parameters[number + 1 : number + 2]
        if parameter.kind is parameter.POSITIONAL_ONLY and not (
            following and following[0].kind is parameter.POSITIONAL_ONLY
        ):
            yield "/"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = _STARS.get(parameter.kind, "")
    typed = parameter.annotation is not parameter.empty
    told = f"{stars}{parameter.name}" + (f": {_type(parameter.annotation)}" if typed else "")
    if parameter.default is parameter.empty:
        return told
    default = re.sub(r" at 0x\w+", "", repr(parameter.default))
    if inspect.isfunction(parameter.default) or inspect.isclass(parameter.default):
        default = parameter.default.__name__
    return f"{told} = {default}" if typed else f"{told}={default}"


def _type(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:relayish|collections|typing|numpy)\.(?:\w+\.)*(?=\w)", "", text)


def _field_types(thing: object) -> dict[str, str]:
    """Return the types of the fields of a kind of nodes, whose constructor is generated."""
    if not (inspect.isclass(thing) and issubclass(thing, Node)):
        return {}
    return {
        name: str(told)
        for base in reversed(thing.__mro__)
        for name, told in vars(base).get("__annotations__", {}).items()
    }


@cache
def _stubbed() -> dict[str, tuple[list[str], str]]:
    """Return parameters and result of functions and constructors that stubs declare, by path."""
    found: dict[str, tuple[list[str], str]] = {}
    for face in _STUBS:
        stub = ROOT / face.replace(".", "/") / "__init__.pyi"
        module = ast.parse(stub.read_text(encoding="utf-8"))
        spelt = _spelling(module)
        found |= dict(_declared(module.body, face, spelt))
    return found


def _declared(
    body: list[ast.stmt], path: str, spelt: Callable[[str], str]
) -> Iterator[tuple[str, tuple[list[str], str]]]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            is_constructor = statement.name == "__init__"
            if statement.name.startswith("_") and not is_constructor:
                continue
            told = [spelt(each) for each in _arguments(statement.args) if each != "self"]
            returns = ast.unparse(statement.returns) if statement.returns else ""
            result = "" if is_constructor or not returns else f" -> {spelt(returns)}"
            yield (path if is_constructor else f"{path}.{statement.name}"), (told, result)
        elif isinstance(statement, ast.ClassDef):
            inherited = [base.id for base in statement.bases if isinstance(base, ast.Name)]
            bases = [c for c in body if isinstance(c, ast.ClassDef) and c.name in inherited]
            for declared in (*bases, statement):
                yield from _declared(declared.body, f"{path}.{statement.name}", spelt)


def _arguments(arguments: ast.arguments) -> Iterator[str]:
    """Yield the parameters of a declaration as they are written."""
    first = len(arguments.args) - len(arguments.defaults)
    for number, argument in enumerate(arguments.args):
        default = f" = {ast.unparse(arguments.defaults[number - first])}" if number >= first else ""
        yield ast.unparse(argument) + default
    if arguments.vararg:
        yield f"*{ast.unparse(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for argument, told in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield ast.unparse(argument) + (f" = {ast.unparse(told)}" if told is not None else "")
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def _spelling(module: ast.Module) -> Callable[[str], str]:
    """Return what writes out the short names of types that a stub makes for itself."""
    short = {
        statement.target.id: ast.unparse(statement.value)
        for statement in module.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.value is not None
    }
    names = re.compile(r"\b_[A-Za-z]\w*(?:\.\w+)*")

    def spelt(text: str) -> str:
        def written(found: re.Match[str]) -> str:
            name = found[0]
            return spelt(short[name]) if name in short else name.lstrip("_").rpartition(".")[2]

        return names.sub(written, text)

    return spelt
