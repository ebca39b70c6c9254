"""Immutability: refuse passes that change the program they are given in place."""

from __future__ import annotations

from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.snapshot import Snapshot
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass


class ImmutableModuleInstrument(NestingInstrument):
    """Refuse passes that change the program they are given.

    The option ``testing.immutable_module`` of a :class:`PassContext` does the same.

    Raises:
        PassError: After the pass; names it and what it changed. When the pass itself raised, its
            error goes on, with a note that says so.

    Complexity:
        Linear in distinct nodes and in the bytes of constants, twice for each pass.
    """

    def begins(self, running: RunningPass) -> None:
        running.kept = Snapshot(running.mod)

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:  # noqa: ARG002 - a hook
        if running is not None:
            assert isinstance(running.kept, Snapshot)
            running.kept.check(info)

    def fails(self, running: RunningPass | None, info: PassInfo, error: BaseException) -> None:
        if running is not None:
            assert isinstance(running.kept, Snapshot)
            running.kept.note(error, info)
