"""Functions of other languages that loops call: functions of values, which give what is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relayish._support import hooks
from relayish.errors import EndlessRecursionError, TypeConfusionError, UnsupportedError
from relayish.ir.kinds.callables import CALLABLES, Callee
from relayish.ir.kinds.one_line import describe
from relayish.ir.modules.module import AnyModule
from relayish.tir.interpreter.memory import Array
from relayish.tir.interpreter.numbers import hand_out
from relayish.tir.ir.type import Type


class ForeignFunction:
    """A definition of another language, which loops call by its name in the module."""

    def __init__(self, name: str, mod: AnyModule) -> None:
        self.name = name
        self._mod = mod

    def applied_to(self, types: Sequence[Type]) -> Callable[..., None]:
        """Return what calls it: with what is read, of these types, then with what it fills.

        Raises:
            UnsupportedError: If its language does not say what calling it does.
        """
        hooks.load_handlers("evaluate")
        definition = self._mod[self.name]
        kind = type(definition)
        if not CALLABLES.knows(kind):
            raise UnsupportedError(
                f"@{self.name} is of another language, which is not evaluated here; found "
                f"{describe(definition)}; say what calling it does: "
                f"relayish.domain.CALLABLES.register({kind.__name__}, ...)"
            )
        callee: Callee = CALLABLES[kind].make(definition, self.name, self._mod)

        def call(*args: Any) -> None:  # Any: numbers and arrays
            values = [
                arg.copy() if isinstance(arg, np.ndarray) else hand_out(arg, of)
                for arg, of in zip(args, types, strict=False)
            ]
            try:
                found = callee(*values)
            except RecursionError as error:
                if isinstance(error, EndlessRecursionError):
                    raise
                raise EndlessRecursionError(
                    f"@{self.name} is called by loops, and calls of one language by another nest "
                    f"deeper than Python's stack; is there one that ends?"
                ) from error
            self._fill(args[len(types) :], found)

        return call

    def _fill(self, written: Sequence[Array], found: Any) -> None:  # Any: as callees give
        """Put what was given into the arrays that the call writes."""
        given = found if isinstance(found, tuple) else (found,)
        if len(given) != len(written):
            raise TypeConfusionError(
                f"@{self.name} gives {len(given)} values, and its call writes {len(written)}; "
                f"expected a tensor for each"
            )
        for array, value in zip(written, given, strict=True):
            dtype = getattr(value, "dtype", None)
            if dtype != array.dtype or np.size(value) != array.size:
                raise TypeConfusionError(
                    f"@{self.name} gives {np.shape(value)} of {dtype}; its call writes "
                    f"{array.shape} of {array.dtype}"
                )
            if np.ndim(value) and np.shape(value) != array.shape:
                raise TypeConfusionError(
                    f"@{self.name} gives an array of shape {np.shape(value)}; its call writes one "
                    f"of {array.shape}"
                )
            array[...] = value
