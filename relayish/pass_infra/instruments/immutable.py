"""Immutability: refuse passes that change the program they are given in place."""

from __future__ import annotations

from relayish.ir.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.base.snapshot import Snapshot
from relayish.pass_infra.instruments.running import RunningPasses


class ImmutableModuleInstrument(PassInstrument):
    """Refuse passes that change the program they are given.

    The option ``testing.immutable_module`` of a :class:`PassContext` does the same.

    Raises:
        PassError: After the pass; names it and what it changed. When the pass itself raised, its
            error goes on, with a note that says so.

    Complexity:
        Linear in distinct nodes and in the bytes of constants, twice for each pass.
    """

    def __init__(self) -> None:
        self._running = RunningPasses()

    def enter_pass_ctx(self) -> None:
        self._running.forget()

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        self._running.begin(mod, info).kept = Snapshot(mod)

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:
        running = self._running.end(info, mod)
        if running is not None:
            assert isinstance(running.kept, Snapshot)
            running.kept.check(info)

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        running = self._running.end(info)
        if running is not None:
            assert isinstance(running.kept, Snapshot)
            running.kept.note(error, info)
