"""Steps of a pipeline, told while they are taken, where ``-v`` asks for it."""

from __future__ import annotations

import time

from relayish.cli.report import tell_step
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass


class StepInstrument(NestingInstrument):
    """Tell of each pass how long it took, and whether it changed the program."""

    def begins(self, running: RunningPass) -> None:
        running.kept = time.perf_counter()

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        if running is None or not isinstance(running.kept, float):
            return
        seconds = time.perf_counter() - running.kept
        told = "unchanged" if running.mod is out else "changed"
        tell_step(f"{'  ' * self._running.depth}{info.name}: {told}, {seconds:.3f} seconds")
