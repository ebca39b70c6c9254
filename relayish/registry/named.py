"""Registries: things made with options, by name, from sources that are imported when needed.

Passes are held so, and whatever else is had by a name that may carry options.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar

from relayish.errors import PipelineError, UnknownNameError, suggest
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import declared_temporarily, watch_table
from relayish.registry.option import (
    OptionValueError,
    PassOption,
    check_given,
    check_option,
    describe_unknown_option,
    find_option,
    read_value,
)
from relayish.registry.source import PassSource
from relayish.registry.syntax import PassSpec, point_at

Made = TypeVar("Made")


class Entry(ABC, Generic[Made]):
    """What a registry knows of one name.

    Attributes:
        what: What it is a name of, for errors: ``"pass"``.
        common: Options that everything of that sort has, beside its own.
        options: What the thing is made with.
        factory: What makes it.
        claimant: Module and name of what was registered.
    """

    __slots__ = ()

    what: ClassVar[str]
    common: ClassVar[tuple[PassOption, ...]] = ()
    options: tuple[PassOption, ...]
    factory: Callable[..., Made]
    claimant: str

    @property
    @abstractmethod
    def name(self) -> str:
        """The name, which is claimed once."""

    @property
    @abstractmethod
    def global_name(self) -> str:
        """The name as errors about claims show it."""

    def build(self, options: dict[str, object]) -> Made:
        """Return what is made with these options.

        Raises:
            OptionError: If there is no such option, or one that must be given is not.
            PipelineError: If a value is of the wrong type.
        """
        known = {option.name: option for option in self.options}
        check_given(self.name, self.options, (), options, self.what, self.common)
        return self.factory(
            **{
                name: check_option(self.name, known[name], value, self.what)
                for name, value in options.items()
            }
        )

    def build_written(self, spec: PassSpec, text: str) -> Made:
        """Return what is made with the options written in ``spec``, which stands in ``text``."""
        options = self.read_options(spec, text)
        try:
            return self.build(options)
        except PipelineError as error:
            error.add_note(f"at column {spec.position + 1} of:{point_at(text, spec.position)}")
            raise

    def read_options(self, spec: PassSpec, text: str) -> dict[str, object]:
        """Return the options written in ``spec``, which stands in ``text``."""
        values: dict[str, object] = {}
        for written in spec.options:
            option = self.find_option(written.name)
            if option is None:
                message = describe_unknown_option(
                    self.name, self.options, written.name, self.what, self.common
                )
                raise _make_error(message, text, written.position)
            if option.name in values:
                message = f"option {option.name!r} is given twice, here as {written.name!r}"
                raise _make_error(message, text, written.position)
            try:
                values[option.name] = read_value(option.hint, written.value)
            except OptionValueError as error:
                message = f"option {written.name!r} of {self.what} {self.name}: {error}"
                raise _make_error(message, text, written.value.position) from None
        return values

    def find_option(self, name: str) -> PassOption | None:
        """Return the option that goes by ``name``, which may be short; its own ones first."""
        return find_option((*self.options, *self.common), name)


E = TypeVar("E", bound=Entry[Any])  # Any: whatever is made


class Registry(ABC, Generic[E]):
    """A table of entries by name, and the sources from which it is filled when needed.

    Attributes:
        entry: The class of entries.
        listing: How to learn which names there are, for errors.
    """

    entry: type[E]
    listing: ClassVar[str]

    def __init__(self) -> None:
        self._entries: dict[str, E] = {}
        self._claims: Claims[str] = Claims()
        self._sources: list[PassSource] = []
        self._loaded: list[PassSource] = []
        watch_table(self._entries, _stays)

    @abstractmethod
    def key_of(self, name: str) -> str:
        """Return what an entry is found by that is asked for by ``name``."""

    def add(self, entry: E, *, replace: bool = False, by: object = None) -> None:
        """Enter what goes by a name.

        Args:
            entry: What is entered.
            replace: Take the name from whoever has it.
            by: The class or function that is registered.

        Raises:
            DuplicateNameError: If somebody else claims the name and ``replace`` is false, be it by
                a table of names that nobody has asked for yet.
        """
        key, what = self.key_of(entry.name), self.entry.what
        self.load_for(key)
        self._claims.enter(
            key,
            by,
            f"the name {entry.global_name} of {_indefinite(what)}",
            taken=key in self._entries,
            instead=f"rename one, or replace the first with register_{what}(..., replace=True)",
            replace=replace,
        )
        self._entries[key] = entry

    def add_source(self, source: PassSource, *, first: bool = False) -> None:
        """Add a source; they are asked in the order in which they were added, ``first`` ones first.

        A table of names is put first: others are imported to learn what they have.
        """
        self._sources.insert(0 if first else len(self._sources), source)

    def find(self, name: str) -> E | None:
        """Return the entry of that name, ``None`` when there is none.

        Sources are imported one after the other until one has brought it. No lock is held
        meanwhile: importing twice does nothing, waiting for one another might never end.
        """
        key = self.key_of(name)
        for source in self._iterate_waiting(key):
            source.load_for(key)
            if key not in self._entries:
                self._load(source)
        return self._entries.get(key)

    def load_for(self, name: str) -> None:
        """Have sources import what is likely to register ``name``, whatever it is a name of."""
        for source in self._iterate_waiting(name):
            source.load_for(name)

    def _iterate_waiting(self, key: str) -> Iterator[PassSource]:
        """Yield the sources that were not loaded, until there is an entry under ``key``."""
        for source in tuple(self._sources):
            if key in self._entries:
                return
            if source not in self._loaded:
                yield source

    def get(self, name: str) -> E:
        """Return the entry of that name.

        Raises:
            UnknownNameError: If there is none.
        """
        found = self.find(name)
        if found is None:
            near = suggest(self.key_of(name), [entry.name for entry in self._entries.values()])
            raise UnknownNameError(
                f"no {self.entry.what} {name!r} is registered{near}; {self.listing}"
            )
        return found

    def entry_of(self, spec: PassSpec, text: str) -> E:
        """Return the entry that ``spec``, which stands in ``text``, names.

        Raises:
            UnknownNameError: If there is none; a note points at the place.
        """
        try:
            return self.get(spec.name)
        except UnknownNameError as error:
            error.add_note(f"at column {spec.position + 1} of:{point_at(text, spec.position)}")
            raise

    def entries(self) -> tuple[E, ...]:
        """Return every entry, sorted by name; imports all sources."""
        for source in tuple(self._sources):
            if source not in self._loaded:
                self._load(source)
        return tuple(sorted(self._entries.values(), key=lambda entry: entry.name))

    def _load(self, source: PassSource) -> None:
        source.load()
        self._loaded.append(source)


def summary_of(documented: object) -> str:
    """Return the first line of a docstring, or an empty string."""
    if not inspect.isroutine(documented) and not inspect.isclass(documented):
        return ""  # the docstring of some object is that of its class, not its own
    lines = inspect.cleandoc(documented.__doc__ or "").splitlines()
    return lines[0] if lines else ""


def _stays(context: declared_temporarily, entry: Entry[Any]) -> bool:
    return context.stays(getattr(entry.factory, "__module__", None))


def _indefinite(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def _make_error(message: str, text: str, position: int) -> PipelineError:
    return PipelineError(f"{message} (column {position + 1}){point_at(text, position)}")
