"""The grammar of attribute values.

``1``, ``-1``, ``1i64`` are ints; ``1f``, ``2e-05f`` floats; strings, ``True``, ``False``, ``None``,
lists ``[a, b]`` (tuples), mappings ``{key=value}``; ``%x`` and ``%0``, where an attribute holds an
expression; ``type(T)``, where it holds a type; ``meta[key][index]`` for everything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from relayish.ir.attrs import DictAttrs
from relayish.text.lexer import ATTRIBUTE, BLANK, OPERAND
from relayish.text.literals import read_int, unquote
from relayish.text.reader import Reader, plain_name
from relayish.text.rules import Rule
from relayish.text.type_parser import meta, type_

_SIMPLE: Final = re.compile(
    rf'{BLANK}(?:(-?\d++)|"([^"\\]*+)"|(True|False|None)|\[(-?\d++(?:, -?\d++)*+)\])(?=[,)\]}}])'
)
_FLOAT_SUFFIXES: Final = frozenset({"f", "f16", "f32", "f64"})
_INT_SUFFIXES: Final = frozenset({"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"})
_WORDS: Final[dict[str, object]] = {"True": True, "False": False, "None": None}
_DEEPEST: Final = 100
_UNREAD: Final = object()


def _simple(reader: Reader) -> object:
    """Read one of the values that nearly all are, or return ``_UNREAD`` and stay."""
    found = _SIMPLE.match(reader.text, reader.pos)
    if found is None or found.end() - found.start() > 4000:  # absurd numbers
        return _UNREAD
    reader.pos = found.end()
    number, string, word, numbers = found.groups()
    if number is not None:
        return int(number)
    if string is not None:
        return string
    if word is not None:
        return _WORDS[word]
    return tuple([int(n) for n in numbers.split(", ")])


def attribute_value(reader: Reader, depth: int = 0) -> Rule:
    """The value of an attribute; lists and mappings nest to a depth of 100."""
    simple = _simple(reader)
    if simple is not _UNREAD:
        return simple
    if depth > _DEEPEST:
        reader.fail(f"the value of an attribute nests deeper than {_DEEPEST}")
    if reader.take("["):
        return (yield _list(reader, depth + 1))
    if reader.take("{"):
        return DictAttrs((yield _mapping(reader, "}", depth + 1)))
    at = reader.skip()
    negative = reader.take("-")
    found = reader.match(OPERAND)
    if found is None or (negative and found.lastgroup != "number"):
        reader.fail(f"expected the value of an attribute; {reader.found()}", at)
    reader.pos = found.end()
    kind = found.lastgroup
    if kind == "number":
        return _number(reader, found, negative, at)
    if kind == "string":
        return unquote(found["string"])
    if kind == "local":
        return reader.local(found["local"], at)
    if kind == "globalvar":
        return reader.global_var(plain_name(found["globalvar"]), at)
    if kind == "name" and found["name"] == "type":
        reader.expect("(", "after type")
        made = yield type_(reader)
        reader.expect(")", "after the type in type(...)")
        return made
    special = _SPECIAL.get(found["name"] or "")
    if special is None:
        reader.fail(f"{found[0].strip()!r} is no value of an attribute", at)
    return special(reader, at)


def _list(reader: Reader, depth: int) -> Rule:
    items: list[object] = []
    while not reader.take("]"):
        items.append((yield attribute_value(reader, depth)))
        if not reader.take(","):
            reader.expect("]", "after an item of a list")
            break
    return tuple(items)


def _mapping(reader: Reader, close: str, depth: int) -> Rule:
    values: dict[str, object] = {}
    while not reader.take(close):
        name, at = attribute_name(reader)
        if name in values:
            reader.fail(f"attribute {name} is given twice", at)
        values[name] = yield attribute_value(reader, depth)
        if not reader.take(","):
            reader.expect(close, "after an attribute")
            break
    return values


def attributes(reader: Reader, close: str) -> Rule:
    """``name=value`` pairs up to and including ``close``, as a dictionary."""
    return (yield _mapping(reader, close, 0))


def attribute_name(reader: Reader) -> tuple[str, int]:
    """Read ``name =`` and return the name and where it stands."""
    found = reader.match(ATTRIBUTE)
    if found is None:
        reader.fail(f"expected an attribute such as axis=1; {reader.found()}")
    reader.pos = found.end()
    return plain_name(found[1]), found.start(1)


def _number(reader: Reader, found: re.Match[str], negative: bool, at: int) -> object:
    digits, suffix = found["digits"], found["suffix"]
    try:
        if suffix in _FLOAT_SUFFIXES or not digits.isdigit():
            if suffix not in _FLOAT_SUFFIXES and suffix is not None:
                reader.fail(f"{digits}{suffix} is no integer", at)
            return -float(digits) if negative else float(digits)
        if suffix is not None and suffix not in _INT_SUFFIXES:
            reader.fail(f"{suffix!r} is no suffix of numbers", at)
        return -read_int(digits) if negative else read_int(digits)
    except ValueError as error:
        reader.fail(str(error), at)


_SPECIAL: Final[dict[str, Callable[[Reader, int], object]]] = {
    "True": lambda _reader, _at: True,
    "False": lambda _reader, _at: False,
    "None": lambda _reader, _at: None,
    "meta": meta,
}
