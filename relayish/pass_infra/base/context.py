"""The pass context: what surrounds the running of passes."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Final, NamedTuple, Never, NoReturn, Self

from pyrsistent import PMap

from relayish._support.display import repr_mimebundle
from relayish.errors import ConfigError, FrozenNodeError, IgnoredNameWarning, PassError, suggest
from relayish.pass_infra.base import config as configuration
from relayish.pass_infra.base.config import ConfigDescription, check_config, config_default
from relayish.pass_infra.base.info import PassInfo, current_name, is_made, short_name
from relayish.pass_infra.base.instrument import PassInstrument


class PassContext:
    """Level, passes required and disabled, instruments and options under which passes run.

    A context is entered with ``with``. Contexts nest; an inner one takes nothing from the outer.
    Each thread and each task has its own nesting (a task starts with that of its creator), and
    one context object may be entered many times, at once too: it never changes.

    Args:
        opt_level: A ``Sequential`` runs the passes of this level and below.
        required_pass: Names of passes a ``Sequential`` runs whatever their level, and that no
            instrument can skip.
        disabled_pass: Names of passes a ``Sequential`` does not run, unless another requires them.
        instruments: Called around passes, in this order.
        config: Values of registered options.

    Raises:
        ConfigError: If an argument is of the wrong type, or an option unknown.

    Warns:
        IgnoredNameWarning: If there is no pass of a name that is required or disabled.

    Example:
        >>> with PassContext(opt_level=3, disabled_pass=["FoldConstant"]) as ctx:
        ...     PassContext.current() is ctx
        True
        >>> PassContext.current().opt_level
        2
    """

    __slots__ = ("_instruments", "config", "disabled_pass", "opt_level", "required_pass")

    opt_level: int
    required_pass: tuple[str, ...]
    disabled_pass: tuple[str, ...]
    config: PMap[str, object]
    _instruments: tuple[PassInstrument, ...]
    _repr_mimebundle_ = repr_mimebundle

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[PassInstrument] | None = None,
        config: Mapping[str, object] | None = None,
        **unknown: Never,
    ) -> None:
        for name in unknown:
            raise ConfigError(_describe_unknown_argument(name))
        if type(opt_level) is not int or opt_level < 0:
            raise ConfigError(f"opt_level must be a whole number from 0; found {opt_level!r}")
        if config is not None and not isinstance(config, Mapping):
            raise ConfigError(f"config must be a mapping from names to values; found {config!r}")
        write = object.__setattr__
        write(self, "opt_level", opt_level)
        write(self, "required_pass", _check_names("required_pass", required_pass))
        write(self, "disabled_pass", _check_names("disabled_pass", disabled_pass))
        write(self, "_instruments", _check_instruments(instruments))
        write(self, "config", check_config(config or {}))
        for what in ("required_pass", "disabled_pass"):
            for name in getattr(self, what):
                _warn_of_unknown(what, name)

    @staticmethod
    def current() -> PassContext:
        """Return the innermost context entered here, or the default one (level 2)."""
        frame = _FRAME.get()
        return _DEFAULT if frame is None else frame.ctx

    @staticmethod
    def list_configs() -> dict[str, ConfigDescription]:
        """Return every registered option: its type, default and description."""
        return configuration.list_configs()

    @property
    def instruments(self) -> tuple[PassInstrument, ...]:
        """The instruments in force: those given, or what :meth:`override_instruments` put there."""
        frame = _FRAME.get()
        while frame is not None:
            if frame.ctx is self:
                return frame.instruments
            frame = frame.outer
        return self._instruments

    def get_config(self, name: str) -> object:
        """Return the value of an option, or its registered default.

        Raises:
            ConfigError: If no such option is registered.
        """
        return self.config[name] if name in self.config else config_default(name)

    def is_required(self, name: str) -> bool:
        """Return whether the pass ``name`` is among ``required_pass``."""
        return short_name(name) in self.required_pass

    def pass_enabled(self, info: PassInfo) -> bool:
        """Return whether a ``Sequential`` runs this pass under this context."""
        name = short_name(info.name)
        if name in self.disabled_pass:
            return False
        return name in self.required_pass or self.opt_level >= info.opt_level

    def with_level(self, opt_level: int) -> PassContext:
        """Return this context at another level; itself at its own.

        The instruments are those in force here. To run passes under it without entering them a
        second time, use :func:`resume`.
        """
        if opt_level == self.opt_level:
            return self
        return PassContext(
            opt_level, self.required_pass, self.disabled_pass, self.instruments, self.config
        )

    def override_instruments(self, instruments: Sequence[PassInstrument] | None) -> None:
        """Exit the instruments in force and enter these, until the context is left.

        Raises:
            PassError: If this is not the current context.
        """
        if PassContext.current() is not self:
            raise PassError("only the instruments of the current pass context can be overridden")
        entering = _check_instruments(instruments)
        frame = _FRAME.get()
        outer = None if frame is None else frame.outer
        leaving = self.instruments
        # until all are entered none is in force: an exception on the way leaves the context clean
        _FRAME.set(_Frame(self, (), outer))
        _exit_all(leaving)
        _enter_all(entering)
        _FRAME.set(_Frame(self, entering, outer))

    def __enter__(self) -> Self:
        _enter_all(self._instruments)
        _FRAME.set(_Frame(self, self._instruments, _FRAME.get()))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        frame = _FRAME.get()
        if frame is None or frame.ctx is not self:
            raise PassError(
                "a pass context is left that is not the current one; "
                "leave contexts in the reverse order of entering, in the same thread or task"
            )
        _FRAME.set(frame.outer)
        _exit_all(frame.instruments)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(
            f"cannot assign PassContext.{name}: pass contexts are immutable; build another"
        )

    def __copy__(self) -> Self:
        return self  # it never changes

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        copied = object.__new__(type(self))
        memo[id(self)] = copied  # an instrument may hold the context that it is in
        copied.__setstate__({**self._state(), **copy.deepcopy(self._own_state(), memo)})
        return copied

    def _state(self) -> dict[str, object]:
        """Return what never changes, and so is shared by copies."""
        return {name: getattr(self, name) for name in PassContext.__slots__}

    def _own_state(self) -> dict[str, object]:
        """Return what may change: instruments, and what a derived class holds."""
        return {"_instruments": self._instruments, **getattr(self, "__dict__", {})}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        """Give what a worker process makes the context of: without instruments that stay here."""
        state = {**self._state(), **self._own_state()}
        state["_instruments"] = tuple([each for each in self._instruments if _can_leave(each)])
        return object.__new__, (type(self),), state

    def __repr__(self) -> str:
        return (
            f"PassContext(opt_level={self.opt_level}, required_pass={self.required_pass!r}, "
            f"disabled_pass={self.disabled_pass!r}, instruments={self.instruments!r}, "
            f"config={dict(self.config)!r})"
        )


@contextmanager
def resume(ctx: PassContext) -> Iterator[PassContext]:
    """Make ``ctx`` the current context, its instruments having been entered already."""
    before = _FRAME.get()
    _FRAME.set(_Frame(ctx, ctx.instruments, before))
    try:
        yield ctx
    finally:
        _FRAME.set(before)


class _Frame(NamedTuple):
    """One entered context; which instruments are in force belongs to the entering."""

    ctx: PassContext
    instruments: tuple[PassInstrument, ...]
    outer: _Frame | None


_FRAME: Final[ContextVar[_Frame | None]] = ContextVar("relayish_pass_context", default=None)
"""The innermost; those around it are found from there."""


def _enter_all(instruments: tuple[PassInstrument, ...]) -> None:
    entered: list[PassInstrument] = []
    try:
        for instrument in instruments:
            instrument.enter_pass_ctx()
            entered.append(instrument)
    except BaseException:
        _exit_all(reversed(entered))
        raise


def _exit_all(instruments: Iterable[PassInstrument]) -> None:
    for instrument in instruments:
        instrument.exit_pass_ctx()


def _can_leave(instrument: PassInstrument) -> bool:
    """Return whether an instrument can be pickled; say so if it cannot.

    One that holds a context is asked with all that this holds, once.
    """
    if _ASKING.get():
        return True
    asking = _ASKING.set(True)
    try:
        pickle.dumps(instrument)
    except Exception as reason:  # noqa: BLE001 - whatever its class raises
        warnings.warn(
            f"the pass context is pickled without the instrument {instrument!r}: {reason}",
            RuntimeWarning,
            stacklevel=4,
        )
        return False
    finally:
        _ASKING.reset(asking)
    return True


_ASKING: Final[ContextVar[bool]] = ContextVar("relayish_asking_instruments", default=False)


def _check_names(what: str, names: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(names, str):
        raise ConfigError(
            f"{what} must be a sequence of names; found the str {names!r}; write ({names!r},)"
        )
    given: object = () if names is None else names  # still to be checked
    if not isinstance(given, Iterable):
        raise ConfigError(f"{what} must be a sequence of names; found {given!r}")
    checked: list[str] = []
    for name in given:
        if not isinstance(name, str):
            raise ConfigError(f"{what} must hold names of passes; found {name!r}")
        checked.append(current_name(name))
    return tuple(checked)


def _describe_unknown_argument(name: str) -> str:
    if name == "trace":
        return (
            "PassContext has no argument 'trace'; pass instruments=[...], whose run_before_pass "
            "and run_after_pass are given what a trace function was: see @pass_instrument"
        )
    known = ("opt_level", "required_pass", "disabled_pass", "instruments", "config")
    return (
        f"PassContext has no argument {name!r}{suggest(name, known)}; it has {', '.join(known)}, "
        f"and options of passes belong into config={{...}}"
    )


class _Names(NamedTuple):
    """What is asked whether a pass of some name exists, and which ones do."""

    is_known: Callable[[str], bool]
    known: Callable[[], Iterable[str]]


_NAMES: Final[list[_Names]] = []


def add_pass_names(is_known: Callable[[str], bool], known: Callable[[], Iterable[str]]) -> None:
    """Let contexts know of a place where passes are found by name, so that they warn of others."""
    _NAMES.append(_Names(is_known, known))


def _warn_of_unknown(what: str, name: str) -> None:
    if is_made(name) or not _NAMES or any(names.is_known(name) for names in _NAMES):
        return
    near = suggest(name, [known for names in _NAMES for known in names.known()])
    warnings.warn(
        f"PassContext: {what} names {name!r}, and there is no such pass{near}",
        IgnoredNameWarning,
        stacklevel=3,
    )


def _check_instruments(
    instruments: Sequence[PassInstrument] | None,
) -> tuple[PassInstrument, ...]:
    given: object = () if instruments is None else instruments  # still to be checked
    if not isinstance(given, Iterable):
        raise ConfigError(f"instruments must be a sequence; found {given!r}; write [...] around it")
    checked = tuple(given)
    for instrument in checked:
        if not isinstance(instrument, PassInstrument):
            made = isinstance(instrument, type) and issubclass(instrument, PassInstrument)
            raise ConfigError(
                f"instruments must be instances of PassInstrument; found {instrument!r}; "
                + ("call it, to make one" if made else "decorate its class with @pass_instrument")
            )
    return checked


_DEFAULT: Final = PassContext()
