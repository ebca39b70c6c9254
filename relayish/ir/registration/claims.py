"""Claims of names: registering again replaces, where the same code registers the same name again.

A cell of a notebook is run a second time, a module is reloaded: what it registers takes the place
of what it registered before. Two modules, or two places of one, that claim one name are an error.
"""

from __future__ import annotations

import sys
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType, FunctionType
from typing import Generic, NamedTuple, TypeVar

from relayish._support.own import LIBRARY, is_own
from relayish.errors import DuplicateNameError
from relayish.ir.registration.declarations import watch_table

K = TypeVar("K")


class Claim(NamedTuple):
    """Who registers something: module and qualified name, and the line of code that does.

    The name is that of the function or class that is registered. For what has no name it is that of
    the function which registers it, or ``""`` at the top of a module.
    """

    module: str
    name: str
    code: CodeType
    line: int
    made: object
    """The function or class, ``None`` for what has no name."""
    registering: str
    """The module whose code registers it."""

    def __str__(self) -> str:
        return f"{self.module}.{self.name}" if self.name else f"{self.module}, line {self.line}"

    def repeats(self, other: Claim) -> bool:
        """Return whether this is the claim that ``other`` is, made anew.

        Two lines of one run of the same code do not repeat each other: they are two claims.
        """
        if (self.module, self.name) != (other.module, other.name):
            return False
        if self.made is not None and self.made is other.made:
            return True
        return self.code is not other.code or self.line == other.line


def claim_of(made: object = None) -> Claim:
    """Return the claim by which ``made``, a function, a class or some other value, is registered.

    A tuple is claimed by the first function in it.

    What registers it is the innermost code outside of the library, or at the top of a module of it.
    """
    if isinstance(made, tuple):
        made = next((each for each in made if isinstance(each, FunctionType)), made)
    frame = _find_registering_frame()
    registering = str(frame.f_globals.get("__name__"))
    module, name = getattr(made, "__module__", None), getattr(made, "__qualname__", None)
    if isinstance(module, str) and isinstance(name, str):
        return Claim(module, name, frame.f_code, frame.f_lineno, made, registering)
    name = "" if _is_top(frame) else frame.f_code.co_qualname
    return Claim(registering, name, frame.f_code, frame.f_lineno, None, registering)


def _find_registering_frame() -> FrameType:
    frame = sys._getframe(2)  # noqa: SLF001 - the way to learn who calls
    while frame.f_back is not None:
        if _is_top(frame) or not is_own(str(frame.f_globals.get("__name__"))):
            break
        frame = frame.f_back
    return frame


def _is_top(frame: FrameType) -> bool:
    """Return whether what runs is that of a module, or of a cell, and not that of a function."""
    return not frame.f_code.co_flags & CO_OPTIMIZED


class Claims(Generic[K]):
    """Who claims each name of a table, of whatever that is.

    Example:
        >>> claims: Claims[str] = Claims()
        >>> for taken in (False, True):
        ...     print(claims.enter("k", str, "the name 'k'", taken=taken, instead="choose another"))
        builtins.str
        builtins.str
        >>> claims.enter("k", int, "the name 'k'", taken=True, instead="choose another")
        Traceback (most recent call last):
        ...
        relayish.errors.DuplicateNameError: the name 'k' is claimed by builtins.str and by \
builtins.int; choose another
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[K, Claim] = {}
        watch_table(self._held, lambda context, claim: context.stays(claim.registering))

    def enter(
        self, key: K, made: object, what: str, *, taken: bool, instead: str, replace: bool = False
    ) -> Claim:
        """Note that ``made`` is registered under ``key``, and return by whom.

        Args:
            key: The name, or whatever the table is keyed by.
            made: What is registered, or the function or class that tells who registers it.
            what: What is claimed, for the error: ``"the name 'halve'"``.
            taken: Whether the table has an entry of that key.
            instead: What to do about it, for the error.
            replace: Take it from whoever has it.

        Raises:
            DuplicateNameError: If it is taken by another claim; names both.
        """
        claim = claim_of(made)
        held = self._held.get(key)
        if taken and not replace and (held is None or not claim.repeats(held)):
            whose, whom = LIBRARY if held is None else str(held), str(claim)
            if held is not None and whose == whom:
                whose, whom = f"{held} (line {held.line})", f"{claim} (line {claim.line})"
            raise DuplicateNameError(f"{what} is claimed by {whose} and by {whom}; {instead}")
        self._held[key] = claim
        return claim

    def module_of(self, key: K) -> str | None:
        """Return the module whose code claims ``key``, if one does."""
        held = self._held.get(key)
        return None if held is None else held.registering
