"""Checks of a module, by name: what a pass may say holds before it and after it.

A check is a function of a module that raises a :class:`~relayish.errors.RelayishError` which says
what is wrong, and returns nothing. Passes name checks in ``requires`` and ``ensures``;
:class:`~relayish.pass_infra.instruments.verify.VerifyInstrument` and ``relayish check`` run them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from relayish.errors import CheckError, DeclarationError, UnknownNameError, add_note, suggest
from relayish.ir.modules.module import AnyModule
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.pass_infra.composition.registry import REGISTRY


class Check(Protocol):
    """A check of a module, which raises an error that says what is wrong."""

    def __call__(self, mod: Any, /) -> None:  # Any: a module of the class that the check is for
        """Raise a :class:`~relayish.errors.RelayishError` where the check does not hold."""


_Made = TypeVar("_Made", bound=Callable[[Any], Any])  # Any: as above; what it returns is looked at

_CHECKS: Final[ClaimedTable[str, Check]] = ClaimedTable(
    lambda name: f"the name {name} of a check",
    "rename one, or replace the first with register_check(..., replace=True)",
)


def register_check(name: str, *, replace: bool = False) -> Callable[[_Made], _Made]:
    """Make a function of a module the check ``name``.

    Raises:
        DeclarationError: If the name is empty, or what is decorated cannot be called.
        DuplicateNameError: If somebody else claims the name and ``replace`` is false; names both.

    Example:
        >>> @register_check("has_main", replace=True)
        ... def check_main(mod):
        ...     "There is a function @main."
        ...     mod.get_global_var("main")
        >>> from relayish.ir.relay.module import IRModule
        >>> run_check("has_main", IRModule())
        Traceback (most recent call last):
        ...
        relayish.errors.UnknownNameError: the module defines no function @main
        in check has_main
    """
    named: object = name  # still to be checked
    if not isinstance(named, str) or not named:
        raise DeclarationError(
            f"a check needs a name; found {name!r}; write @register_check('what_holds')"
        )

    def declare(made: _Made) -> _Made:
        if not callable(made):
            raise DeclarationError(f"check {name} must be a function of a module; found {made!r}")
        _CHECKS.register(name, made, replace=replace)
        return made

    return declare


def get_check(name: str) -> Check:
    """Return the check ``name``.

    One that is not known yet is looked for where passes come from, those of installed
    distributions included.

    Raises:
        UnknownNameError: If there is none.
    """
    for load in (lambda: None, lambda: REGISTRY.load_for(name), REGISTRY.entries):
        load()
        found = _CHECKS.get(name)
        if found is not None:
            return found
    raise UnknownNameError(
        f"no check {name!r} is registered{suggest(str(name), _CHECKS)}; "
        f"relayish.transform.list_checks() lists all there are"
    )


def list_checks() -> tuple[str, ...]:
    """Return the names of all checks, sorted; looks wherever passes come from."""
    REGISTRY.entries()
    return tuple(sorted(_CHECKS))


def run_check(name: str, mod: AnyModule) -> None:
    """Raise what the check ``name`` has to say against ``mod``.

    Raises:
        RelayishError: As the check does; a note names the check.
        UnknownNameError: If there is no such check.
        CheckError: If the check returns something, as one would that answers yes or no.
    """
    check: Callable[[AnyModule], object] = get_check(name)
    try:
        answer = check(mod)
    except Exception as error:
        add_note(error, f"in check {name}")
        raise
    if answer is not None:
        raise CheckError(
            f"check {name} must raise an error or return None; found {answer!r}; "
            f"raise a CheckError that says what is wrong where it would return False",
            check=name,
        )
