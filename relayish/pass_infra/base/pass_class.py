"""Passes: from a module to a module, whatever languages its definitions are of."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextvars import ContextVar
from typing import Any, Final, NoReturn, Self, TypeVar, cast

from relayish._support import hooks
from relayish._support.display import repr_mimebundle
from relayish.errors import DeclarationError, PassError, UndeclaredError, add_note, indefinite
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.untyped import add_hint
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.parallel.outcome import Outcome
from relayish.pass_infra.base.common import NOTHING_ASKED, set_common
from relayish.pass_infra.base.config import IMMUTABLE_MODULE
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.garbage_collection import collect_as
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.base.program_file import read_program
from relayish.pass_infra.base.snapshot import Snapshot
from relayish.pass_infra.base.trace import current_trace_files
from relayish.pass_infra.base.type_inference import infer_types

_M = TypeVar("_M", bound=AnyModule)


class _MissingInfo:
    """Stands where a pass class has not said what it is."""

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise UndeclaredError(
            f"{owner.__name__} has no PassInfo; decorate it with @register_pass(opt_level=...) "
            f"or set info = PassInfo(name, opt_level) in the class"
        )


class Pass(ABC):
    """The root of passes. Calling one with a module runs it, under the current context.

    A pass called so runs whatever its level and whatever is disabled; only instruments can keep
    it from running. Levels and requirements are the business of :class:`Sequential`.
    """

    info: PassInfo = cast(PassInfo, _MissingInfo())
    _repr_mimebundle_ = repr_mimebundle

    def __call__(self, mod: _M) -> _M:
        """Return the module this pass makes of ``mod``.

        Returns:
            ``mod`` itself when nothing changed, or when the pass, or an instrument, said not to
            run.

        Raises:
            PassError: If ``mod`` is no module, or what the pass returns is none of its class.
        """
        info, ctx = self.info, PassContext.current()
        if not isinstance(mod, Module):
            raise PassError(
                f"pass {info.name} takes a module; found {type(mod).__name__}; "
                f"wrap an expression with IRModule.from_expr(expr)"
            )
        instruments = ctx.instruments
        common = info.common
        if common is not NOTHING_ASKED:
            if not common.enable:
                tell(f"// {info.name} is not run")
                return mod
            instruments = (*instruments, *_WATCHERS)
            if common.read_ir:
                mod = _check_read(read_program(common.read_ir)[0], mod, common.read_ir)
        if not ctx.is_required(info.name):
            answers = [_should_run(instrument, mod, info) for instrument in instruments]
            if not all(answers):
                return mod
        for instrument in instruments:
            instrument.run_before_pass(mod, info)
        work = self._run_watched if ctx.get_config(IMMUTABLE_MODULE) is True else self._run
        running = _RUNNING.set(self)
        try:
            with collect_as(ctx):
                out = work(mod, ctx)
        except BaseException as error:
            add_hint(error)
            add_note(error, f"in pass {info.name}")
            for instrument in instruments:
                instrument.run_on_failure(mod, info, error)
            raise
        finally:
            _RUNNING.reset(running)
        if info.preserves and out is not mod:
            for keep in hooks.result_keepers:
                keep(mod, out, info.name, tuple(info.preserves))
        for instrument in instruments:
            instrument.run_after_pass(out, info)
        return out

    def _run(self, mod: _M, ctx: PassContext) -> _M:
        if not self.info.infer_types:
            return _check_module(self.run(mod, ctx), mod, self.info)
        typed = infer_types(mod, "the pass is given")
        out = _check_module(self.run(typed, ctx), mod, self.info)
        return mod if out is typed else infer_types(out, "the pass returned")

    def _run_watched(self, mod: _M, ctx: PassContext) -> _M:
        snapshot = Snapshot(mod)
        try:
            out = self._run(mod, ctx)
        except BaseException as error:
            snapshot.note(error, self.info)
            raise
        snapshot.check(self.info)
        return out

    @abstractmethod
    def run(self, mod: Any, ctx: PassContext) -> Any:  # Any: a module of the class the pass is for
        """Do the work of the pass; called by :meth:`__call__`, which sees to the rest."""

    def map(
        self,
        modules: Iterable[_M | str | os.PathLike[str]],
        executor: Executor | Callable[[], Executor] | str | None = None,
        *,
        ordered: bool = True,
        retries: int = 2,
        window: int | None = None,
        progress: Callable[[Outcome[Any, Any]], None] | None = None,  # Any: as of the result
        folder: str | None = None,
        read: Callable[[str], _M] | None = None,
        load: Sequence[str] = (),
    ) -> Iterator[Outcome[_M | str | os.PathLike[str], _M]]:
        """Yield what this pass makes of each module, computed by workers under the context here.

        Modules go to other processes in binary form, and come back so; large arrays that are the
        same go once, and arrays that a result has from its module do not come back. Threads get the
        modules themselves. The pass and the context are pickled; of instruments those that can be,
        as copies: what they record stays with the worker.

        Args:
            modules: Modules, or paths of files that workers read; taken when there is room.
            executor: ``"processes:4"``, ``"threads:2"``, ``"dask:ADDRESS"``, ``"ray:ADDRESS"``, an
                executor, or what makes one; ``None`` for one after the other, here.
            ordered: Whether outcomes come in the order of modules, otherwise as they are there.
            retries: How often a module is tried again after its worker was lost.
            window: How many modules are on the way at most; twice the number of workers if not
                given.
            progress: Called with each outcome as soon as it is there.
            folder: A directory that all workers see, where they are not on this machine.
            read: What reads a path; programs as text or in binary form if not given.
                ``from_onnx`` reads models.
            load: Files of Python, and packages, that workers import first, for the passes and
                operators that these register.

        Returns:
            An iterator of outcomes, each with its item and a value, which is the module itself
            where nothing changed, or an error. It can be closed early, see
            :func:`relayish.parallel.map_over`.

        Raises:
            ParallelError: At once, if there is no such executor, or the pass cannot be pickled.

        Complexity:
            Linear in the modules; no more than ``window`` of them stand in memory for this.
        """
        mapping = importlib.import_module("relayish.pass_infra.base.mapping")  # if asked for
        outcomes: Iterator[Outcome[_M | str | os.PathLike[str], _M]] = mapping.map_modules(
            self, modules, executor, ordered=ordered, retries=retries, window=window,
            progress=progress, folder=folder, read=read, load=load,
        )  # fmt: skip
        return outcomes

    def with_info(self, info: PassInfo) -> Self:
        """Return this pass under another name, level or requirements."""
        renamed = copy.copy(self)
        object.__setattr__(renamed, "info", info)  # pass classes may be frozen
        return renamed

    def with_common(self, **asked: object) -> Self:
        """Return this pass with some of its common options set, by their names.

        Raises:
            OptionError: If there is no such option, or a value does not fit.
        """
        common = set_common(self.info.common, asked)
        return self.with_info(dataclasses.replace(self.info, common=common))

    # what a driver calls around running its passes; Any: the driver, which stands above this file

    def init(self, driver: Any) -> None:  # noqa: B027 - for overriding
        """Begin: called of all passes of a driver, in order, before anything else."""

    def pre_run(self, driver: Any) -> None:  # noqa: B027 - for overriding
        """Prepare running: called of all passes of a driver, in order, after ``init`` of all."""

    def post_run(self, driver: Any) -> None:  # noqa: B027 - for overriding
        """Clean up, or sum up: called of all passes of a driver that prepared, in reverse order."""

    def fini(self, driver: Any) -> None:  # noqa: B027 - for overriding
        """End: called of all passes of a driver that began, in reverse order."""

    def __repr__(self) -> str:
        required = f", required={self.info.required!r}" if self.info.required else ""
        public = next(c for c in type(self).__mro__ if not c.__name__.startswith("_"))
        shown = f"{public.__name__} {self.info.name}, opt_level={self.info.opt_level}{required}"
        return f"<{shown}{self._shown_options()}>"

    def _shown_options(self) -> str:
        """Return what the pass was made of, where that can be told, for its representation."""
        return ""


_RUNNING: Final[ContextVar[Pass | None]] = ContextVar("running_pass", default=None)


def running_pass() -> Pass | None:
    """Return the innermost pass that runs here; ``None`` outside of all."""
    return _RUNNING.get()


hooks.running_pass = running_pass


_WATCHERS: Final[list[PassInstrument]] = []


def watch_common_options(instrument: PassInstrument) -> None:
    """Have ``instrument`` watch every pass of which something is asked by its common options."""
    _WATCHERS.append(instrument)


def tell(line: str) -> None:
    """Write a line into the trace file in force."""
    print(line, file=current_trace_files().stream())


RUN_HOOKS: Final = ("init", "pre_run", "post_run", "fini")
"""What a driver calls of passes around running them."""


class ModulePass(Pass):
    """A pass that sees the whole module."""

    @abstractmethod
    def transform_module(self, mod: Any, ctx: PassContext) -> Any:  # Any: as in Pass.run
        """Return the new module; ``mod`` itself when nothing changed."""

    def run(self, mod: Any, ctx: PassContext) -> Any:  # Any: as above
        return self.transform_module(mod, ctx)


class _MissingKind:
    """Stands where a function pass has not said which functions it takes."""

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise UndeclaredError(
            f"{owner.__name__} does not say which functions it takes; write takes = ..., a class "
            f"of nodes, in the class"
        )


class AnyFunctionPass(Pass):
    """A pass over each function of one kind in a module by itself.

    Each function is given with the module as it was before the pass, so that no function sees
    what became of its siblings. Definitions of other kinds, and functions that ask for it, are left
    alone.
    """

    takes: type[Node] = cast("type[Node]", _MissingKind())
    """The class of nodes, concrete or not, that the pass takes for functions."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "takes" in cls.__dict__:
            check_kind(cls.__dict__["takes"], cls.__name__)

    @abstractmethod
    def transform_function(
        self, func: Any, mod: Any, ctx: PassContext
    ) -> Any:  # Any: a node of the kind that the pass takes, a module of the class it is for
        """Return what becomes of ``func``; ``func`` itself when nothing changed."""

    def skips(self, func: Node) -> bool:  # noqa: ARG002 - for overriding
        """Return whether ``func``, of the kind that the pass takes, is left alone."""
        return False

    def run(self, mod: Any, ctx: PassContext) -> Any:  # Any: as in Pass.run
        takes = self.takes
        is_skipped = self.info.common.is_skipped
        changed: dict[Any, Node] = {}  # Any: what stands for names in the module
        for number, (key, func) in enumerate(mod.functions_of(takes).items(), start=1):
            if self.skips(func) or is_skipped(number):
                continue
            try:
                out = _check_function(self.transform_function(func, mod, ctx), takes, self.info)
            except BaseException as error:
                add_note(error, f"in function @{mod.name_of(key)}")
                raise
            if out is not func:
                changed[key] = out
        return mod.with_functions(changed)


