"""Names of new variables, which nothing else in a function has."""

from __future__ import annotations

from relayish.analysis.variables import all_vars
from relayish.ir.relay.expr import Function


class Names:
    """The names of the variables of a function and of all graphs in it, found when first needed."""

    def __init__(self, func: Function) -> None:
        self._func = func
        self._used: set[str] | None = None
        self._counts: dict[str, int] = {}

    def fresh(self, hint: str) -> str:
        """Return ``hint``, with a number behind it if it has been used.

        Complexity:
            Linear in the function the first time, then constant on average.
        """
        if self._used is None:
            self._used = {var.name_hint for var in all_vars(self._func)}
        name = hint
        while name in self._used:
            count = self._counts.get(hint, 0) + 1
            self._counts[hint] = count
            name = f"{hint}_{count}"
        self._used.add(name)
        return name
