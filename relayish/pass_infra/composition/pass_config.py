"""Typed configurations of passes, made from the options that they declare already."""

from __future__ import annotations

import dataclasses
from typing import Any, Final
from weakref import WeakKeyDictionary

from relayish.pass_infra.base.common import NOTHING_ASKED, CommonConfig
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.composition.registry import REGISTRY, PassEntry
from relayish.registry.option import MISSING, PassOption


def config_class(entry: PassEntry) -> type[CommonConfig]:
    """Return the class of configurations of a pass: its options beside those that every pass has.

    Its fields have the types and defaults of the options.

    Source:
        AIR's ``<PHASE>_CONFIG``, which derive from ``COMMON_CONFIG``.

    Example:
        >>> from relayish.transform import pass_entry
        >>> made = config_class(pass_entry("FoldConstant"))
        >>> made.__name__, made().fold_qnn, made(fold_qnn=True).enable
        ('FoldConstantConfig', False, True)
    """
    found = _CLASSES.get(entry.factory)
    if found is not None and found[0] == entry.options:
        return found[1]
    made = dataclasses.make_dataclass(
        f"{entry.name}Config",
        [(option.name, option.hint, _field_of(option)) for option in entry.options],
        bases=(CommonConfig,),
        frozen=True,
        kw_only=True,
    )
    _CLASSES[entry.factory] = entry.options, made
    return made


_CLASSES: Final[WeakKeyDictionary[Any, tuple[object, type[CommonConfig]]]] = WeakKeyDictionary()
"""The classes made so far, by what makes the pass; with the options of which each was made.

Any: a class of passes or a factory.
"""


def _field_of(option: PassOption) -> Any:  # Any: as ``dataclasses.field``
    default = option.default
    if default is MISSING:
        return dataclasses.field()
    if type(default).__hash__ is None:
        return dataclasses.field(default_factory=lambda: default)
    return dataclasses.field(default=default)


def config_of(pass_: Pass) -> Any:  # Any: a CommonConfig, and with it what the pass has
    """Return the configuration of a pass: its common options, and its own where it has any.

    Of a pass that is not registered, or that a factory made, which keeps its options to itself, it
    is what every pass has.
    """
    common = pass_.info.common
    entry = REGISTRY.find(pass_.info.name)
    own = None if entry is None else own_options(pass_, entry)
    if entry is None or not own:
        return common
    asked = {name: getattr(common, name) for name in _names(common)}
    return config_class(entry)(**asked, **own)


def config_of_running(running: Pass | None) -> CommonConfig:
    """Return the configuration of the pass that runs; the defaults where none does."""
    return NOTHING_ASKED if running is None else config_of(running)


def _names(config: CommonConfig) -> list[str]:
    return [declared.name for declared in dataclasses.fields(config)]


def own_options(pass_: Pass, entry: PassEntry) -> dict[str, Any] | None:
    """Return the values of the options that a pass was made with; ``None`` if it does not tell.

    Any: values of any type.
    """
    if not isinstance(entry.factory, type) or not isinstance(pass_, entry.factory):
        return None if entry.options else {}
    names = [option.name for option in entry.options]
    if not all(hasattr(pass_, name) for name in names):
        return None
    return {name: getattr(pass_, name) for name in names}