FUNCTION_PASSES: Final[ClaimedTable[type[Node], type[AnyFunctionPass]]] = ClaimedTable(
    lambda family: f"the class of passes over {family.__name__} is registered already; it",
    "leave one out",
)
"""By the root of a family, as ``Expr`` is of Relay's, the class from which passes derive that are
made of functions of its expressions: one of function passes, which says what it takes."""


def function_pass_over(kind: type[Node]) -> type[AnyFunctionPass] | None:
    """Return the class registered for the family ``kind`` or the functions which that one takes."""
    for family, base in FUNCTION_PASSES.items():
        if kind in (family, base.takes):
            return base
    return None


def check_kind(kind: object, owner: str) -> type[Node]:
    """Return the kind of function that a pass takes.

    Raises:
        DeclarationError: If it is no class of nodes.
    """
    if not isinstance(kind, type) or not issubclass(kind, Node):
        raise DeclarationError(
            f"pass {owner} takes functions of one class of nodes; found {kind!r}"
        )
    return kind


def _should_run(instrument: PassInstrument, mod: AnyModule, info: PassInfo) -> bool:
    answer: object = instrument.should_run(mod, info)
    if not isinstance(answer, bool):
        raise PassError(
            f"should_run of {type(instrument).__name__} must return True or False; "
            f"found {answer!r} for pass {info.name}"
        )
    return answer


def _check_module(out: object, given: _M, info: PassInfo) -> _M:
    if not isinstance(out, type(given)):
        wanted = indefinite(type(given))
        raise PassError(f"pass {info.name} must return {wanted}; found {_brief(out)}")
    return out


def _check_read(read: object, given: _M, path: str) -> _M:
    if not isinstance(read, type(given)):
        raise PassError(f"expected {indefinite(type(given))} in {path}; found {_brief(read)}")
    return read


def _check_function(out: object, takes: type[Node], info: PassInfo) -> Node:
    if not isinstance(out, takes):
        raise PassError(f"pass {info.name} must return {indefinite(takes)}; found {_brief(out)}")
    return out


def _brief(out: object) -> str:
    return "None; is a return missing?" if out is None else indefinite(type(out))
