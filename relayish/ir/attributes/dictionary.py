"""Attributes of any names, and nests of lists and dictionaries frozen as such."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from relayish._kernel import settle
from relayish._support.graph import post_order
from relayish.errors import FieldError, UnknownNameError, suggest
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.values.literal import hash_briefly, is_same_literal


class DictAttrs(Attrs):
    """Attributes of a function, or of an operator nobody declared: any names, any values.

    Two are equal when they hold the same values, in type and in every bit, under the same names.
    Lists given become tuples, and dictionaries attributes of this class.
    """

    __slots__ = ("_hash", "_values")
    _hash: int
    _values: dict[str, object]
    type_key = "DictAttrs"

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        object.__setattr__(self, "_values", {_key(k): freeze(v) for k, v in (values or {}).items()})

    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)

    def get(self, name: str, default: object = None) -> object:
        return self._values.get(name, default)

    def __getitem__(self, name: str) -> object:
        if name not in self._values:
            raise UnknownNameError(f"no attribute {name!r}{suggest(name, self._values)}")
        return self._values[name]

    def items(self) -> Iterator[tuple[str, object]]:
        return iter(self._values.items())

    def shown_items(self) -> Iterator[tuple[str, object]]:
        return iter(self._values.items())

    def with_values(self, **changes: object) -> DictAttrs:
        return DictAttrs({**self._values, **changes})

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DictAttrs) or self._values.keys() != other._values.keys():
            return False
        values = other._values
        for key, value in self._values.items():
            if value is not values[key] and not is_same_literal(value, values[key]):
                return False
        return True

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:  # attributes of calls are hashed more often than there are calls
            found = hash(frozenset([(k, hash_briefly(v)) for k, v in self._values.items()]))
            object.__setattr__(self, "_hash", found)
            return found

    def __repr__(self) -> str:
        return f"DictAttrs({self._values!r})"

    def __reduce__(self) -> tuple[type[DictAttrs], tuple[dict[str, object]]]:
        return DictAttrs, (self._values,)


settle(closed=(DictAttrs,))


def freeze(root: object) -> object:
    """Freeze a nest of lists and dictionaries: to tuples and :class:`DictAttrs`.

    Returns:
        ``root`` itself where there is nothing to change; what is shared stays shared.

    Raises:
        TypeError: If a list or dictionary contains itself.

    Complexity:
        Linear in the distinct lists, tuples and dictionaries; no recursion.
    """
    if not isinstance(root, _NESTS):
        return root
    if isinstance(root, tuple) and not any(isinstance(item, _NESTS) for item in root):
        return root
    nests: dict[int, Any] = {id(root): root}  # Any: of these

    def inside(key: int) -> Iterable[int]:
        found = {id(item): item for item in _items(nests[key]) if isinstance(item, _NESTS)}
        nests.update(found)
        return found

    images: dict[int, object] = {}
    for key in post_order([id(root)], inside):
        nest = nests[key]
        if any(id(item) not in images for item in _items(nest) if isinstance(item, _NESTS)):
            raise TypeError(f"a {type(nest).__name__} that contains itself has no value")
        items = [images.get(id(i), i) if isinstance(i, _NESTS) else i for i in _items(nest)]
        if isinstance(nest, dict):
            made = DictAttrs.__new__(DictAttrs)
            object.__setattr__(made, "_values", dict(zip(map(_key, nest), items, strict=True)))
            images[key] = made
        else:
            same = isinstance(nest, tuple) and all(map(operator.is_, nest, items))
            images[key] = nest if same else tuple(items)
    return images[id(root)]


def _key(key: object) -> str:
    """Return the name of an attribute; a variable, say, would be known by its text alone."""
    if isinstance(key, (str, int, float)):
        return str(key)
    raise FieldError(
        f"{key!r} ({type(key).__name__}) cannot name an attribute; expected a string; "
        f"give pairs, as in ((key, value),)"
    )


_NESTS: Final = (list, tuple, dict)


def _items(nest: Any) -> Iterable[object]:  # Any: a list, a tuple or a dictionary
    return nest.values() if isinstance(nest, dict) else nest
