"""Annotations written as source, from the objects that they stand for."""

from __future__ import annotations

import json
import math
import types
import typing
from collections.abc import Collection, Iterable, Iterator
from enum import Enum

USUAL: typing.Final = {
    "relayish.ir.relay.expr.Function": "_Function",
    "relayish.ir.relay.module.IRModule": "_IRModule",
}
"""Names that a stub has for classes that it names often."""


class HintWriter:
    """Writes annotations, and remembers which modules they need.

    Args:
        usual: What a stub calls some classes, by their full names.
        known: What goes by its own name in the stub.
    """

    def __init__(
        self,
        usual: typing.Mapping[str, str] = types.MappingProxyType({}),
        known: typing.Mapping[str, object] = types.MappingProxyType({}),
    ) -> None:
        self.modules: set[str] = set()
        self._usual = usual
        self._known = known

    def imports(self) -> Iterator[str]:
        """Yield the imports that what was written so far needs."""
        for module in sorted(self.modules):
            yield f"import {module} as _{flat(module)}\n"

    def hint(self, hint: typing.Any, shadowed: Collection[str] = ()) -> str:  # Any: an annotation
        """Return an annotation as source.

        Args:
            hint: What ``typing.get_type_hints`` returns.
            shadowed: Names that mean something else where the annotation stands.
        """
        if hint is None or hint is type(None):
            return "None"
        if hint is Ellipsis:
            return "..."
        if isinstance(hint, list):  # the parameters of a callable
            return f"[{', '.join(self.hint(each, shadowed) for each in hint)}]"
        if isinstance(hint, typing.ForwardRef):  # of what holds itself, nothing is said
            return self.named("typing", "Any")
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if len(members := members_of(hint)) > 1:
            return union(self.hint(each, shadowed) for each in members)
        if origin is typing.Literal:
            return f"{self.named('typing', 'Literal')}[{', '.join(map(quoted, arguments))}]"
        if origin is typing.Annotated:
            return self.hint(arguments[0], shadowed)
        if origin is not None:
            inside = ", ".join(self.hint(each, shadowed) for each in arguments)
            return f"{self.name(origin, shadowed)}[{inside or '()'}]"
        return self.name(hint, shadowed)

    def name(
        self, cls: typing.Any, shadowed: Collection[str] = ()
    ) -> str:  # Any: a class, or what typing has in place of one
        """Return the name of a class, from the module it lives in."""
        module, name = cls.__module__, getattr(cls, "__qualname__", None) or cls.__name__
        if module == "builtins":
            return self.named(module, name) if name in shadowed else str(name)
        if self._known.get(name) is cls and name not in shadowed:
            return str(name)
        usual = self._usual.get(f"{module}.{name}")
        return self.named(module, name) if usual is None else usual

    def named(self, module: str, name: str) -> str:
        """Return what a name of a module is called in the stub, which imports the module."""
        self.modules.add(module)
        return f"_{flat(module)}.{name}"


def union(members: Iterable[str]) -> str:
    """Return a union of annotations as source, each once, ``None`` last."""
    found = dict.fromkeys(members)
    return " | ".join(sorted(found, key="None".__eq__))


def members_of(hint: typing.Any) -> tuple[typing.Any, ...]:  # Any: annotations
    """Return the members of a union, or what is none as its only one."""
    is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    return typing.get_args(hint) if is_union else (hint,)


def flat(module: str) -> str:
    """Return the name by which a stub imports a module, but for its underscore."""
    return module.replace(".", "_")


def quoted(value: object) -> str:
    r"""Return a literal as source, strings in double quotes.

    Example:
        >>> print(quoted('say "no"'), quoted((1, "a")))
        "say \"no\"" (1, "a")
    """
    if isinstance(value, Enum):
        raise TypeError(f"{value!r} is no literal")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"({', '.join(map(quoted, value))}{',' * (len(value) == 1)})"
    return repr(value)


def default(value: object) -> str:
    """Return the default of a parameter as source; ``...`` where it takes more than a literal."""
    return quoted(value) if _is_plain(value) else "..."


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, int, str)
