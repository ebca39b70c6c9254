"""Constructor tags: numbers that tell constructors of algebraic data types apart.

The upper byte of a tag, of 32 bits and signed, is of a hash of the name of the type; below it is
the position of the constructor in the definition. TVM hashes by its C++ library, which on most
systems is libstdc++, and so is this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

UNSET: Final = -1
"""The tag of a constructor that no module defines."""

_WORD: Final = (1 << 64) - 1
_FACTOR: Final = 0xC6A4A793_5BD1E995
_SEED: Final = 0xC70F6907

_tags: Final[WeakKeyDictionary[object, int]] = WeakKeyDictionary()
"""The tag of each constructor that some module defines, or defined."""


def find_tag(constructor: object) -> int:
    """Return the tag of ``constructor``; :data:`UNSET` while no module defines it."""
    return _tags.get(constructor, UNSET)


def enter_tags(type_name: str, constructors: Sequence[object]) -> None:
    """Give the constructors of the type ``type_name``, in order of definition, their tags."""
    if not constructors:
        return
    first = tag_prefix(type_name)
    for index, constructor in enumerate(constructors):
        _tags[constructor] = first | index


def tag_prefix(type_name: str) -> int:
    """Return what the tags of the constructors of a type begin with.

    Example:
        >>> tag_prefix("List"), tag_prefix("Option")
        (-2013265920, 1107296256)
    """
    prefix = (hash_bytes(type_name.encode("utf-8", "surrogatepass")) & 0xFF) << 24
    return prefix - (1 << 32) if prefix >> 31 else prefix


def hash_bytes(text: bytes) -> int:
    """Return the 64 bits that ``std::hash`` of libstdc++ gives for a string: MurmurHash64A.

    Example:
        >>> hash_bytes(b"List")
        17403638020908505224
    """
    whole = len(text) & ~7
    found = _SEED ^ (len(text) * _FACTOR & _WORD)
    for at in range(0, whole, 8):
        part = _mix(int.from_bytes(text[at : at + 8], "little") * _FACTOR & _WORD)
        found = ((found ^ (part * _FACTOR & _WORD)) * _FACTOR) & _WORD
    if whole < len(text):
        found = ((found ^ int.from_bytes(text[whole:], "little")) * _FACTOR) & _WORD
    return _mix(_mix(found) * _FACTOR & _WORD)


def _mix(word: int) -> int:
    return word ^ (word >> 47)
