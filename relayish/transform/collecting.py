"""How the cyclic garbage collector runs while passes do, as options of the pass context say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from relayish._support.collector import collecting_rarely, frozen, not_collecting
from relayish.transform.config import register_config_option
from relayish.transform.context import PassContext

DISABLE_GC: Final = "relayish.disable_gc"
register_config_option(
    DISABLE_GC,
    bool,
    default=False,
    description="switch the cyclic garbage collector off while a pass runs",
)

RARE_GC: Final = "relayish.rare_gc"
register_config_option(
    RARE_GC,
    bool,
    default=False,
    description="let the cyclic garbage collector run rarely while a pass runs",
)

FREEZE_INPUT: Final = "relayish.freeze_input"
register_config_option(
    FREEZE_INPUT,
    bool,
    default=False,
    description="keep the cyclic garbage collector from what is there before a pass runs",
)

_OPTIONS: Final = {
    DISABLE_GC: not_collecting,
    RARE_GC: collecting_rarely,
    FREEZE_INPUT: frozen,
}


@contextmanager
def collecting_as(ctx: PassContext) -> Iterator[None]:
    """Run the collector as ``ctx`` says; passes inside one another find it so already.

    The collector is the whole process's: its other threads have it so as well.
    """
    with ExitStack() as stack:
        for option, manner in _OPTIONS.items():
            if ctx.get_config(option) is True:
                stack.enter_context(manner())
        yield
