"""Reading values in the section of details; see ``values`` for their grammar."""

from __future__ import annotations

import re
import struct
from typing import Final, NamedTuple

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.text.literals import STRING, read_int, unquote
from relayish.text.source import BLANK, Source
from relayish.tir.ir.target import Target, TargetArch, TargetBits, TargetOS
from relayish.tir.text.spelling import NAME, TYPE, read_name, read_type
from relayish.tir.text.values import make_array

_DEEPEST: Final = 100
_WORDS: Final = {"true": True, "false": False, "none": None}
_KEY: Final = re.compile(rf"{BLANK}({NAME}){BLANK}=(?!=)")
_VALUE: Final = re.compile(
    rf"{BLANK}(?:(?P<string>{STRING})"
    r"|(?P<float>-?(?:\d++(?:\.\d*+)?(?:e[-+]?\d++)?|inf)f(?!\w))"
    r"|(?P<int>-?\d++)(?![\w.])"
    r"|bits\((?P<bits>0x[0-9a-fA-F]{16})\)"
    r"|Target<(?P<target>\w+,\w+,\w+)>"
    rf"|(?P<array>array|scalar)\((?P<dtype>[^,\s]+),[ ]"
    rf"|type\((?P<type>{TYPE})\)"
    rf"|(?P<node>%\d+)"
    rf"|(?P<word>{TYPE})"
    r"|(?P<mark>[\[{]))"
)
_CONTENT: Final = re.compile(rf'{BLANK},{BLANK}"([^"]*)"\)')


class Word(NamedTuple):
    """A name, type or number of a node as the section spells it, and where."""

    spelt: str
    at: int

    def __repr__(self) -> str:
        return self.spelt


def read_value(source: Source, depth: int = 0) -> object:
    """Read a value; names, types and numbers of nodes come as :class:`Word`."""
    if depth > _DEEPEST:
        source.fail(f"a value nests deeper than {_DEEPEST}; write less deep lists")
    found = source.match(_VALUE)
    if found is None:
        source.fail(
            f'expected a value such as 7, 1.5f, true, "text", [1, 2] or a name; {source.found()}'
        )
    source.pos = found.end()
    at = found.start(found.lastgroup or 0)
    text = found[found.lastgroup or 0]
    match found.lastgroup:
        case "string":
            return unquote(text)
        case "float":
            return float(text[:-1])
        case "int":
            try:
                return -read_int(text[1:]) if text[0] == "-" else read_int(text)
            except ValueError as error:
                source.fail(str(error), at)
        case "bits":
            return float(struct.unpack(">d", struct.pack(">Q", int(text, 16)))[0])
        case "target":
            return _target(source, text, at)
        case "dtype":
            return _array(source, found["dtype"], found["array"] == "scalar", at)
        case "type":
            return read_type(text)
        case "mark":
            return _list(source, depth) if text == "[" else _mapping(source, depth)
    return _WORDS[text] if text in _WORDS else Word(text, at)


def _list(source: Source, depth: int) -> tuple[object, ...]:
    return tuple(
        [read_value(source, depth + 1) for _ in source.until("]", "after an item of a list")]
    )


def _mapping(source: Source, depth: int) -> DictAttrs:
    return DictAttrs(dict(read_items(source, "}", "after an attribute", depth + 1)))


def read_items(source: Source, close: str, where: str, depth: int = 0) -> list[tuple[str, object]]:
    """Read ``key=value`` pairs up to and including ``close``."""
    items: dict[str, object] = {}
    for _ in source.until(close, where):
        key, at = read_key(source)
        if key in items:
            source.fail(f"{key} is given twice; leave one out", at)
        items[key] = read_value(source, depth)
    return list(items.items())


def read_key(source: Source) -> tuple[str, int]:
    """Read ``key=`` and return the key and where it stands."""
    found = source.match(_KEY)
    if found is None:
        source.fail(f"expected key=value, such as kind=sum; {source.found()}")
    source.pos = found.end()
    return read_name(found[1]), found.start(1)


def _target(source: Source, text: str, at: int) -> Target:
    system, arch, bits = text.split(",")
    more: list[tuple[str, ...]] = []
    while len(more) < 2 and source.text.startswith("[", source.pos):
        source.pos += 1
        items = _list(source, 0)
        if not all(isinstance(item, str) for item in items):
            source.fail("features and libraries of a target are strings", at)
        more.append(tuple([str(item) for item in items]))
    for what, name, names in (
        ("operating system", system, TargetOS),
        ("processor", arch, TargetArch),
        ("width of addresses", bits, TargetBits),
    ):
        known = [member.value for member in names]
        if name not in known:
            source.unknown(f"{what} of a target:", name, known, at)
    return Target(TargetOS(system), TargetArch(arch), TargetBits(bits), *more)


def _array(source: Source, dtype: str, is_scalar: bool, at: int) -> object:
    shape = read_value(source)
    found = source.match(_CONTENT)
    if found is None or not isinstance(shape, tuple):
        source.fail('expected array(<type>, [<sizes>], "<bytes in base64>")', at)
    source.pos = found.end()
    try:
        return make_array(dtype, shape, found[1], is_scalar=is_scalar)
    except (ValueError, TypeError) as error:
        source.fail(f"the bytes of this array cannot be read: {error}", at)
