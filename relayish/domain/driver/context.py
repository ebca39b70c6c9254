"""Driver contexts: what a whole run is told, and what its passes and their contexts share."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TextIO, TypeVar

from relayish._support import hooks
from relayish.domain.driver.command_line import CommandLine, OptionGroup, ValueForm
from relayish.domain.driver.config import FORMS, GLOBAL_NAMES, GlobalConfig
from relayish.errors import IgnoredNameWarning, OptionError, PassError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.base.trace import TraceFiles, current_trace_files
from relayish.pass_infra.composition.pass_config import own_options
from relayish.pass_infra.composition.registry import REGISTRY, PassEntry
from relayish.pass_infra.composition.sequential import Sequential
from relayish.pass_infra.instruments.marks import TimingMarks
from relayish.registry.option import PassOption, field_options

S = TypeVar("S", bound=Sequential)


class DriverCtx:
    """Options of a run and of its passes, trace files, timing marks, the program.

    Entered with ``with``, it is the current one, to be had by :meth:`current` from wherever passes
    run; outside of all, that is one with the defaults, which traces to standard output. It is no
    second :class:`PassContext`: passes run under the one that is current, at the level asked for
    here (:meth:`pass_context`), with the options asked for here (:meth:`configure`).

    Args:
        config: Options of the run.
        options: Options of passes and groups, by name and option, as :meth:`parse_options` reads
            them.
        trace: Where what is traced goes, as for :class:`TraceFiles`.
        input: The file that the program comes from; files that passes write begin with its stem.

    Source:
        AIR ``DRIVER_CTX``.

    Example:
        >>> with DriverCtx(GlobalConfig(opt_level=3)) as ctx:
        ...     DriverCtx.current() is ctx, ctx.pass_context().opt_level
        (True, 3)
        >>> DriverCtx.current().config.opt_level is None
        True
    """

    def __init__(
        self,
        config: GlobalConfig | None = None,
        options: Mapping[str, Mapping[str, object]] | None = None,
        *,
        trace: TraceFiles | TextIO | str | Path | None = None,
        input: str = "",  # noqa: A002 - the word for it
    ) -> None:
        self.config = GlobalConfig() if config is None else config
        self.options = {name: dict(given) for name, given in (options or {}).items()}
        self.values: dict[str, object] = {}
        """Values of options of the top level that others registered."""
        self.input = input
        stem = input or "program"
        self.files = trace if isinstance(trace, TraceFiles) else TraceFiles(stem, trace)
        self.timing = TimingMarks()
        self.module: AnyModule | None = None
        """The program, as the last pass that ran left it."""
        self.line = CommandLine(_group_of_pass, _names_of_passes)
        self.line.register(field_options(GlobalConfig), FORMS)

    @staticmethod
    def current() -> DriverCtx:
        """Return the innermost context entered here, or the default one."""
        return _innermost() or _DEFAULT

    @staticmethod
    def default() -> DriverCtx:
        """Return the context outside of all, which has the defaults."""
        return _DEFAULT

    def register_options(
        self, options: Sequence[PassOption], forms: Mapping[str, ValueForm] | None = None
    ) -> None:
        """Add options of the top level; what they are set to is in :attr:`values`.

        Raises:
            DuplicateNameError: If a name or abbreviation is taken; says by which option.
        """
        self.line.register(options, forms)
        self.values |= {option.name: option.default for option in options}

    def register_group(self, name: str, config: type, description: str = "") -> None:
        """Add the group ``-name:option=value``, whose options are the fields of a dataclass.

        Passes are groups already.

        Raises:
            DuplicateNameError: If there is a group, or a pass, of that name.
        """
        self.line.register_group(OptionGroup(name, field_options(config), description))

    def group_config(self, name: str, config: type[Any]) -> Any:  # Any: of the class given
        """Return what the options of a group are set to, as an object of its class."""
        return config(**self.options.get(name, {}))

    def parse_options(self, words: Sequence[str]) -> tuple[str, ...]:
        """Read options from the words of a command line; return the words that are none: files.

        The first of these is the input. What is given again counts in place of what was given
        before.

        Raises:
            OptionError: If there is no word, an option is unknown, or a value does not fit.
        """
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise OptionError(
                f"the words of a command line are a list of strings; found {show_found(words)}; "
                f"split a line by shlex.split"
            )
        given = self.line.parse(words)
        own = {name: value for name, value in given.values.items() if name in GLOBAL_NAMES}
        self.config = dataclasses.replace(self.config, **own)  # type: ignore[arg-type]
        self.values |= {name: v for name, v in given.values.items() if name not in GLOBAL_NAMES}
        for name, options in given.groups.items():
            self.options.setdefault(name, {}).update(options)
        if given.files and not self.input:
            self.input = self.files.stem = given.files[0]
        return tuple(given.files)

    def pass_context(self) -> PassContext:
        """Return the context that passes run under: the current one, at the level asked for."""
        ctx, level = PassContext.current(), self.config.opt_level
        return ctx if level is None else ctx.with_level(level)

    def configure(self, pass_: Pass) -> Pass:
        """Return a pass with the options that are asked of it here; the pass itself if none are.

        Options of the command line count before those that the pass was made with.

        Raises:
            OptionError: If options of its own are asked of a pass of which they cannot be told.
        """
        name = pass_.info.name
        asked = self.config.asked_of(name) | self.options.get(name, {})
        if not asked:
            return pass_
        entry = REGISTRY.find(name)
        options = () if entry is None else entry.options
        own = {o.name: asked.pop(o.name) for o in options if o.name in asked}
        made = pass_ if entry is None or not own else _remake(pass_, entry, own)
        return made.with_common(**asked) if asked else made

    def configure_inside(self, pipeline: S) -> S:
        """Return a pipeline inside the one that is driven with the options that are given for it.

        What is asked of all passes is asked of those in it, and not of the whole.
        """
        asked = self.options.get(pipeline.info.name, {})
        return pipeline.with_common(**asked) if asked else pipeline

    def trace_file(self, name: str, path: str | Path | None = None) -> Path:
        """Return the path of the trace file ``name``, as :meth:`TraceFiles.register` does."""
        return self._files_in_force().register(name, path)

    def trace_stream(self, name: str = "") -> TextIO:
        """Return where to write what is traced into a file; ``""`` is the standard one."""
        return self._files_in_force().stream(name)

    def _files_in_force(self) -> TraceFiles:
        return current_trace_files() if self is _DEFAULT else self.files

    def warn(self, message: str) -> None:
        """Warn of options that have no effect.

        Warns:
            IgnoredNameWarning: A context of a command tells it otherwise.
        """
        warnings.warn(message, IgnoredNameWarning, stacklevel=2)

    def __enter__(self) -> Self:
        self.files.__enter__()
        _ENTERED.set((*_ENTERED.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        entered = _ENTERED.get()
        if not entered or entered[-1] is not self:
            raise PassError(
                "a driver context is left that is not the current one; leave contexts in the "
                "reverse order of entering, in the same thread or task"
            )
        _ENTERED.set(entered[:-1])
        self.files.__exit__(kind, error, traceback)


def _group_of_pass(name: str) -> OptionGroup | None:
    entry = REGISTRY.find(name)
    if entry is None:
        return None
    return OptionGroup(entry.name, (*entry.options, *entry.common), entry.info.description)


def _names_of_passes() -> list[str]:
    return [entry.name for entry in REGISTRY.entries()]


def _remake(pass_: Pass, entry: PassEntry, asked: dict[str, object]) -> Pass:
    """Return a pass made anew, with other values of some of its options."""
    held = own_options(pass_, entry)
    if held is None:
        raise OptionError(
            f"pass {entry.name} does not tell its options, so {', '.join(asked)} cannot be set on "
            f"the command line; write them in the pipeline: {entry.name}{{...}}"
        )
    return entry.build({**held, **asked}).with_info(pass_.info)


_ENTERED: Final[ContextVar[tuple[DriverCtx, ...]]] = ContextVar("driver_contexts", default=())
_DEFAULT: Final = DriverCtx()


def _innermost() -> DriverCtx | None:
    entered = _ENTERED.get()
    return entered[-1] if entered else None


hooks.current_driver = _innermost
