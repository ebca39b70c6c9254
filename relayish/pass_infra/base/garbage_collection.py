"""Garbage collection while passes run, as options of the pass context say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Final

from relayish._support.collector import collect_rarely, freeze_heap, pause_collection
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
    DISABLE_GC: pause_collection,
    RARE_GC: collect_rarely,
    FREEZE_INPUT: freeze_heap,
}


_AS_IT_IS: Final = nullcontext()


def collect_as(ctx: PassContext) -> AbstractContextManager[None]:
    """Run the collector as ``ctx`` says; passes inside one another find it so already.

    The collector is the whole process's: its other threads have it so as well.
    """
    config = ctx.config
    if not config:  # no default asks for anything
        return _AS_IT_IS
    chosen = [manner for option, manner in _OPTIONS.items() if config.get(option) is True]
    return _enter_all(chosen) if chosen else _AS_IT_IS


@contextmanager
def _enter_all(manners: Sequence[Callable[[], AbstractContextManager[None]]]) -> Iterator[None]:
    with ExitStack() as stack:
        for manner in manners:
            stack.enter_context(manner())
        yield
