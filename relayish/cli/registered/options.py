"""Options of what is registered."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.cli.passes import OptionDescription
from relayish.registry.option import MISSING, PassOption, describe_hint


def describe_options(options: Sequence[PassOption]) -> list[OptionDescription]:
    """Return what options are, in order."""
    return list(map(_describe, options))


def _describe(option: PassOption) -> OptionDescription:
    told: OptionDescription = {
        "name": option.name,
        "type": describe_hint(option.hint),
        "default": None if option.default is MISSING else repr(option.default),
    }
    if option.description:
        told["description"] = option.description
    return told
