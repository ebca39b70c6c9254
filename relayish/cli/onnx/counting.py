"""Time that passes took, and how many operators each left."""

from __future__ import annotations

import time
from dataclasses import dataclass

from relayish.draw.report.sizes import count_operators
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument


@dataclass(slots=True)
class PassCost:
    """What a pass took, and did.

    Attributes:
        name: Its name.
        seconds: How long it took, passes inside it included.
        operators: How many calls of operators there are behind it, constants left out.
        change: How many more that are than before it.
    """

    name: str
    seconds: float
    operators: int
    change: int


class PassCostInstrument(PassInstrument):
    """Measure the passes that run inside no other, and count operators behind each.

    Attributes:
        costs: Of each pass that ran.
    """

    def __init__(self) -> None:
        self.costs: list[PassCost] = []
        self._open: list[tuple[PassInfo, IRModule, float]] = []
        self._counted: tuple[IRModule | None, int] = (None, 0)

    def enter_pass_ctx(self) -> None:
        self._open.clear()

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if not self._open:
            self._count(mod)
        self._open.append((info, mod, time.perf_counter()))

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        end = time.perf_counter()
        info, _, start = self._open.pop()
        if self._open:
            return
        before = self._counted[1]
        count = self._count(mod)
        self.costs.append(PassCost(info.name, end - start, count, count - before))

    def run_on_failure(self, mod: IRModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self._open.pop()

    def _count(self, mod: IRModule) -> int:
        """Return how many operators a module calls; the same module is counted once."""
        if self._counted[0] is not mod:
            self._counted = mod, count_calls(mod)
        return self._counted[1]


def count_calls(mod: IRModule) -> int:
    """Return how many operators a module calls, those of ``Constant`` left out."""
    return sum(map(count_operators, mod.functions.values()))
