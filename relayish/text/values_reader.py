"""The grammar of attribute values.

``1``, ``-1``, ``1i64`` are ints; ``1f``, ``2e-05f`` floats; strings, ``True``, ``False``, ``None``,
lists ``[a, b]`` (tuples), ``?`` for a size that nobody knows, mappings ``{key=value}``; ``%x`` and
``%0``, where an attribute holds an expression; ``type(T)``, where it holds a type; ``Color.RED``, a
member of an enumeration that the field names; ``my.Attrs{key=value}``, attributes of a class;
``meta[key][index]`` for all else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum, Flag
from functools import partial
from typing import Final, TypeAlias

from relayish._support.trampoline import Rule
from relayish.errors import FieldError, suggest
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.text.literals import read_int, unquote
from relayish.text.metadata_reader import MetadataError, build_attrs
from relayish.text.reader import Reader
from relayish.text.source import ATTRIBUTE, BLANK, META, OPERAND, unquote_name
from relayish.text.tables import FAMILY_WORDS, VALUE_MARKS, Family

_SIMPLE: Final = re.compile(
    rf'{BLANK}(?:(-?\d++)|"([^"\\]*+)"|(True|False|None)|\[(-?\d++(?:, -?\d++)*+)\])(?=[,)\]}}])'
)
_FLOAT_SUFFIXES: Final = frozenset({"f", "f16", "f32", "f64"})
_INT_SUFFIXES: Final = frozenset({"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"})
_WORDS: Final[dict[str, object]] = {"True": True, "False": False, "None": None}
_DEEPEST: Final = 100
_UNREAD: Final = object()


def _read_simple(reader: Reader) -> object:
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


Enums: TypeAlias = Mapping[str, type[Enum]]
_NO_ENUMS: Final[Enums] = {}


def attribute_value(reader: Reader, depth: int = 0, enums: Enums = _NO_ENUMS) -> Rule:
    """The value of an attribute; lists and mappings nest to a depth of 100.

    ``enums`` are the enumerations whose members may stand there, ``Color.RED``, by name.
    """
    simple = _read_simple(reader)
    if simple is not _UNREAD:
        return simple
    if depth > _DEEPEST:
        reader.fail(f"the value of an attribute nests deeper than {_DEEPEST}")
    if reader.take("["):
        inside = partial(attribute_value, depth=depth + 1, enums=enums)
        return (yield reader.items("]", "after an item of a list", inside))
    if reader.take("{"):
        return DictAttrs((yield _read_mapping(reader, "}", depth + 1)))
    at = reader.skip()
    for mark, make in VALUE_MARKS.items():
        if reader.take(mark):
            return make()
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
        return reader.grammar.global_name(reader, unquote_name(found["globalvar"]), at)
    return (yield _word(reader, found, depth, enums, at))


def _word(reader: Reader, found: re.Match[str], depth: int, enums: Enums, at: int) -> Rule:
    """A value that begins with a word."""
    word = found["name"] or ""
    special = _SPECIAL.get(word)
    if special is not None:
        return special(reader, at)
    family = FAMILY_WORDS.get(word)
    if family is not None:
        return (yield family_value(reader, word, family))
    name, _, member = unquote_name(word).partition(".")
    if name in enums:
        return _member(reader, enums[name], member, at)
    if word and reader.take("{"):
        values = yield _read_mapping(reader, "}", depth + 1)
        try:
            return build_attrs(unquote_name(word), values)
        except (MetadataError, TypeError, FieldError) as error:
            reader.fail(f"attributes {unquote_name(word)} cannot be read: {error}", at)
    if enums:
        members = [
            f"{name}.{member}" for name, kind in enums.items() for member in kind.__members__
        ]
        reader.unknown("value", found[0].strip(), members, at)
    reader.fail(
        f"{found[0].strip()!r} is no value of an attribute; write a number, a string, True, None, "
        f"a list or meta[key][index]",
        at,
    )


def family_value(reader: Reader, word: str, family: Family) -> Rule:
    """A node of a family with a grammar of its own, from behind its word."""
    reader.expect("(", f"after {word}")
    made = yield family.read(reader)
    reader.expect(")", f"after the {word} in {word}(...)")
    return made


def _member(reader: Reader, kind: type[Enum], name: str, at: int) -> Enum:
    """Return the member of an enumeration, or the flags between ``|``."""
    if name in kind.__members__:
        return kind[name]
    if issubclass(kind, Flag):
        made = kind(0)
        for part in name.split("|") if name else ():
            if part.isdigit():
                made |= kind(int(part))
            elif part in kind.__members__:
                made |= kind[part]
            else:
                reader.unknown(f"member of {kind.__name__}:", part, kind.__members__, at)
        return made
    raise reader.error(
        f"unknown member of {kind.__name__}: {name}{suggest(name, kind.__members__)}", at
    )


def _read_mapping(reader: Reader, close: str, depth: int) -> Rule:
    values: dict[str, object] = {}
    for _ in reader.until(close, "after an attribute"):
        name, at = attribute_name(reader)
        if name in values:
            reader.fail(f"attribute {name} is given twice; leave one out", at)
        values[name] = yield attribute_value(reader, depth)
    return values


def attributes(reader: Reader, close: str) -> Rule:
    """``name=value`` pairs up to and including ``close``, as a dictionary."""
    return (yield _read_mapping(reader, close, 0))


def attribute_name(reader: Reader, what: str = "an attribute such as axis=1") -> tuple[str, int]:
    """Read ``name =`` and return the name and where it stands."""
    found = reader.match(ATTRIBUTE)
    if found is None:
        reader.fail(f"expected {what}; {reader.found()}")
    reader.pos = found.end()
    return unquote_name(found[1]), found.start(1)


def _number(reader: Reader, found: re.Match[str], negative: bool, at: int) -> object:
    digits, suffix = found["digits"], found["suffix"]
    try:
        if suffix in _FLOAT_SUFFIXES or not digits.isdigit():
            if suffix not in _FLOAT_SUFFIXES and suffix is not None:
                reader.fail(f"{digits}{suffix} is no integer", at)
            return -float(digits) if negative else float(digits)
        if suffix is not None and suffix not in _INT_SUFFIXES:
            known = ", ".join(sorted(_INT_SUFFIXES))
            reader.fail(f"{suffix!r} is no suffix of numbers here; there are {known}", at)
        return -read_int(digits) if negative else read_int(digits)
    except ValueError as error:
        reader.fail(str(error), at)


def meta(reader: Reader, at: int) -> object:
    """Read ``[key][index]`` behind ``meta`` and return what it stands for."""
    found = reader.match(META)
    if found is None:
        reader.fail(f"expected meta[key][index]; {reader.found()}", at)
    reader.pos = found.end()
    if len(found[2]) > 12:  # no section is that long
        reader.fail(f"meta[{found[1]}] has no entry {found[2][:12]}...", at)
    try:
        return reader.metadata.get(found[1], int(found[2]))
    except ValueError as error:
        reader.fail(str(error), at)


_SPECIAL: Final[dict[str, Callable[[Reader, int], object]]] = {
    "True": lambda _reader, _at: True,
    "False": lambda _reader, _at: False,
    "None": lambda _reader, _at: None,
    "meta": meta,
}
