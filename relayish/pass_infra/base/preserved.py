"""Preserved analyses: who keeps results of analyses is told of passes that preserve some.

Analyses stand above passes, so what keeps their results puts itself here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from relayish.ir.module import AnyModule
from relayish.pass_infra.base.info import PassInfo

ResultKeeper: TypeAlias = Callable[[AnyModule, AnyModule, PassInfo], None]
"""``keep(given, returned, info)``: told after a pass that returned another module."""

_KEEPERS: Final[list[ResultKeeper]] = []


def add_result_keeper(keeper: ResultKeeper) -> None:
    """Let ``keeper`` be told of passes that preserve analyses."""
    _KEEPERS.append(keeper)


def carry_results(given: AnyModule, returned: AnyModule, info: PassInfo) -> None:
    """Tell keepers what a pass made of a module, if it says that it preserves analyses."""
    if not info.preserves or given is returned:
        return
    for keeper in _KEEPERS:
        keeper(given, returned, info)
