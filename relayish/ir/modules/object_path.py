"""Paths into programs: how to come from a root to a place, step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Final

from relayish._support.display import repr_mimebundle
from relayish.errors import UnknownNameError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.modules.module import Module


class ObjectPath(ABC):
    """A path from a root to a field, an item, or the value of a key.

    Paths are immutable and compared by their steps. A step leads to what is not there, too, so that
    a path may say which item one of two sequences has not.

    Complexity:
        A step is made in constant time, and shares the path before it; what asks for all steps is
        linear in their number. No recursion.

    Source:
        TVM ``ObjectPath``.

    Example:
        >>> path = ObjectPath.root().attr("args").array_index(1)
        >>> print(path)
        <root>.args[1]
        >>> path.follow(Call(Op("add"), (Constant(1), Constant(2))))
        Constant(data=np.int32(2))
    """

    __slots__ = ("_length", "parent", "step")
    parent: ObjectPath | None
    """The path without its last step; of a root, ``None``."""
    step: object
    """What the last step needs to know: a name, a number, a key."""
    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, parent: ObjectPath | None, step: object = None) -> None:
        self.parent = parent
        self.step = step
        self._length: int = 1 if parent is None else len(parent) + 1

    @staticmethod
    def root(name: str | None = None) -> ObjectPath:
        """Return the path without a step; ``name`` is what it is called in its text."""
        return RootPath(None, name)

    def attr(self, attr_key: str | None) -> ObjectPath:
        """Go on to a field, or an unknown one."""
        if attr_key is None:
            return UnknownAttributeAccessPath(self)
        return AttributeAccessPath(self, attr_key)

    def array_index(self, index: int) -> ObjectPath:
        """Go on to an item of a sequence."""
        return ArrayIndexPath(self, index)

    def missing_array_element(self, index: int) -> ObjectPath:
        """Go on to an item that the sequence has not."""
        return MissingArrayElementPath(self, index)

    def map_value(self, key: object) -> ObjectPath:
        """Go on to the value of a key."""
        return MapValuePath(self, key)

    def missing_map_entry(self) -> ObjectPath:
        """Go on to the value of a key that is not there."""
        return MissingMapEntryPath(self)

    def _backwards(self) -> Iterator[ObjectPath]:
        path: ObjectPath | None = self
        while path is not None:
            yield path
            path = path.parent

    def get_prefix(self, length: int) -> ObjectPath:
        """Return the beginning of the path, which is ``length`` long; a root counts as one.

        Raises:
            IndexError: If the path is shorter, or ``length`` less than one.
        """
        if not 1 <= length <= self._length:
            raise IndexError(f"a path of length {self._length} has no prefix of length {length}")
        return next(path for path in self._backwards() if path._length == length)  # noqa: SLF001

    def is_prefix_of(self, other: ObjectPath) -> bool:
        """Return whether ``other`` begins with this path, or is it."""
        return self._length <= other._length and self == other.get_prefix(self._length)

    def follow(self, root: object) -> object:
        """Return what the path leads to from ``root``: a node, a module, attributes.

        Raises:
            UnknownNameError: If it leads to nothing there.
        """
        found = root
        for path in reversed(list(self._backwards())):
            try:
                found = path._go_on(found)  # noqa: SLF001 - its own class
            except (LookupError, AttributeError, TypeError):
                raise UnknownNameError(
                    f"{path} leads to nothing; what is before the last step is a "
                    f"{type(found).__name__}"
                ) from None
        return found

    def _go_on(self, found: object) -> object:
        """Return what the last step leads to: nothing, unless its class says otherwise."""
        raise LookupError(found)

    @abstractmethod
    def _text(self) -> str:
        """Return the last step as it is written."""

    def __len__(self) -> int:
        return self._length

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectPath) or self._length != other._length:
            return False
        for left, right in zip(self._backwards(), other._backwards(), strict=True):
            if left is right:
                return True
            if type(left) is not type(right) or left.step != right.step:
                return False
            if type(left) is UnknownAttributeAccessPath:
                return False  # nobody knows whether they are the same
        return True

    def __hash__(self) -> int:
        return hash(tuple([path.step for path in self._backwards()]))

    def __str__(self) -> str:
        return "".join([path._text() for path in reversed(list(self._backwards()))])  # noqa: SLF001

    __repr__ = __str__


class RootPath(ObjectPath):
    """Where a path begins."""

    __slots__ = ()

    @property
    def name(self) -> object:
        """What the root is called, or ``None``."""
        return self.step

    def _go_on(self, found: object) -> object:
        return found

    def _text(self) -> str:
        return "<root>" if self.step is None else str(self.step)


class AttributeAccessPath(ObjectPath):
    """A step to a field."""

    __slots__ = ()

    @property
    def attr_key(self) -> object:
        """The name of the field."""
        return self.step

    def _go_on(self, found: object) -> object:
        if isinstance(found, Module) and self.step in found.sections():
            return found.sections()[str(self.step)]
        if isinstance(found, Attrs):
            return found[str(self.step)]
        return getattr(found, str(self.step))

    def _text(self) -> str:
        return f".{self.step}"


class UnknownAttributeAccessPath(ObjectPath):
    """A step to a field that nobody knows; no two are equal."""

    __slots__ = ()

    def _text(self) -> str:
        return ".<unknown attribute>"


class ArrayIndexPath(ObjectPath):
    """A step to an item of a sequence."""

    __slots__ = ()

    @property
    def index(self) -> object:
        """The number of the item."""
        return self.step

    def _go_on(self, found: Any) -> object:  # Any: what is no sequence is an error of follow
        return found[self.step]

    def _text(self) -> str:
        return f"[{self.step}]"


class MissingArrayElementPath(ObjectPath):
    """A step to an item that a sequence has not."""

    __slots__ = ()
    index: Final = ArrayIndexPath.index

    def _text(self) -> str:
        return f"[<missing element #{self.step}>]"


class MapValuePath(ObjectPath):
    """A step to the value of a key."""

    __slots__ = ()

    @property
    def key(self) -> object:
        """The key."""
        return self.step

    def _go_on(self, found: Any) -> object:  # Any: as above
        return found[self.step]

    def _text(self) -> str:
        return f'["{self.step}"]' if isinstance(self.step, str) else f"[{self.step}]"


class MissingMapEntryPath(ObjectPath):
    """A step to the value of a key that is not there."""

    __slots__ = ()

    def _text(self) -> str:
        return "[<missing entry>]"
