"""Counting passes."""

from __future__ import annotations

from collections import Counter

from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass


class PassCountInstrument(NestingInstrument):
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
        super().__init__()
        self.runs: Counter[str] = Counter()
        """Runs that ended, by name of the pass, failed ones included."""
        self.changes: Counter[str] = Counter()
        """Runs that returned another module than they were given."""
        self.failures: Counter[str] = Counter()
        """Runs that ended in an error."""

    def clear(self) -> None:
        """Begin anew."""
        for counts in (self.runs, self.changes, self.failures):
            counts.clear()

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        self.runs[info.name] += 1
        if running is not None and running.mod is not out:
            self.changes[info.name] += 1

    def fails(self, running: RunningPass | None, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self.runs[info.name] += 1
        self.failures[info.name] += 1

    def render(self) -> str:
        """Return the counts, a line for each pass, in the order in which they first ran."""
        return "".join(
            f"{name}: run {count} times, changed {self.changes[name]}, "
            f"failed {self.failures[name]}\n"
            for name, count in self.runs.items()
        )
