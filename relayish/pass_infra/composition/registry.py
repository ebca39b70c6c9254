"""Passes by name.

A pass is registered under a global name (``relayish.pass_.FoldConstant``) and had by the short one
as well. A name is claimed once: a second claim is an error that names both claimants.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import ClassVar, Final

from relayish._support.display import repr_mimebundle
from relayish._support.own import GLOBAL_PREFIX
from relayish.errors import DeclarationError, PipelineError
from relayish.pass_infra.base.common import CommonConfig
from relayish.pass_infra.base.context import add_pass_names
from relayish.pass_infra.base.info import PassInfo, current_name, short_name
from relayish.pass_infra.base.pass_class import Pass
from relayish.registry.named import Entry, Registry
from relayish.registry.option import PassOption, check_option, field_options, find_option
from relayish.registry.source import PassSource
from relayish.registry.syntax import PassSpec, parse_specs


@dataclasses.dataclass(frozen=True, slots=True)
class PassEntry(Entry[Pass]):
    """What the registry knows of one pass."""

    what: ClassVar[str] = "pass"
    common: ClassVar[tuple[PassOption, ...]] = field_options(CommonConfig)

    info: PassInfo
    options: tuple[PassOption, ...]
    factory: Callable[..., Pass]
    claimant: str

    _repr_mimebundle_ = repr_mimebundle

    def __post_init__(self) -> None:
        for option in self.options:
            taken = find_option(self.common, option.name)
            if taken is not None:
                raise DeclarationError(
                    f"option {option.name!r} of pass {self.info.name}, which {self.claimant} "
                    f"declares, is called as {taken.name!r} is, or the short name of that, which "
                    f"every pass has; rename it"
                )

    @property
    def name(self) -> str:
        """The short name."""
        return self.info.name

    @property
    def global_name(self) -> str:
        """The name with its prefix."""
        return GLOBAL_PREFIX + self.info.name

    def build(self, options: dict[str, object]) -> Pass:
        asked = {
            option.name: check_option(self.name, option, options[option.name])
            for option in self.common
            if option.name in options
        }
        made = Entry.build(self, {name: v for name, v in options.items() if name not in asked})
        return made.with_common(**asked) if asked else made


class PassRegistry(Registry[PassEntry]):
    """A table of passes, and the sources from which it is filled when needed."""

    entry = PassEntry
    listing = "relayish.transform.list_passes(), or `relayish passes`, lists all there are"

    def key_of(self, name: str) -> str:
        return short_name(name)

    def find(self, name: str) -> PassEntry | None:
        return super().find(current_name(name))

    def build(self, spec: PassSpec, text: str) -> Pass:
        """Return the pass that one entry of the pipeline ``text`` stands for."""
        return self.entry_of(spec, text).build_written(spec, text)


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
