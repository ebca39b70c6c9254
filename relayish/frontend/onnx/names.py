"""Names of values in a graph: of each its own, as near to that of its variable as may be."""

from __future__ import annotations

from collections.abc import Container, Iterable


class Names:
    """The names in one graph, and in those around it.

    A name may stand in a graph and in another within it, as long as no node of the inner one comes
    after it: to ONNX it would be given twice.

    Args:
        outer: The names in the graph around.
    """

    def __init__(self, outer: Names | None = None) -> None:
        self._outer = outer
        self._taken: set[str] = set()
        self._inside: set[str] = set()  # names in graphs within this one
        self._written: set[str] = set()
        self._counts: dict[str, int] = {}

    def reserve(self, name: str) -> None:
        """Let nothing else be called ``name``."""
        self._taken.add(name)
        outer = self._outer
        while outer is not None and name not in outer._inside:  # noqa: SLF001 - of the same class
            outer._inside.add(name)  # noqa: SLF001 - as above
            outer = outer._outer  # noqa: SLF001 - as above

    def write(self, name: str) -> None:
        """Note that what is called ``name`` is there from now on."""
        self._written.add(name)

    def is_written(self, name: str) -> bool:
        """Return whether something in this graph, and not in one around, is called ``name``."""
        return name in self._written

    def is_free(self, name: str) -> bool:
        """Return whether a node may give a value of that name."""
        if name in self._taken:
            return False
        outer = self._outer
        while outer is not None:
            if name in outer._written:  # noqa: SLF001 - of the same class
                return False
            outer = outer._outer  # noqa: SLF001 - as above
        return True

    def choose(self, hint: str, *, is_input: bool = False) -> str:
        """Return a free name, and take it: ``hint``, or that with a number.

        An input of a graph may be called as a value outside that nobody uses inside.
        """
        name = hint or "value"
        if name not in self._taken if is_input else self.is_free(name):
            self.reserve(name)
            return name
        count = self._counts.get(name, 0)
        while True:
            count += 1
            found = f"{name}_{count}"
            if self.is_free(found):
                break
        self._counts[name] = count
        self.reserve(found)
        return found

    def choose_fresh(self, hint: str) -> str:
        """Return a name that is in no graph around or within either, and take it."""
        while True:
            name = self.choose(hint)
            if name not in self._inside and not self._is_taken_outside(name):
                return name

    def _is_taken_outside(self, name: str) -> bool:
        outer = self._outer
        while outer is not None:
            if name in outer._taken:  # noqa: SLF001 - as above
                return True
            outer = outer._outer  # noqa: SLF001 - as above
        return False


class NodeNames:
    """The names of the nodes of one graph: copies of a node get names of their own.

    Runtimes refuse a graph in which two nodes have one name.

    Args:
        told: What nodes of the graph are called, known before any of them is written.
        repeated: Names that several nodes had when the graph was read, which they keep.
    """

    def __init__(self, told: Iterable[str] = (), repeated: Container[str] = ()) -> None:
        self._told = frozenset(told)
        self._repeated = repeated
        self._counts: dict[str, int] = {}

    def choose(self, name: str) -> str:
        """Return what the next node is called that ``name`` was said of; ``""`` for no name."""
        count = self._counts.get(name)
        if not name or count is None or name in self._repeated:
            self._counts.setdefault(name, 0)
            return name
        while True:
            count += 1
            found = f"{name}_{count}"
            if found not in self._told and found not in self._counts:
                break
        self._counts[name] = count
        self._counts[found] = 0
        return found
