"""Passes by name.

A pass is registered under a global name (``relayish.pass_.FoldConstant``) and had by the short one
as well. A name is claimed once: a second claim is an error that names both claimants.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Final

from relayish.errors import PipelineError, UnknownNameError, suggest
from relayish.ir.claims import Claims
from relayish.ir.declarations import declared_temporarily, watch_table
from relayish.pass_infra.base.context import add_pass_names
from relayish.pass_infra.base.info import GLOBAL_PREFIX, PassInfo, short_name
from relayish.pass_infra.base.option import (
    OptionValueError,
    PassOption,
    check_given,
    check_option,
    describe_unknown_option,
    read_value,
)
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.base.syntax import PassSpec, parse_specs, point_at
from relayish.pass_infra.composition.source import PassSource


@dataclasses.dataclass(frozen=True, slots=True)
class PassEntry:
    """What the registry knows of one pass."""

    info: PassInfo
    options: tuple[PassOption, ...]
    factory: Callable[..., Pass]
    claimant: str
    """Module and name of what was registered."""

    @property
    def name(self) -> str:
        """The short name."""
        return self.info.name

    @property
    def global_name(self) -> str:
        """The name with its prefix."""
        return GLOBAL_PREFIX + self.info.name

    def build(self, options: dict[str, object]) -> Pass:
        """Return a pass with these options.

        Raises:
            OptionError: If there is no such option, or one that must be given is not.
            PipelineError: If a value is of the wrong type.
        """
        known = {option.name: option for option in self.options}
        check_given(self.name, self.options, (), options)
        checked = {n: check_option(self.name, known[n], value) for n, value in options.items()}
        return self.factory(**checked)

    def read_options(self, spec: PassSpec, text: str) -> dict[str, object]:
        """Return the options written in ``spec``, which stands in ``text``."""
        known = {option.name: option for option in self.options}
        values: dict[str, object] = {}
        for written in spec.options:
            if written.name not in known:
                message = describe_unknown_option(self.name, self.options, written.name)
                raise _make_error(message, text, written.position)
            try:
                values[written.name] = read_value(known[written.name].hint, written.value)
            except OptionValueError as error:
                message = f"option {written.name!r} of pass {self.name}: {error}"
                raise _make_error(message, text, written.value.position) from None
        return values


class PassRegistry:
    """A table of passes, and the sources from which it is filled when needed."""

    def __init__(self) -> None:
        self._entries: dict[str, PassEntry] = {}
        self._claims: Claims[str] = Claims()
        self._sources: list[PassSource] = []
        self._loaded: list[PassSource] = []
        watch_table(self._entries, _stays)

    def add(self, entry: PassEntry, *, replace: bool = False, by: object = None) -> None:
        """Enter a pass.

        Args:
            entry: The pass.
            replace: Take the name from whoever has it.
            by: The class or function that is registered.

        Raises:
            DuplicateNameError: If somebody else claims the name and ``replace`` is false.
        """
        self._claims.enter(
            entry.name,
            by,
            f"the name {entry.global_name} of a pass",
            taken=entry.name in self._entries,
            instead="rename one, or replace the first with register_pass(..., replace=True)",
            replace=replace,
        )
        self._entries[entry.name] = entry

    def add_source(self, source: PassSource) -> None:
        """Add a source; sources are asked in the order in which they were added."""
        self._sources.append(source)

    def find(self, name: str) -> PassEntry | None:
        """Return the entry of a pass by its short or global name, ``None`` when there is none.

        Sources are imported one after the other until one has brought it. No lock is held
        meanwhile: importing twice does nothing, waiting for one another might never end.
        """
        short = short_name(name)
        for source in self._iterate_waiting(short):
            source.load_for(short)
            if short not in self._entries:
                self._load(source)
        return self._entries.get(short)

    def load_for(self, name: str) -> None:
        """Have sources import what is likely to register ``name``, of a pass or of a check."""
        for source in self._iterate_waiting(name):
            source.load_for(name)

    def _iterate_waiting(self, name: str) -> Iterator[PassSource]:
        """Yield the sources that were not loaded, until there is a pass ``name``."""
        for source in tuple(self._sources):
            if name in self._entries:
                return
            if source not in self._loaded:
                yield source

    def get(self, name: str) -> PassEntry:
        """Return the entry of a pass by its short or global name.

        Raises:
            UnknownNameError: If there is none.
        """
        found = self.find(name)
        if found is None:
            raise UnknownNameError(
                f"no pass {name!r} is registered{suggest(short_name(name), self._entries)}; "
                f"relayish.transform.list_passes(), or `relayish passes`, lists all there are"
            )
        return found

    def entries(self) -> tuple[PassEntry, ...]:
        """Return every entry, sorted by name; imports all sources."""
        for source in tuple(self._sources):
            if source not in self._loaded:
                self._load(source)
        return tuple(self._entries[name] for name in sorted(self._entries))

    def _load(self, source: PassSource) -> None:
        source.load()
        self._loaded.append(source)

    def build(self, spec: PassSpec, text: str) -> Pass:
        """Return the pass that one entry of the pipeline ``text`` stands for."""
        try:
            entry = self.get(spec.name)
        except UnknownNameError as error:
            error.add_note(f"at column {spec.position + 1} of:{point_at(text, spec.position)}")
            raise
        options = entry.read_options(spec, text)
        try:
            return entry.build(options)
        except PipelineError as error:
            error.add_note(f"at column {spec.position + 1} of:{point_at(text, spec.position)}")
            raise


def _stays(context: declared_temporarily, entry: PassEntry) -> bool:
    return context.stays(getattr(entry.factory, "__module__", None))


REGISTRY: Final = PassRegistry()
"""The one registry of the process."""
add_pass_names(
    lambda name: REGISTRY.find(name) is not None,
    lambda: [entry.name for entry in REGISTRY.entries()],
)


def get_pass(name: str, **options: object) -> Pass:
    """Return the registered pass ``name``, short or global, with these options.

    The name may carry options as in a pipeline: ``"FoldConstant{fold_qnn=true}"``.

    Raises:
        UnknownNameError: If no pass goes by that name.
        PipelineError: If the options are not those of the pass.
    """
    specs = parse_specs(name)
    if len(specs) > 1:
        raise PipelineError(
            f"expected one pass; found {len(specs)} in {name!r}; use parse_pipeline"
        )
    if not options:
        return REGISTRY.build(specs[0], name)
    entry = REGISTRY.get(specs[0].name)
    return entry.build({**entry.read_options(specs[0], name), **options})


def pass_entry(name: str) -> PassEntry:
    """Return what is known of the registered pass ``name``: level, requirements, options, claimant.

    Raises:
        UnknownNameError: If no pass goes by that name.
    """
    return REGISTRY.get(name)


def list_passes() -> tuple[str, ...]:
    """Return the short names of all registered passes, sorted; looks into every source."""
    return tuple(entry.name for entry in REGISTRY.entries())


def add_pass_source(source: PassSource) -> None:
    """Add a place to look for passes that are asked for and not yet registered."""
    REGISTRY.add_source(source)


def _make_error(message: str, text: str, position: int) -> PipelineError:
    return PipelineError(f"{message} (column {position + 1}){point_at(text, position)}")
