"""How the cyclic garbage collector runs while passes do, as options of the pass context say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Final

from relayish._support.collector import collecting_rarely, frozen, not_collecting
from relayish.pass_infra.base.config import register_config_option
from relayish.pass_infra.base.context import PassContext

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


_AS_IT_IS: Final = nullcontext()


def collecting_as(ctx: PassContext) -> AbstractContextManager[None]:
    """Run the collector as ``ctx`` says; passes inside one another find it so already.

    The collector is the whole process's: its other threads have it so as well.
    """
    config = ctx.config
    if not config:  # no default asks for anything
        return _AS_IT_IS
    chosen = [manner for option, manner in _OPTIONS.items() if config.get(option) is True]
    return _all(chosen) if chosen else _AS_IT_IS


@contextmanager
def _all(manners: Sequence[Callable[[], AbstractContextManager[None]]]) -> Iterator[None]:
    with ExitStack() as stack:
        for manner in manners:
            stack.enter_context(manner())
        yield
