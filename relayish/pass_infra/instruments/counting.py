"""Counting passes."""

from __future__ import annotations

from collections import Counter

from relayish.ir.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.instruments.running import RunningPasses


class PassCountInstrument(PassInstrument):
    """Count how often each pass runs, and how often it returns another module.

    Counts go on from one context to the next, until :meth:`clear`.

    Example:
        >>> from relayish.pass_infra import PassContext, create_module_pass
        >>> keep = create_module_pass(lambda mod, ctx: mod, 0, "Keep")
        >>> counts = PassCountInstrument()
        >>> with PassContext(instruments=[counts]):
        ...     mod = keep(keep(IRModule()))
        >>> print(counts.render(), end="")
        Keep: run 2 times, changed 0, failed 0
    """

    def __init__(self) -> None:
        self.runs: Counter[str] = Counter()
        """Runs that ended, by name of the pass, failed ones included."""
        self.changes: Counter[str] = Counter()
        """Runs that returned another module than they were given."""
        self.failures: Counter[str] = Counter()
        """Runs that ended in an error."""
        self._running = RunningPasses()

    def clear(self) -> None:
        """Begin anew."""
        for counts in (self.runs, self.changes, self.failures):
            counts.clear()

    def enter_pass_ctx(self) -> None:
        self._running.forget()

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        self._running.begin(mod, info)

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:
        running = self._running.end(info, mod)
        self.runs[info.name] += 1
        if running is not None and running.mod is not mod:
            self.changes[info.name] += 1

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self._running.end(info)
        self.runs[info.name] += 1
        self.failures[info.name] += 1

    def render(self) -> str:
        """Return the counts, a line for each pass, in the order in which they first ran."""
        return "".join(
            f"{name}: run {count} times, changed {self.changes[name]}, "
            f"failed {self.failures[name]}\n"
            for name, count in self.runs.items()
        )
