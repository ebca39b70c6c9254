"""Finding the pass that breaks a program."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Final

from relayish._support.per_thread import PerThread
from relayish.errors import CheckError, DeclarationError, RelayishError, UnknownNameError
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.composition.check import get_check, run_check

USUAL_CHECKS: Final = ("well_formed", "well_typed")


class VerifyInstrument(PassInstrument):
    """Check the program before the first pass and after every one, and say which broke it.

    Beside the checks given, what a pass names in ``requires`` is checked before it and what it
    names in ``ensures`` after it. A module that was checked is not checked again, so that a
    pass that changes nothing costs nothing.

    Args:
        checks: Names of registered checks.

    Raises:
        CheckError: From the hooks. Its ``check`` is the name of the check that failed, and
            ``pass_name`` that of the pass whose result fails it, or which requires it; ``""`` if
            the program was at fault already before the pass. Its cause is what the check had to
            say.
        UnknownNameError: From the hooks, if a check is not registered; a note names the pass.

    Example:
        >>> from relayish.pass_infra import PassContext, create_module_pass
        >>> from relayish.ir.relay.expr import Function, Let, Var
        >>> x, y = Var("x"), Var("y")
        >>> wrong = IRModule({"main": Function((x,), Let(x, y, x))})
        >>> break_it = create_module_pass(lambda mod, ctx: wrong, 0, "BreakIt")
        >>> with PassContext(instruments=[VerifyInstrument(["well_formed"])]):
        ...     break_it(IRModule())
        Traceback (most recent call last):
        ...
        relayish.errors.CheckError: pass BreakIt broke the check well_formed: variable %x is bound \
twice: by a Function (fn (%x) {...}) and by a Let (let %x = %y; ...); a variable is bound once, \
use a new Var for the second
        in the definition of @main
    """

    def __init__(self, checks: Sequence[str] = USUAL_CHECKS) -> None:
        if isinstance(checks, str):
            raise DeclarationError(
                f"checks must be a sequence of names; found the str {checks!r}; write ({checks!r},)"
            )
        self.checks = tuple(checks)
        self._state = _State()

    def enter_pass_ctx(self) -> None:
        self._state.clear()

    def forget_last(self) -> None:
        """Name no pass as the last that ran; what held of a module holds."""
        self._state.last = ""

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        last = self._state.last
        so_far = f"{last} was the last pass that ran" if last else "no pass ran before it"
        for name in self.checks:
            said = f"the program fails the check {name} already before pass {info.name} ({so_far})"
            self._check(name, mod, info, said, blamed="")
        for name in info.requires:
            said = f"pass {info.name} requires the check {name}, which fails before it ({so_far})"
            self._check(name, mod, info, said, blamed=info.name)

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:
        for name in self.checks:
            self._check(name, mod, info, f"pass {info.name} broke the check {name}")
        for name in info.ensures:
            said = f"pass {info.name} ensures the check {name}, which fails after it"
            self._check(name, mod, info, said)
        self._state.last = info.name

    def _check(
        self, name: str, mod: AnyModule, info: PassInfo, said: str, blamed: str | None = None
    ) -> None:
        """Run a check unless it held of this very module; ``said`` begins the error."""
        if self._state.has_passed(name, mod):
            return
        try:
            get_check(name)
        except UnknownNameError as error:
            error.add_note(f"named for pass {info.name}")
            raise
        try:
            run_check(name, mod)
        except RelayishError as error:
            pass_name = info.name if blamed is None else blamed
            verdict = CheckError(f"{said}: {error}", name, pass_name)
            for note in getattr(error, "__notes__", [])[:-1]:  # the last names the check again
                verdict.add_note(note)
            raise verdict from error
        self._state.note(name, mod)


class _State(PerThread):
    """What is known of the last module that was checked, of each thread its own."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.last = ""
        self._mod: weakref.ref[AnyModule] | None = None
        self._held: set[str] = set()

    def has_passed(self, name: str, mod: AnyModule) -> bool:
        """Return whether this very module has passed the check."""
        return self._is_last(mod) and name in self._held

    def note(self, name: str, mod: AnyModule) -> None:
        """Note that ``mod`` passed the check."""
        if not self._is_last(mod):
            self._mod, self._held = weakref.ref(mod), set()
        self._held.add(name)

    def _is_last(self, mod: AnyModule) -> bool:
        return self._mod is not None and self._mod() is mod
