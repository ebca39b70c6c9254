"""The modules of Relay text that come with relayish, and putting them into a module."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from relayish.errors import DuplicateNameError, UnknownNameError, suggest
from relayish.ir.module import IRModule
from relayish.text import parse

NEEDS: Final[dict[str, tuple[str, ...]]] = {"prelude": (), "nat": ("prelude",)}
"""The modules there are, and which others each of them needs."""

_DEFINED: Final = re.compile(r"^(type|def @)\s*(\w+)", re.MULTILINE)


class _Defined(NamedTuple):
    """What one module of text defines, by name."""

    types: tuple[str, ...]
    functions: tuple[str, ...]


def import_from_std(mod: IRModule, name: str) -> IRModule:
    """Return ``mod`` with the definitions of one of the modules that come with relayish.

    What ``mod`` defines already stays: importing twice changes nothing, nor does importing what
    somebody has transformed since, or what came back from text complete.

    Args:
        mod: Any module.
        name: ``prelude`` or ``nat``, with any suffix: scripts for Relay say ``nat.rly``.

    Returns:
        ``mod`` itself when nothing was missing.

    Raises:
        UnknownNameError: If there is no such module.
        DuplicateNameError: If ``mod`` uses one of the names for something of its own.

    Source:
        Relay ``IRModule.import_from_std``, which changes the module it is called on.

    Example:
        >>> mod = import_from_std(IRModule(), "nat.rly")
        >>> [c.name_hint for c in mod.get_type("nat")[1:]]
        ['zero', 'succ']
    """
    stem = name.partition(".")[0]
    if stem not in NEEDS:
        raise UnknownNameError(
            f"no module {name!r} comes with relayish{suggest(stem, NEEDS)}; "
            f"there are {', '.join(NEEDS)}"
        )
    for needed in NEEDS[stem]:
        mod = import_from_std(mod, needed)
    return _with_definitions(mod, stem)


def _with_definitions(mod: IRModule, stem: str) -> IRModule:
    std, defined = _std(), _defined(stem)
    own = {header.name_hint: header for header in mod.type_definitions}
    clashes = [
        name for name in defined.types if name in own and own[name] is not std.get_type(name)[0]
    ]
    if clashes:
        missing = [n for n in defined.types if n not in own]
        missing += [n for n in defined.functions if n not in mod]
        if missing:
            raise DuplicateNameError(
                f"the module has a type {clashes[0]} of its own, and no {missing[0]} to go with "
                f"it, so {stem} cannot be imported; rename the type"
            )
        return mod
    for name in defined.types:
        if name not in own:
            mod = mod.with_type(std.type_definitions[std.get_global_type_var(name)])
    for name in defined.functions:
        if name in mod and mod.get_global_var(name) is not std.get_global_var(name):
            raise DuplicateNameError(
                f"the module has a function @{name} of its own, so {stem} cannot be imported; "
                f"rename the function"
            )
    return mod.with_functions(
        {std.get_global_var(name): std[name] for name in defined.functions if name not in mod}
    )


@cache
def _text(stem: str) -> str:
    file = resources.files("relayish.prelude") / f"{stem}.relay"
    return file.read_text(encoding="utf-8")


@cache
def _defined(stem: str) -> _Defined:
    found = _DEFINED.findall(_text(stem))
    return _Defined(
        tuple(name for kind, name in found if kind == "type"),
        tuple(name for kind, name in found if kind != "type"),
    )


@cache
def _std() -> IRModule:
    """Return all the modules as one, so that each means the same lists as every other."""
    mod = IRModule()
    for stem in NEEDS:  # each comes behind those it needs
        mod = parse(_text(stem), f"{stem}.relay", mod)
    return mod
