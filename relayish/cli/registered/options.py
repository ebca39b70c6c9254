"""Options of what is registered."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.cli.passes import OptionDescription
from relayish.registry.option import MISSING, PassOption, describe_hint


def describe_options(options: Sequence[PassOption]) -> list[OptionDescription]:
    """Return what options are, in order."""
    return [
        {
            "name": each.name,
            "type": describe_hint(each.hint),
            "default": None if each.default is MISSING else repr(each.default),
        }
        for each in options
    ]
