"""The modules of Relay text that come with relayish, and putting them into a module."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from relayish.errors import DuplicateNameError, UnknownNameError, suggest
from relayish.ir.relay.module import IRModule
from relayish.text import parse

NEEDS: Final[dict[str, str | None]] = {"prelude": None, "nat": "prelude", "gradient": None}
"""The modules there are, and which other one each of them needs."""

_DEFINED: Final = re.compile(r"^(type|def @)\s*(\w+)", re.MULTILINE)


class Source(NamedTuple):
    """A module of text, and what it becomes."""

    name: str
    text: str
    mod: IRModule
    """The definitions of the text, and those of the modules it needs."""
    needed: Source | None = None
    """What is imported before it."""

    def names(self, of_types: bool) -> tuple[str, ...]:
        """Return the names of the types, or of the functions, that the text itself defines."""
        found = _DEFINED.findall(self.text)
        return tuple(name for kind, name in found if (kind == "type") is of_types)


def import_from_std(mod: IRModule, name: str) -> IRModule:
    """Return ``mod`` with the definitions of one of the modules that come with relayish.

    What ``mod`` defines already stays: importing twice changes nothing, nor does importing what
    somebody has transformed since, or what came back from text complete.

    Args:
        mod: Any module.
        name: ``prelude``, ``nat`` or ``gradient``, with any suffix: scripts for Relay say
            ``nat.rly``.

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
    return definitions(mod, std_source(stem))


def definitions(mod: IRModule, source: Source) -> IRModule:
    """Return ``mod`` with what ``source`` defines, and what it needs.

    Returns:
        ``mod`` itself when nothing was missing.

    Raises:
        DuplicateNameError: If ``mod`` uses one of the names for something of its own.
    """
    if source.needed is not None:
        mod = definitions(mod, source.needed)
    own = {header.name_hint: header for header in mod.type_definitions}
    types, functions = source.names(of_types=True), source.names(of_types=False)
    missing_types = [name for name in types if name not in own]
    missing = [name for name in functions if name not in mod]
    clashes = [n for n in types if n in own and own[n] is not source.mod.get_type(n)[0]]
    if clashes:
        if missing_types or missing:
            raise DuplicateNameError(
                f"the module has a type {clashes[0]} of its own, and no "
                f"{(missing_types + missing)[0]} to go with it, so {source.name} cannot be "
                f"imported; rename the type"
            )
        return mod
    for name in functions:
        if name in mod and mod.get_global_var(name) is not source.mod.get_global_var(name):
            raise DuplicateNameError(
                f"the module has a function @{name} of its own, so {source.name} cannot be "
                f"imported; rename the function"
            )
    for name in missing_types:
        mod = mod.with_type(source.mod.type_definitions[source.mod.get_global_type_var(name)])
    return mod.with_functions({source.mod.get_global_var(n): source.mod[n] for n in missing})


@cache
def std_source(stem: str) -> Source:
    """Return one of the modules that come with relayish, the same lists in all of them."""
    file = resources.files("relayish.prelude") / f"{stem}.relay"
    text = file.read_text(encoding="utf-8")
    below = NEEDS[stem]
    needed = None if below is None else std_source(below)
    known = IRModule() if needed is None else needed.mod
    return Source(stem, text, parse(text, file.name, known), needed)
