"""Instruments: code that runs around passes.

The order is Relay's. Entering a context calls ``enter_pass_ctx`` of its instruments in order; a
pass asks ``should_run`` of all of them (all are asked, whatever the first says), then calls
``run_before_pass`` of all, the pass, ``run_after_pass`` of all; leaving the context calls
``exit_pass_ctx`` in order. A pass in ``required_pass`` is not asked whether it should run.

Exceptions: one in ``enter_pass_ctx`` makes the instruments already entered exit in reverse order,
and the context is not entered; one in ``exit_pass_ctx`` skips the exits that remain, and the
context is left all the same; one in ``should_run``, ``run_before_pass``, the pass or
``run_after_pass`` skips what would have followed for this pass, and leaving the context still
calls every ``exit_pass_ctx``. Each goes on to the caller.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, Final

from relayish._support.display import repr_mimebundle
from relayish.errors import DeclarationError
from relayish.pass_infra.base.info import PassInfo

HOOKS: Final = (
    "enter_pass_ctx",
    "exit_pass_ctx",
    "should_run",
    "run_before_pass",
    "run_after_pass",
    "run_on_failure",
)


class PassInstrument:
    """The base of instruments: every hook does nothing, and every pass should run.

    Hooks are given modules of the class that the passes work on, which a subclass may name.

    Example:
        >>> class Names(PassInstrument):
        ...     def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        ...         print(info.name)
    """

    _repr_mimebundle_ = repr_mimebundle

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _check_hook_names(cls)

    def enter_pass_ctx(self) -> None:
        """Run when the context that holds this instrument is about to be entered."""

    def exit_pass_ctx(self) -> None:
        """Run when the context that holds this instrument has been left."""

    # Any in these: a module, of the class that a subclass names

    def should_run(self, mod: Any, info: PassInfo) -> bool:  # noqa: ARG002 - for overriding
        """Return whether the pass is to run; one ``False`` is enough to skip it."""
        return True

    def run_before_pass(self, mod: Any, info: PassInfo) -> None:
        """Run before a pass, with the module it is given."""

    def run_after_pass(self, mod: Any, info: PassInfo) -> None:
        """Run after a pass, with the module it returned."""

    def run_on_failure(self, mod: Any, info: PassInfo, error: BaseException) -> None:
        """Run when a pass raised, with the module it was given; ``error`` then goes on."""


def pass_instrument(instrument_class: type | None = None) -> Any:  # Any: used with or without ()
    """Make any class that defines some of the hooks an instrument class.

    An instance holds an instance of the original class; attributes it does not have itself are
    looked up there.

    Raises:
        DeclarationError: If the class defines no hook, or one that is misspelt.
    """
    if instrument_class is None:
        return pass_instrument
    if issubclass(instrument_class, PassInstrument):
        return instrument_class
    _check_hook_names(instrument_class)
    hooks = [name for name in HOOKS if hasattr(instrument_class, name)]
    if not hooks:
        raise DeclarationError(
            f"{instrument_class.__name__} defines none of the hooks of an instrument; "
            f"there are {', '.join(HOOKS)}"
        )
    return _wrap(instrument_class, hooks)


def _wrap(instrument_class: type, hooks: list[str]) -> type[PassInstrument]:
    class Wrapper(PassInstrument):
        # Any: whatever the constructor of the decorated class takes
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self._instance = instrument_class(*args, **kwargs)

        def __getattr__(self, name: str) -> Any:  # Any: an attribute of the decorated class
            if name == "_instance":  # not there yet: copying and unpickling ask before filling
                raise AttributeError(name)
            return getattr(self._instance, name)

    for name in hooks:
        setattr(Wrapper, name, _make_forwarding_hook(name))
    Wrapper.__name__ = instrument_class.__name__
    Wrapper.__qualname__ = instrument_class.__qualname__
    Wrapper.__module__ = instrument_class.__module__
    Wrapper.__doc__ = instrument_class.__doc__
    return Wrapper


def _make_forwarding_hook(name: str) -> Callable[..., Any]:  # Any: what the hook returns
    """Return the hook ``name`` of a wrapper: that of what it holds, unless a subclass has one."""

    def hook(self: Any, *args: Any) -> Any:  # Any: a wrapper, and what the hook takes and returns
        return getattr(self._instance, name)(*args)

    return hook


def _check_hook_names(cls: type) -> None:
    """Refuse a method whose name is nearly that of a hook: it would silently never be called."""
    for name in vars(cls):
        if name in HOOKS or name.startswith("__"):
            continue  # comparing names takes longer than all else about a class
        near = difflib.get_close_matches(name, HOOKS, n=1, cutoff=0.85)
        if near:
            raise DeclarationError(
                f"{cls.__name__}.{name} is no hook of an instrument; did you mean {near[0]}?"
            )
