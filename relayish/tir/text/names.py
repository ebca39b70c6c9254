"""Names in a text: each means one thing where it stands, and hints are kept where that allows."""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.tir.ir.operators import IntImm
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import INT32, Type


class VarClass(NamedTuple):
    """What the place where a variable is bound does not tell of it.

    Variables that are bound in several places may go by one name if they are alike in this.
    """

    dtype: Type = INT32
    lower: IntImm | None = None
    upper: IntImm | None = None
    is_reduce_axis: bool = False
    tag: str = ""

    def key(self) -> tuple[object, ...]:
        """Return what two of them are compared by."""
        bounds = [b and (b.value, b.dtype) for b in (self.lower, self.upper)]
        return (self.dtype, *bounds, self.is_reduce_axis, self.tag)


PLAIN: Final = VarClass()


def class_of(var: Var) -> VarClass | None:
    """Return the class of a variable, or ``None`` if expressions bound it."""
    lower, upper = var.lower_bound, var.upper_bound
    if lower is None and upper is None:
        if var.dtype == INT32 and not var.is_reduce_axis and not var.tag:
            return PLAIN
    elif not isinstance(lower, (IntImm, type(None))) or not isinstance(upper, (IntImm, type(None))):
        return None
    return VarClass(var.dtype, lower, upper, var.is_reduce_axis, var.tag)


def is_plain(var: Var) -> bool:
    """Return whether all that is to be known of a variable is its name."""
    return class_of(var) is PLAIN


class Frame:
    """The names of a program, or of one function of a module.

    Attributes:
        name: That of the function; ``""`` for what several functions share.
        classes: By name, what the variables are that are bound under it.
    """

    def __init__(self, name: str = "", around: Frame | None = None) -> None:
        self.name = name
        self.classes: dict[str, VarClass] = {}
        self._around = around
        self._reserved: set[str] = set()
        self._ever: set[str] = set()
        self._scope: dict[str, str] = {}
        self._left: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}

    def _is_reserved(self, name: str) -> bool:
        around = self._around
        return name in self._reserved or (around is not None and name in around._reserved)  # noqa: SLF001 - of its own class

    def reserve(self, hint: str) -> str:
        """Return a name for what has it everywhere: a buffer, a tensor, a free variable."""
        name = hint
        while self._is_reserved(name) or name in self._ever:
            name = self._next(hint)
        self._reserved.add(name)
        return name

    def bind(self, hint: str, found: VarClass | None) -> str:
        """Return a name for a variable that is bound here, and bring it into scope.

        Args:
            hint: The name it would have.
            found: What its name has to tell; ``None``: nothing.
        """
        name = hint
        if not self._is_free(name, found):
            left = self._left.get(hint)
            if left and self._is_free(left[-1], found):
                name = left.pop()
            else:
                while not self._is_free(name, found):
                    name = self._next(hint)
        self._scope[name] = hint
        self._ever.add(name)
        if found is not None:
            self.classes.setdefault(name, found)
        return name

    def _is_free(self, name: str, found: VarClass | None) -> bool:
        if name in self._scope or self._is_reserved(name):
            return False
        known = self.classes.get(name)
        return known is None or found is None or known is found or known.key() == found.key()

    def pick(self, hint: str) -> str:
        """Return a name for a variable that nothing refers to, which may hide others."""
        while self._is_reserved(hint):
            hint = self._next(hint)
        return hint

    def leave(self, name: str) -> None:
        """Take a name out of scope, which others may then have."""
        hint = self._scope.pop(name)
        if name != hint:
            self._left.setdefault(hint, []).append(name)

    def _next(self, hint: str) -> str:
        count = self._counts.get(hint, 0)
        self._counts[hint] = count + 1
        return f"{hint}_{count}"
