"""Functions of other languages that core calls by name, or by address: functions of values."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final, Protocol

import numpy as np

from relayish._support import hooks
from relayish.core.interpreter.memory import Aggregate, Pointed
from relayish.core.interpreter.numbers import form_of
from relayish.core.ir.family import Definition
from relayish.core.ir.type import Type
from relayish.errors import EndlessRecursionError, TypeConfusionError, UnsupportedError
from relayish.ir.kinds.callables import CALLABLES, Callee
from relayish.ir.modules.module import AnyModule

MOST_NESTED: Final = 1_000
"""How many calls of other languages by core nest: each starts an interpreter of its own."""

_NESTED: Final[ContextVar[int]] = ContextVar("relayish_foreign_calls", default=0)


class Addresses(Protocol):
    """What addresses point to."""

    def at(self, address: int, what: str = "memory") -> Pointed:
        """Return what an address points to."""


class Values(Protocol):
    """A machine, which knows what values are outside of it."""

    @property
    def memory(self) -> Addresses:
        """What addresses point to."""

    def take_in(self, given: Any, held: Type, what: str) -> Any:  # Any: from outside; as machines
        """Return what is given, as a value of type ``held``."""

    def hand_out(self, value: Any, held: Type) -> Any:  # Any: as above
        """Return a value as those outside have it."""

    def show(self, piece: Any, offset: int, held: Type) -> Any:  # Any: as above
        """Return what is at a place in memory, as ``hand_out`` does."""


class ForeignFunctions:
    """The definitions of a module that are of other languages, as functions that core calls.

    Numbers are given as numpy's, arrays at addresses as copies. What a function gives is what its
    type in core says: a number, or an array by value.
    """

    def __init__(self, machine: Values, mod: AnyModule) -> None:
        self._machine = machine
        self._mod = mod
        self._callees: dict[str, Callee] = {}

    def has(self, name: str) -> bool:
        """Return whether a name stands for a definition of another language that can be called."""
        if name in self._callees:
            return True
        if name not in self._mod or isinstance(self._mod[name], Definition):
            return False
        hooks.load_handlers("evaluate")
        return CALLABLES.knows(type(self._mod[name]))

    def call(self, name: str, held: Type, args: list[Any]) -> Any:  # Any: as machines have them
        """Return what a function gives, as a value of the result of ``held``, its type in core.

        Raises:
            EndlessRecursionError: If functions of two languages call one another without end.
            TypeConfusionError: If it is given, or gives, something else than its type says.
            UnsupportedError: If nothing says how large an array at an address is.
        """
        callee = self._callees.get(name)
        if callee is None:
            definition = self._mod[name]
            callee = CALLABLES[type(definition)].make(definition, name, self._mod)
            self._callees[name] = callee
        if len(args) != len(held.params):
            raise TypeConfusionError(
                f"@{name} is called as {held}, and is given {len(args)} arguments"
            )
        given = [
            self._as_given(name, arg, each) for arg, each in zip(args, held.params, strict=True)
        ]
        nested = _NESTED.get()
        if nested >= MOST_NESTED:
            raise EndlessRecursionError(
                f"@{name} is called by core within {nested:,} calls from one language to another; "
                f"expected no more: is there one that ends?"
            )
        token = _NESTED.set(nested + 1)
        try:
            found = callee(*given)
        finally:
            _NESTED.reset(token)
        if held.result.is_void:
            return None
        if held.result.is_array and not isinstance(found, np.ndarray):
            found = np.asarray(found)
        return self._machine.take_in(found, held.result, f"the result of @{name}")

    def _as_given(self, name: str, value: Any, held: Type) -> Any:  # Any: as above
        if held.is_pointer:
            if not held.pointee.is_array:
                raise UnsupportedError(
                    f"@{name} is given an address of type {held}, and what is there is to be given "
                    f"as an array; expected a type that says how large it is: "
                    f"'{held.pointee}[4]*'"
                )
            piece, offset = self._machine.memory.at(value)
            return self._machine.show(piece, offset, held.pointee)
        if form_of(held) is None and not held.is_array:
            raise UnsupportedError(
                f"@{name} is given a value of type {held}; expected numbers and arrays"
            )
        assert form_of(held) is not None or isinstance(value, Aggregate)
        return self._machine.hand_out(value, held)
