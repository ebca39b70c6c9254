"""Timing of passes, as a tree: passes that run inside one another are nested."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from relayish._support.display import repr_mimebundle
from relayish._support.graph import walk_tree
from relayish._support.per_thread import PerThread
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument


@dataclass(slots=True)
class PassProfile:
    """How long one run of a pass took, and the passes that ran inside it; in nanoseconds."""

    name: str
    start: int = field(default_factory=time.perf_counter_ns)
    duration: int = 0
    children: list[PassProfile] = field(default_factory=list)

    _repr_mimebundle_ = repr_mimebundle

    @property
    def own(self) -> int:
        """The time not spent in passes inside."""
        return self.duration - sum(child.duration for child in self.children)


class _Open(PerThread):
    """The profiles of the passes that are running, of each thread its own."""

    def __init__(self) -> None:
        self.stack: list[PassProfile] = []


class PassTimingInstrument(PassInstrument):
    """Measure passes; :meth:`render` shows the times of the context, also after it was left.

    Entered again after that, it begins anew.

    Attributes:
        profiles: The same as data: of each pass that ran, and of those that ran inside it.

    Source:
        TVM ``PassTimingInstrument``, which forgets the times when the context is left.

    Example:
        >>> from relayish.pass_infra import PassContext
        >>> timing = PassTimingInstrument()
        >>> with PassContext(instruments=[timing]):
        ...     timing.render()
        ''
    """

    def __init__(self) -> None:
        self.profiles: list[PassProfile] = []
        self._open = _Open()
        self._entered = 0

    def enter_pass_ctx(self) -> None:
        if not self._entered:
            self.profiles = []
        self._entered += 1

    def exit_pass_ctx(self) -> None:
        self._entered -= 1

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:  # noqa: ARG002 - a hook
        profile = PassProfile(info.name)
        stack = self._open.stack
        (stack[-1].children if stack else self.profiles).append(profile)
        stack.append(profile)
        profile.start = time.perf_counter_ns()

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:  # noqa: ARG002 - a hook
        self._close(info)

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self._close(info)

    def _close(self, info: PassInfo) -> None:
        end = time.perf_counter_ns()
        stack = self._open.stack
        # a hook of another instrument that raised left the pass it belongs to open
        while stack:
            profile = stack.pop()
            profile.duration = end - profile.start
            if profile.name == info.name:
                return

    def render(self) -> str:
        """Return the times, a line each: name, total, own, share of everything and of the parent.

        Nested passes are indented by one tab a level.
        """
        total = sum(profile.duration for profile in self.profiles)
        lines = []
        roots = [(profile, 0, total) for profile in self.profiles]
        placed = [each for root in roots for each in walk_tree(root, _place_children)]
        for profile, depth, around in placed:
            lines.append(
                f"{chr(9) * depth}{profile.name}: {profile.duration // 1000}us "
                f"[{profile.own // 1000}us] ({_share(profile.duration, total)}; "
                f"{_share(profile.duration, around)})\n"
            )
        return "".join(lines)


def _place_children(placed: tuple[PassProfile, int, int]) -> list[tuple[PassProfile, int, int]]:
    profile, depth, _ = placed
    return [(child, depth + 1, profile.duration) for child in profile.children]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.2f}%"
