"""Tables by class: what serves things of a class, or of the nearest class above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, Generic, TypeVar

from relayish.ir.registration.claimed_table import ClaimedTable

V = TypeVar("V")


class ClassTable(Generic[V]):
    """A table by class to which other packages add; what is asked for is found along the classes.

    What serves relayish's own classes is imported when it is first asked for.

    Args:
        what: What is claimed, as the subject of an error: ``"the picture"``.
        own: By the beginning of names of modules, what to import for classes that live there.
    """

    def __init__(self, what: str, own: Mapping[str, str]) -> None:
        self._own: Final = dict(own)
        self._entries: Final[ClaimedTable[type, V]] = ClaimedTable(
            lambda kind: f"{what} of {kind.__module__}.{kind.__qualname__}"
        )

    def register(self, kind: type, *, replace: bool = False) -> Callable[[V], V]:
        """Return a decorator that adds what serves ``kind`` and the classes below it.

        Raises:
            DuplicateNameError: If somebody else claims the class and ``replace`` is false.
        """

        def enter(entry: V) -> V:
            return self._entries.register(kind, entry, replace=replace)

        return enter

    def find(self, kind: type) -> V | None:
        """Return what serves things of class ``kind``; ``None`` if nothing does.

        Complexity:
            Linear in the classes above it, but for what is imported the first time.
        """
        for each in kind.__mro__:
            self._load(each.__module__)
            found = self._entries.get(each)
            if found is not None:
                return found
        return None

    def _load(self, module: str) -> None:
        fitting = [name for name in self._own if f"{module}.".startswith(f"{name}.")]
        for name in fitting:
            import_module(self._own[name])
            self._own.pop(name, None)  # not before, or what breaks off were lost for good
