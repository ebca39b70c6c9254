"""The lattice of truths, and its dual."""

from __future__ import annotations

from relayish.dataflow.lattice.lattice import Lattice


class Booleans(Lattice[bool]):
    """Whether something may be so, on some path: false is below true, the join is ``or``.

    Example:
        >>> Booleans().join(False, True), Booleans().meet(False, True), Booleans().bottom
        (True, False, False)
    """

    bottom = False
    top = True
    finite_height = True

    def join(self, a: bool, b: bool) -> bool:
        return a or b

    def meet(self, a: bool, b: bool) -> bool:
        return a and b

    def leq(self, a: bool, b: bool) -> bool:
        return b or not a


class MustBooleans(Lattice[bool]):
    """Whether something must be so, on all paths: true is below false, the join is ``and``.

    Example:
        >>> MustBooleans().join(False, True), MustBooleans().bottom
        (False, True)
    """

    bottom = True
    top = False
    finite_height = True

    def join(self, a: bool, b: bool) -> bool:
        return a and b

    def meet(self, a: bool, b: bool) -> bool:
        return a or b

    def leq(self, a: bool, b: bool) -> bool:
        return a or not b
