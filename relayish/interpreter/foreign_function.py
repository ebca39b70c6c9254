"""Functions of other languages, as values of Relay's programs."""

from __future__ import annotations

from relayish._support import hooks
from relayish.errors import EvaluationError
from relayish.interpreter.value import Evaluated
from relayish.ir.kinds.callables import CALLABLES, Callee
from relayish.ir.kinds.one_line import describe
from relayish.ir.modules.module import AnyModule


class ForeignFunction:
    """A definition of another language, which runs as that says."""

    __slots__ = ("_callee", "_mod", "name")

    def __init__(self, name: str, mod: AnyModule) -> None:
        self.name = name
        self._mod = mod
        self._callee: Callee | None = None

    def __call__(self, *values: Evaluated) -> Evaluated:
        """Return what it gives.

        Raises:
            EvaluationError: If its language does not say what calling it does.
        """
        if self._callee is None:
            hooks.load_handlers("evaluate")
            definition = self._mod[self.name]
            kind = type(definition)
            if not CALLABLES.knows(kind):
                raise EvaluationError(
                    f"@{self.name} is of another language, which is not evaluated here; found "
                    f"{describe(definition)}; say what calling it does: "
                    f"relayish.domain.CALLABLES.register({kind.__name__}, ...)"
                )
            self._callee = CALLABLES[kind].make(definition, self.name, self._mod)
        return self._callee(*values)

    def __repr__(self) -> str:
        return f"<function @{self.name} of another language>"
