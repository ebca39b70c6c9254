"""The instrument of common options: it watches passes that are asked by them."""

from __future__ import annotations

import sys
import time
import tracemalloc
from dataclasses import dataclass, field
from pathlib import Path

from relayish._support import hooks
from relayish._support.per_thread import PerThread
from relayish.ir.kinds.one_line import one_line
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.base.pass_class import tell, watch_common_options
from relayish.pass_infra.base.program_file import BINARY_SUFFIX, write_program
from relayish.pass_infra.base.trace import current_trace_files
from relayish.pass_infra.instruments.dump import make_safe_name
from relayish.pass_infra.instruments.verify import USUAL_CHECKS, VerifyInstrument


class CommonOptionsInstrument(PassInstrument):
    """Do around a pass what its :class:`~relayish.pass_infra.base.common.CommonConfig` asks for.

    Before it: tell that it runs, trace symbols and program, verify: by the usual checks, and by
    all rules of the domains of the program. After it: trace symbols,
    program, statistics and memory, write the program into files, verify. What is traced goes to
    the trace files in force, as comments around text that parses; that a pass runs is told on
    standard error. There is one of these, which watches all such passes, so it need not stand in a
    context.

    Source:
        AIR ``PASS_MANAGER::Run``.
    """

    def __init__(self) -> None:
        self._verify = VerifyInstrument((*USUAL_CHECKS, "verified"))
        self._open = _Open()

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        common = info.common
        if common.show:
            sys.stderr.write(f"relayish: {info.name}\n")
        if common.trace_st_before:
            tell(_show_symbols("before", mod, info))
        if common.trace_ir_before:
            tell(_show_program("before", mod, info))
        if common.verify:
            self._verify.forget_last()  # others may have run since that nobody watched
            self._verify.run_before_pass(mod, info)
        if common.trace_stat or common.trace_mp:
            begun = common.trace_mp and _begin_memory()
            nodes = _count(mod) if common.trace_stat else 0
            self._open.stack.append(_Measured(info, nodes, begun))

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:
        common = info.common
        if common.trace_stat or common.trace_mp:
            self._tell_measured(mod, info)
        if common.trace_st_after:
            tell(_show_symbols("after", mod, info))
        if common.trace_ir_after:
            tell(_show_program("after", mod, info))
        for path in _paths(info):
            write_program(mod, path, info.phase or info.name)
        if common.verify:
            self._verify.run_after_pass(mod, info)

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self._open.close(info)

    def _tell_measured(self, mod: AnyModule, info: PassInfo) -> None:
        end = time.perf_counter_ns()
        measured = self._open.close(info)
        if measured is None:
            return
        if info.common.trace_stat:
            tell(
                f"// statistics of {info.name}: {(end - measured.start) // 1000}us, "
                f"{measured.nodes} nodes before, {_count(mod)} after"
            )
        if info.common.trace_mp:
            grown = measured.traced or tracemalloc.get_traced_memory()
            tell(
                f"// memory of {info.name}: {(grown[0] - measured.memory) // 1024} KiB more, "
                f"{(grown[1] - measured.memory) // 1024} KiB at the most"
            )


@dataclass(slots=True)
class _Measured:
    """A pass that runs and is measured."""

    info: PassInfo
    nodes: int
    began_tracing: bool
    """Memory is traced since this pass began, and no longer than it runs."""
    memory: int = field(default_factory=lambda: tracemalloc.get_traced_memory()[0])
    traced: tuple[int, int] | None = None
    """Memory in use and at the most, when tracing was ended."""
    start: int = field(default_factory=time.perf_counter_ns)


class _Open(PerThread):
    """The passes that are measured, each inside the one before; each thread has its own."""

    def __init__(self) -> None:
        self.stack: list[_Measured] = []

    def close(self, info: PassInfo) -> _Measured | None:
        """Return what was noted when the pass began, and forget it and what is left inside."""
        while self.stack:
            measured = self.stack.pop()
            if measured.began_tracing:
                measured.traced = tracemalloc.get_traced_memory()
                tracemalloc.stop()
            if measured.info is info:
                return measured
        return None


def _begin_memory() -> bool:
    """Have memory traced from here on; return whether it was not yet."""
    begins = not tracemalloc.is_tracing()
    if begins:
        tracemalloc.start()
    tracemalloc.reset_peak()
    return begins


def _count(mod: AnyModule) -> int:
    return len(EVERYTHING.post_order(tuple(mod.nodes())))


def _show_program(when: str, mod: AnyModule, info: PassInfo) -> str:
    program = hooks.writer(mod).rstrip("\n")
    return f"// {when} {info.name}\n{program}\n"


def _show_symbols(when: str, mod: AnyModule, info: PassInfo) -> str:
    """Return what a module defines, a line each: section, name, kind, and in short what it is."""
    lines = [f"// symbols {when} {info.name}"]
    for section, definitions in mod.sections().items():
        for name, node in definitions.items():
            lines.append(f"//   {section} {name}: {type(node).__name__} {one_line(node)}")
    return "\n".join(lines)


def _paths(info: PassInfo) -> list[str]:
    """Return the files that the result of a pass goes to."""
    wanted = [info.common.write_ir] if info.common.write_ir else []
    if info.common.dump:
        stem = Path(current_trace_files().stem).name
        wanted.append(
            f"{stem}.dump.{make_safe_name(info.phase or info.name).lower()}{BINARY_SUFFIX}"
        )
    return wanted


watch_common_options(CommonOptionsInstrument())
