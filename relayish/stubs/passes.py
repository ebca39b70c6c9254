"""The stub of ``relayish.transform``: what it exports, and passes that are registered.

A pass is a class whose constructor takes its options, or, where it was registered as a factory or
an instance, a function that takes them. What is typed so is what ``relayish.transform`` finds by
name while a program runs.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import importlib
import inspect
import operator
import types
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from relayish import pass_infra, transform
from relayish.pass_infra.composition.registry import REGISTRY, PassEntry
from relayish.registry.option import MISSING
from relayish.stubs.docstrings import INDENT, docstring, function
from relayish.stubs.hints import USUAL, HintWriter, default, members_of
from relayish.transform import FunctionPass, ModulePass, Pass

INFRA: Final = Path(pass_infra.__file__).parent

HEAD = """\
# What type checkers see of relayish.transform: generated from what is exported and registered.
# fmt: off
# ruff: noqa: E501, I001, N802 - generated
"""

METHODS = {
    FunctionPass: "transform_function(self, func: _Function, mod: _IRModule, ctx: PassContext) "
    "-> _Function",
    ModulePass: "transform_module(self, mod: _IRModule, ctx: PassContext) -> _IRModule",
    Pass: "run(self, mod: _IRModule, ctx: PassContext) -> _IRModule",
}
"""What a class of passes must define before it has instances."""


def transform_stub(entries: Iterable[PassEntry]) -> str:
    """Return the whole stub, with the passes of ``entries``."""
    writer = _PassWriter(USUAL)
    passes = "".join(line for entry in entries for line in writer.lines(entry))
    imports = "".join(writer.imports())
    usual = (
        "from relayish.ir.relay.expr import Function as _Function\n"
        "from relayish.ir.relay.module import IRModule as _IRModule\n"
    )
    return f"{HEAD}{imports}{usual}{''.join(_exports())}\n{passes}"


def own_passes() -> list[PassEntry]:
    """Return the passes that come with relayish, not those of other distributions and of tests."""
    return [entry for entry in REGISTRY.entries() if entry.claimant.startswith("relayish.")]


def _exports() -> Iterator[str]:
    """Yield an import for every name the package exports, from the module that has it."""
    for name in vars(pass_infra)["__all__"]:
        module = _module_of(name)
        yield f"from {module} import {name} as {name}\n"
    for name, module in sorted(vars(transform)["FUNCTIONS"].items()):
        yield f"from {module} import {name} as {name}\n"
    for name in ("FUNCTIONS", "PASS_SOURCES"):
        yield f"{name}: {'dict[str, str]' if name == 'FUNCTIONS' else 'tuple[PassSource, ...]'}\n"


def _module_of(name: str) -> str:
    found = getattr(pass_infra, name)
    own = getattr(found, "__module__", "")
    for module in (*([own] if own.startswith("relayish.") else []), *_MODULES):
        if getattr(importlib.import_module(module), name, None) is found:
            return module
    raise AssertionError(f"no module of {_MODULES} has {name}")


_MODULES = tuple(
    ".".join((f"relayish.{package}", *path.relative_to(home).with_suffix("").parts))
    for package, home in (("pass_infra", INFRA), ("registry", INFRA.parent / "registry"))
    for path in sorted(home.rglob("*.py"))
    if path.stem != "__init__"
)


class _PassWriter(HintWriter):
    """Writes passes, and remembers which modules their annotations need."""

    def lines(self, entry: PassEntry) -> Iterator[str]:
        """Yield the declaration of a pass."""
        parameters = ", ".join(self.parameters(entry))
        if not inspect.isclass(entry.factory):
            yield function(f"def {entry.name}({parameters}) -> Pass", _documented(entry), "")
            return
        base = next(kind for kind in METHODS if issubclass(entry.factory, kind))
        yield f"class {entry.name}({base.__name__}):\n{docstring(entry.factory, INDENT)}"
        kept = dataclasses.is_dataclass(entry.factory)
        for option in entry.options if kept else ():
            yield f"    @property\n    def {option.name}(self) -> {self.hint(option.hint)}: ...\n"
        given = f", {parameters}" if parameters else ""
        yield f"    def __init__(self{given}) -> None: ...\n"
        yield f"    def {METHODS[base]}: ...\n"

    def parameters(self, entry: PassEntry) -> Iterator[str]:
        """Yield the options as parameters, as they may be given."""
        kinds = inspect.signature(entry.factory).parameters
        by_name = [
            name for name, parameter in kinds.items() if parameter.kind is parameter.KEYWORD_ONLY
        ]
        for option in entry.options:
            if by_name and option.name == by_name[0]:
                yield "*"
            given = "" if option.default is MISSING else f" = {default(option.default)}"
            yield f"{option.name}: {self.hint(_with_lists(option.hint))}{given}"


def _with_lists(hint: Any) -> Any:  # Any: an annotation
    """Return an annotation in which lists are taken for tuples."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and arguments[1:] == (Ellipsis,):
        item = _with_lists(arguments[0])
        return types.GenericAlias(tuple, (item, ...)) | types.GenericAlias(list, (item,))
    if len(members := members_of(hint)) > 1:
        return functools.reduce(operator.or_, map(_with_lists, members))
    if origin is collections.abc.Mapping:
        return origin[arguments[0], _with_lists(arguments[1])]
    return hint


def _documented(entry: PassEntry) -> object:
    """Return what has the docstring of a pass that is no class: what ``transform`` finds."""
    return getattr(transform, entry.name)
