"""Instruments by name: registration, options, and sources from which they are found.

Passes and analyses are registered the same way. A name is written in CamelCase by habit
(``PrintAfter``), and asked for in any case, with underscores or without: ``print_after``.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Final, TypeVar

from relayish.errors import DeclarationError
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.registry.named import Entry, Registry, summary_of
from relayish.registry.option import PassOption, parameter_options
from relayish.registry.source import EntryPointSource
from relayish.registry.syntax import is_name, parse_specs

GROUP: Final = "relayish.instruments"
"""The group of entry points under which other packages name modules that register instruments."""

_Made = TypeVar("_Made", bound=Callable[..., Any])  # Any: a class of instruments, or a factory


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class InstrumentEntry(Entry[PassInstrument]):
    """What the registry knows of one instrument.

    Attributes:
        description: One line.
    """

    what: ClassVar[str] = "instrument"

    name: str = dataclasses.field()  # else the property of the base were its default
    description: str
    options: tuple[PassOption, ...]
    factory: Callable[..., PassInstrument]
    claimant: str

    @property
    def global_name(self) -> str:
        return self.name

    def build(self, options: dict[str, object]) -> PassInstrument:
        made: object = Entry.build(self, options)
        if not isinstance(made, PassInstrument):
            raise DeclarationError(
                f"{self.claimant}, the instrument {self.name}, must return a PassInstrument; found "
                f"{made!r}"
            )
        return made


class InstrumentRegistry(Registry[InstrumentEntry]):
    """A table of instruments, and the sources from which it is filled when needed."""

    entry = InstrumentEntry
    listing = "relayish.transform.list_instruments(), or `relayish passes --instruments`, lists all"

    def key_of(self, name: str) -> str:
        return name.replace("_", "").lower()


INSTRUMENTS: Final = InstrumentRegistry()
"""The one registry of the process."""
INSTRUMENTS.add_source(EntryPointSource(GROUP, "instruments"))


def register_instrument(
    name: str | None = None,
    *,
    description: str | None = None,
    replace: bool = False,
    registry: InstrumentRegistry = INSTRUMENTS,
) -> Callable[[_Made], _Made]:
    """Register a class of instruments, or a function that returns one, under a name.

    Parameters of the constructor or function are the options of the instrument, each with an
    annotation. ``relayish opt --instrument NAME`` puts it into the context.

    Args:
        name: CamelCase by habit; that of the class if not given.
        description: One line; the first of the docstring if not given.
        replace: Take the name from whoever has it.
        registry: For tests and tools that keep a table of their own.

    Raises:
        DuplicateNameError: If somebody else claims the name; names both claimants.
        DeclarationError: If this can make no instrument, has no name, or a parameter without
            annotation.

    Example:
        >>> names = InstrumentRegistry()
        >>> @register_instrument(registry=names)
        ... class Names(PassInstrument):
        ...     "Print the names of passes."
        ...     def __init__(self, *, before: str = "") -> None:
        ...         self.before = before
        ...     def run_before_pass(self, mod, info):
        ...         print(f"{self.before}{info.name}")
        >>> names.get("names").build({"before": "* "}).before
        '* '
    """
    given: object = name  # still to be checked
    if given is not None and not (isinstance(given, str) and is_name(given)):
        raise DeclarationError(
            f"an instrument needs a name that can stand in a list, of letters, digits and _; found "
            f"{given!r}; write @register_instrument('TheName')"
        )

    def declare(made: _Made) -> _Made:
        found: Any = made  # Any: still to be checked
        if inspect.isclass(found):
            fits = issubclass(found, PassInstrument)
        else:
            fits = callable(found) and hasattr(found, "__qualname__") and name is not None
        if not fits:
            raise DeclarationError(
                f"@register_instrument takes a class of instruments, or the name and a function "
                f"that returns one; found {found!r}"
            )
        claimant = f"{found.__module__}.{found.__qualname__}"
        entry = InstrumentEntry(
            name or found.__name__,
            description or summary_of(found),
            _options_of(found, claimant),
            found,
            claimant,
        )
        registry.add(entry, replace=replace, by=made)
        return made

    return declare


def parse_instruments(text: str) -> tuple[PassInstrument, ...]:
    """Return new instruments as they are written: ``"Timing,PrintAfter{only_changed=true}"``.

    Raises:
        PipelineError: If the text does not follow the grammar of pipelines, or gives an instrument
            options it does not have; points at the place.
        UnknownNameError: If no instrument of a name is registered.
    """
    specs = parse_specs(text, "an instrument")
    return tuple([INSTRUMENTS.entry_of(spec, text).build_written(spec, text) for spec in specs])


def list_instruments() -> tuple[str, ...]:
    """Return the names of all registered instruments, sorted; looks into every source."""
    return tuple([entry.name for entry in INSTRUMENTS.entries()])


def _options_of(made: Any, claimant: str) -> tuple[PassOption, ...]:  # Any: class or function
    if inspect.isclass(made) and made.__init__ is object.__init__:
        return ()
    function = made.__init__ if inspect.isclass(made) else made
    return parameter_options(function, inspect.signature(made), claimant, "instrument")
